import { join } from 'node:path';
import { tryReadJson, writeAtomically } from '../fs/index.ts';
import { sharedFolder } from './membership.ts';

/** What is remembered of a server between processes: whether to ask it, and how fast it answers. */
export interface Circuit {
  /** Failures in a row. */
  failures: number;
  /** Until then it is not asked again, epoch milliseconds. */
  until: number;
  /** Why, in one line. */
  reason?: string;
  /** When the whole workspace was last in step with the server, epoch milliseconds. */
  inStep?: number;
  /** What the last connection took until its first answer, milliseconds. */
  connectMs?: number;
  /** Where the server's name led: a hook has no time for a name server that does not answer. */
  ip?: string;
  /** Hooks that waited in vain, and until when no hook waits again. */
  hookFailures?: number;
  hookUntil?: number;
}

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;
const LONGEST_HOOK_PAUSE_MS = 3_600_000;
const CLOSED: Circuit = { failures: 0, until: 0 };

const fileIn = (root: string): string => join(sharedFolder(root), 'circuit.json');

export function readCircuit(root: string): Circuit {
  const { failures, until, ...rest } = (tryReadJson(fileIn(root), 'record') ?? {}) as Partial<Circuit>;
  return typeof failures === 'number' && typeof until === 'number' ? { ...rest, failures, until } : CLOSED;
}

/** A server that has failed is left alone for a while, twice as long at every failure. */
export function noteFailure(root: string, now: number, reason: string): void {
  const before = readCircuit(root);
  const failures = before.failures + 1;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  keep(root, { ...before, failures, until: now + pause, reason });
}

export function noteSuccess(root: string, found: Pick<Circuit, 'connectMs' | 'ip' | 'inStep'>): void {
  const { reason: _, ...before } = readCircuit(root);
  keep(root, { ...before, failures: 0, until: 0, ...found });
}

/** A hook that has waited in vain: the next ones do not, whatever the slower processes find. */
export function noteHook(root: string, now: number, answered: boolean): void {
  const before = readCircuit(root);
  if (answered && !before.hookFailures) return;
  const failures = answered ? 0 : (before.hookFailures ?? 0) + 1;
  const pause = Math.min(LONGEST_HOOK_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
  keep(root, { ...before, hookFailures: failures, hookUntil: answered ? 0 : now + pause });
}

/** A clock that was set back does not prolong a pause. */
export function isOpen(until: number | undefined, now: number): boolean {
  return until !== undefined && until > now && until - now <= LONGEST_HOOK_PAUSE_MS;
}

function keep(root: string, circuit: Circuit): void {
  try {
    writeAtomically(fileIn(root), JSON.stringify(circuit), { durable: false });
  } catch {
    // Then the next process finds out by itself.
  }
}
