import type { Remembered } from '../nudge/memory.ts';
import { digest } from '../text/hash.ts';
import type { Session } from './session.ts';

/** Fraction of the tokens at which a host compacts: its own count differs slightly from its transcript's. */
const ABOUT_FULL = 0.97;

/** If no event reports a compaction, look in the transcript. */
export async function noticeCompaction(at: Session): Promise<void> {
  if (!at.host.unseenCompaction) return;
  const { memory } = at;
  const last = await lastCompaction(at);
  if (last === '' || last === memory.nudges.compaction) return;
  memory.nudges.compaction = last;
  endCycle(memory.nudges, at.now);
  // The warning before it no longer matters.
  if (!memory.nudges.expected) memory.ledger = undefined;
  memory.nudges.expected = false;
}

/** Identifies the last compaction by its summary, because a resumed session rewrites its time. */
export async function lastCompaction(at: Session): Promise<string> {
  const last = (await at.transcript())?.facts.compactions.at(-1);
  return last === undefined ? '' : digest(last.summary || (last.timestamp ?? ''));
}

/**
 * For a host that compacts between a prompt and its request, without an event afterwards: the model would answer
 * this prompt without the pad. So everything is said again if the context is nearly full.
 */
export async function expectCompaction(at: Session): Promise<void> {
  const { nudges } = at.memory;
  // If it did not happen, wait for it only once.
  if (!at.host.unseenCompaction || !at.host.compactsAt || nudges.expected) return;
  const used = (await at.transcript())?.facts.tokensUsed ?? 0;
  const limit = (await at.host.compactsAt(at.root, at.env)) ?? Number.POSITIVE_INFINITY;
  if (used < limit * ABOUT_FULL) return;
  at.memory.ledger = undefined;
  nudges.expected = true;
}

export function endCycle(nudges: Remembered, now: number): void {
  nudges.warned = false;
  nudges.hold = '';
  nudges.compacted = true;
  nudges.compactedAt = new Date(now).toISOString();
}
