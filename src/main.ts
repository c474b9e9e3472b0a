export { forgetAll } from './base/process.ts';
export { main } from './commands/program.ts';
