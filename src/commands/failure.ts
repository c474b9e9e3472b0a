import { failureOf } from '../core/faces.ts';
import { type FailureKind, ScratchpadError } from '../errors.ts';
import { forTerminal, safeJson } from '../safety/visible.ts';
import { write } from './invocation.ts';

/** Exit codes: a contract with its own tests (`docs/commands.md`). */
export const EXIT_CODES: Readonly<Record<FailureKind, number>> = {
  refused: 1,
  usage: 2,
  environment: 3,
  stale: 4,
};

/**
 * Prints an error as text on stderr, with `--json` also as JSON on stdout, and returns its exit code: the only
 * place where an error becomes an exit code.
 */
export function reportFailure(error: unknown, env: NodeJS.ProcessEnv, json: boolean): number {
  const known = error instanceof ScratchpadError ? error : undefined;
  const told = error instanceof Error ? (env.SCRATCHPAD_DEBUG ? error.stack : error.message) : String(error);
  const failure =
    known ??
    new ScratchpadError('environment', String(told), {
      next: 'run again with SCRATCHPAD_DEBUG=1 and report the output',
    });
  write(2, `scratchpad: ${forTerminal(failure.explain())}\n`);
  if (json) printFailure(failure);
  return EXIT_CODES[failure.kind];
}

/** The JSON form of an error, on stdout. */
export function printFailure(error: ScratchpadError): void {
  write(1, `${safeJson({ error: failureOf(error) }, 2)}\n`);
}
