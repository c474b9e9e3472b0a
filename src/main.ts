export { forgetAll } from './base/fs/index.ts';
export { main } from './commands/program.ts';
