import { join } from 'node:path';
import { DATA_DIR, exists } from '../base/fs/index.ts';
import { safeLine } from '../base/safety/index.ts';
import type { Config } from '../config/config.ts';
import { changeFeedback, forgottenUntil, readFeedback, withEvents } from '../sentiment/feedback/file.ts';
import {
  type FeedbackEvent,
  type InForce,
  noticeFeedback,
  strategyOf,
} from '../sentiment/feedback/remarks.ts';
import type { KeptState } from '../session/state-file.ts';
import type { Message } from '../transcript/types.ts';

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
  before: KeptState | undefined,
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

/** The strategy of the state that was kept, at a time (epoch milliseconds) at which it was fresh. */
export function strategyInForce(state: KeptState | undefined, at: number): InForce | null {
  const age = at - Date.parse(state?.updated ?? '');
  return state !== undefined && age >= 0 && age < state.ttlMs ? strategyOf(state.strategy) : null;
}
