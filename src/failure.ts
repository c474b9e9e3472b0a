import { write } from './commands/invocation.ts';
import { ScratchpadError } from './errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Tells an error on stderr and returns its exit code: the one place where an error becomes one. */
export function tellFailure(error: unknown, env: NodeJS.ProcessEnv): number {
  if (error instanceof ScratchpadError) {
    write(2, `scratchpad: ${error.explain()}\n`);
    return EXIT_CODES[error.kind];
  }
  const told = error instanceof Error ? (env.SCRATCHPAD_DEBUG ? error.stack : error.message) : String(error);
  write(2, `scratchpad: ${told}\n  next:     run again with SCRATCHPAD_DEBUG=1 and report what it prints\n`);
  return EXIT_CODES.environment;
}
