/** The one module that loads execa, for commands with a deadline and for those on Windows. It takes 60 ms to load. */
export { execa } from 'execa';
