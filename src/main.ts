export { main } from './commands/program.ts';
