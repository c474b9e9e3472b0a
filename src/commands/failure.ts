import { type FailureKind, failed, ScratchpadError } from '../base/errors.ts';
import { forTerminal, safeJson } from '../base/safety/outgoing.ts';
import { failureOf } from '../core/faces.ts';
import { write } from './invocation.ts';

/** Exit codes: a contract with its own tests (`docs/commands.md`). */
export const EXIT_CODES: Readonly<Record<FailureKind, number>> = {
  refused: 1,
  usage: 2,
  environment: 3,
  stale: 4,
};

/** What Node says where a process may not have more memory. */
const OUT_OF_MEMORY = /out of memory|(?:could not|cannot) allocate|allocation failed|ENOMEM/i;

/**
 * Prints an error as text on stderr, with `--json` also as JSON on stdout, and returns its exit code: the only
 * place where an error becomes an exit code.
 */
export function reportFailure(error: unknown, env: NodeJS.ProcessEnv, json: boolean): number {
  const failure = asFailure(error, env);
  write(2, `scratchpad: ${forTerminal(failure.explain())}\n`);
  if (json) printFailure(failure);
  return EXIT_CODES[failure.kind];
}

export function asFailure(error: unknown, env: NodeJS.ProcessEnv): ScratchpadError {
  if (error instanceof ScratchpadError) return error;
  const told = error instanceof Error ? error.message : String(error);
  if (OUT_OF_MEMORY.test(told))
    return failed('there is not enough memory', {
      found: told,
      next: 'raise the limit of this shell (ulimit -v), or free memory',
    });
  const shown = env.SCRATCHPAD_DEBUG && error instanceof Error ? (error.stack ?? told) : told;
  return failed(shown, { next: 'run again with SCRATCHPAD_DEBUG=1 and report the output' });
}

export function printFailure(error: ScratchpadError): void {
  write(1, `${safeJson({ error: failureOf(error) }, 2)}\n`);
}
