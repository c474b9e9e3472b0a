import type { FailureKind } from './errors.ts';

/** Exit codes, a contract with tests of its own (`docs/commands.md`). */
export const EXIT_CODES: Readonly<Record<FailureKind, number>> = {
  refused: 1,
  usage: 2,
  environment: 3,
  stale: 4,
};
