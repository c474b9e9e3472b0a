import { join } from 'node:path';
import { failed, type ScratchpadError } from '../base/errors.ts';
import { tryReadJson, writeAtomically } from '../base/fs/index.ts';
import { sharedFolder } from './membership.ts';

/** What processes remember about a server: whether to ask it, and how fast it answers. */
export interface Circuit {
  failures: number;
  /** When it may be asked again, in epoch milliseconds. */
  until: number;
  reason?: string;
  /** When the whole workspace was last in sync, in epoch milliseconds. */
  inStep?: number;
  /** How long the last connection took until its first answer, in milliseconds: a hook that waited in vain adds to it. */
  connectMs?: number;
}

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;
const CLOSED: Circuit = { failures: 0, until: 0 };

const fileIn = (root: string): string => join(sharedFolder(root), 'circuit.json');

export function readCircuit(root: string): Circuit {
  const { failures, until, ...rest } = (tryReadJson(fileIn(root), 'record') ?? {}) as Partial<Circuit>;
  return typeof failures === 'number' && typeof until === 'number' ? { ...rest, failures, until } : CLOSED;
}

/** After a failure the server is left alone for a while, twice as long each time. */
export function noteFailure(root: string, now: number, reason: string): void {
  const before = readCircuit(root);
  const failures = before.failures + 1;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  note(root, { failures, until: now + pause, reason });
}

export const ANSWERED = { failures: 0, until: 0, reason: undefined };

export function note(root: string, found: Partial<Circuit>): void {
  try {
    const circuit = { ...readCircuit(root), ...found };
    writeAtomically(fileIn(root), JSON.stringify(circuit), { durable: false });
  } catch {
    // Then the next process finds out by itself.
  }
}

/** Whether the server is to be left alone. A clock that was set back does not prolong it. */
export function isOpen({ until }: Circuit, now: number): boolean {
  return until > now && until - now <= LONGEST_PAUSE_MS;
}

export function leftAlone({ until, reason = 'no answer' }: Circuit): ScratchpadError {
  return failed('the shared store failed a moment ago; waiting before the next attempt', {
    expected: `to try again after ${new Date(until).toISOString().slice(11, 19)} UTC`,
    found: reason,
    next: { to: 'try it now', command: 'scratchpad store pull' },
  });
}
