import { setFlagsFromString } from 'node:v8';

/**
 * For a process of ours that assembles once and ends. V8 compiles a pattern to bytecode at its
 * first use and again to machine code at its second; an assembly uses some two hundred patterns
 * a few times each, and compiling them once is a sixth of its time. Never for a program that
 * merely uses the library: flags are the process's.
 */
export function compilePatternsOnce(): void {
  setFlagsFromString('--no-regexp-tier-up');
}
