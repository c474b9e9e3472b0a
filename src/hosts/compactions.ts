import { tryStat } from '../base/fs/index.ts';
import { digest } from '../base/text/hash.ts';
import {
  type ContextUse,
  compactionWarning,
  contextUse,
  heldNotice,
  nearCompaction,
  windowOf,
} from '../ledger/nudge/compaction.ts';
import type { Remembered } from '../ledger/nudge/memory.ts';
import type { Transcript } from '../transcript/read.ts';
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

/** A smaller transcript cannot fill a context enough for a warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning before a compaction, once per cycle; if one was held, the reason. */
export async function warningFor(at: Session): Promise<string | undefined> {
  const memory = at.memory.nudges;
  const settings = at.config.compaction;
  if (memory.hold === 'held') {
    memory.hold = 'told';
    return heldNotice(at.ways.save);
  }
  if (settings.warnAt === 0 || memory.warned) return undefined;
  const { transcript: path } = at.input;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && settings.window === 0 && at.input.contextUse === undefined) return undefined;
  const use = await contextUseOf(at);
  if (!use || !nearCompaction(use, settings)) return undefined;
  memory.warned = true;
  return compactionWarning(use, at.ways.save);
}

/**
 * How full the context is: by the host's own figures, else by the transcript's.
 * @param whole relative to the model's whole context, if the host compacts before it is full
 */
export async function contextUseOf(at: Session, whole = false): Promise<ContextUse | undefined> {
  if (at.input.contextUse !== undefined) return at.input.contextUse;
  const { model: named, compactedAt } = at.memory.nudges;
  const transcript = await at.transcript();
  if (!transcript || answeredBefore(transcript, compactedAt)) return undefined;
  const { facts } = transcript;
  // Transcripts do not say whether a model is the variant with the large context.
  const model = facts.model !== undefined && named.startsWith(facts.model) ? named : facts.model;
  const usual = whole ? windowOf(model) : await at.host.compactsAt?.(at.root, at.env, model);
  return contextUse({ ...facts, model }, at.config.compaction, usual);
}

/** Figures from an answer before the compaction do not apply to the context after it. */
function answeredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answer = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const inFile = facts.compactions.at(-1)?.timestamp ?? '';
  const last = inFile > compactedAt ? inFile : compactedAt;
  return last !== '' && answer !== '' && answer <= last;
}
