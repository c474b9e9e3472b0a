/** The one module that loads execa, for `run` and commands with a deadline. It takes 60 ms to load. */
export { execa } from 'execa';
