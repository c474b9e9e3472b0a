import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Pad } from '../core/context.ts';
import { changeFeedback, forgottenUntil, readFeedback, withEvents } from '../feedback/file.ts';
import { noticeFeedback } from '../feedback/notice.ts';
import type { FeedbackEvent, InForce } from '../feedback/types.ts';
import { DATA_DIR, exists } from '../fs/index.ts';
import { contentOf, type PadDocument } from '../pad/document.ts';
import { freshnessOf } from '../pad/freshness.ts';
import { readState } from '../pad/state.ts';
import { safeLine } from '../safety/index.ts';
import { strategyIn } from '../stages/strategy.ts';
import type { Message } from '../transcript/types.ts';
import type { Assembly } from './assemble.ts';

/** The feedback for one assembly: what is stored, and what was found in its window for the first time. */
export interface HeardFeedback {
  events: readonly FeedbackEvent[];
  noticed: readonly FeedbackEvent[];
}

const TEXT_LENGTH = 80;
/** An assembly does not wait longer for another process: the same remarks are found again at the next one. */
const LOCK_WAIT_MS = 300;

/**
 * Reads a workspace's stored remarks about the answers, and looks for new ones in messages that were not
 * examined yet.
 */
export function hearFeedback(
  root: string,
  config: Config,
  messages: readonly Message[],
  before: PadDocument,
): HeardFeedback {
  const file = readFeedback(join(root, DATA_DIR));
  if (!config.feedback.notice) return { events: file.events, noticed: [] };
  const found = noticeFeedback(messages, {
    known: file.events,
    forgotten: (person) => forgottenUntil(file, person),
    inForce: (at) => strategyInForce(before, at),
  });
  // Text of a transcript is foreign: what this function returns is safe to write and to show.
  const noticed = found.map((event) => ({
    ...event,
    text: safeLine(event.text, TEXT_LENGTH),
  }));
  return { events: [...file.events, ...noticed], noticed };
}

/** Stores the remarks that were found, in a workspace that stores anything at all. */
export async function keepFeedback(root: string, { noticed }: HeardFeedback): Promise<void> {
  const data = join(root, DATA_DIR);
  if (noticed.length === 0 || !exists(data)) return;
  await changeFeedback(data, (now) => withEvents(now, noticed), LOCK_WAIT_MS);
}

/** Stores the mood and the strategy, for people who have enabled that. */
export async function keepMood(pad: Pad, assembly: Assembly, messages: readonly Message[]): Promise<void> {
  const linesOf = (stage: string): string[] =>
    (assembly.stages.find(({ id }) => id === stage)?.lines ?? []).map(({ text }) => text);
  const lines = linesOf('strategy');
  const strategy = lines.length === 0 ? ORDINARY : inForce(lines);
  const data = join(pad.root, DATA_DIR);
  const spoke = messages.findLast(({ role }) => role === 'user');
  if (!pad.config.mood.history || spoke === undefined || strategy === null || !exists(data)) return;
  const { recordMood } = await import('../audit/history.ts');
  await recordMood(data, {
    at: new Date(pad.now()).toISOString(),
    session: assembly.from ?? null,
    person: spoke.sender ?? '',
    strategy,
    mood: linesOf('sentiment'),
  });
}

/**
 * The strategy of a pad's state block at a time (epoch milliseconds), if the block existed and was fresh
 * then.
 */
export function strategyInForce(document: PadDocument, at: number): InForce | null {
  const { updated, ttlMs = 0 } = freshnessOf(document, at);
  const age = at - Date.parse(updated ?? '');
  if (!(age >= 0 && age < ttlMs)) return null;
  const section = readState(contentOf(document, 'state')).find(({ title }) => title === 'Response Strategy');
  return section === undefined ? ORDINARY : inForce(section.lines);
}

/** The strategy if a block has no section for it. */
const ORDINARY: InForce = { style: 'neutral', tone: 'professional', verbosity: 'moderate', preamble: true };

function inForce(lines: readonly string[]): InForce | null {
  const strategy = strategyIn(lines);
  if (strategy === undefined) return null;
  const { style, tone, verbosity, preamble } = strategy;
  return { style, tone, verbosity, preamble };
}
