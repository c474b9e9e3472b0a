import { type FailureKind, ScratchpadError } from '../errors.ts';
import { forTerminal } from '../safety/visible.ts';
import { write } from './invocation.ts';

/** Exit codes, a contract with tests of its own (`docs/commands.md`). */
export const EXIT_CODES: Readonly<Record<FailureKind, number>> = {
  refused: 1,
  usage: 2,
  environment: 3,
  stale: 4,
};

/** Prints an error on stderr and returns its exit code: the one place where an error becomes an exit code. */
export function reportFailure(error: unknown, env: NodeJS.ProcessEnv): number {
  if (error instanceof ScratchpadError) {
    write(2, `scratchpad: ${forTerminal(error.explain())}\n`);
    return EXIT_CODES[error.kind];
  }
  const told = error instanceof Error ? (env.SCRATCHPAD_DEBUG ? error.stack : error.message) : String(error);
  write(
    2,
    `scratchpad: ${forTerminal(String(told))}\n  next:     run again with SCRATCHPAD_DEBUG=1 and report what it prints\n`,
  );
  return EXIT_CODES.environment;
}
