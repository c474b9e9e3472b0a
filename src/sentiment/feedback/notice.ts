import { digest } from '../../base/text/hash.ts';
import type { Message } from '../../transcript/types.ts';
import type { FeedbackEvent, InForce } from './remarks.ts';
import { understand } from './sayings.ts';

/**
 * The same words within this time are the same message: first given directly, then found in the transcript.
 */
const SAME_MS = 10 * 60 * 1000;

export interface NoticeOptions {
  /** Remarks that are stored already. */
  known: readonly FeedbackEvent[];
  /** Epoch milliseconds up to which a person's feedback is forgotten. */
  forgotten(person: string): number;
  /** The strategy for the message before this time (epoch milliseconds). */
  inForce(at: number): InForce | null;
}

/**
 * Remarks in a transcript about how people are answered, as far as they are not stored yet. Only the person's
 * own prose counts, only after an answer, and only with a time, since otherwise yesterday's remark would be
 * added again at each reading. `text` is what the person wrote.
 */
export function noticeFeedback(messages: readonly Message[], options: NoticeOptions): FeedbackEvent[] {
  const noticed: FeedbackEvent[] = [];
  let answered = false;
  for (const { role, content, timestamp, sender } of messages) {
    if (role === 'assistant') answered = true;
    const at = Date.parse(timestamp ?? '');
    const person = sender ?? '';
    if (role !== 'user' || !answered || Number.isNaN(at) || at <= options.forgotten(person)) continue;
    const mark = digest(`${person}\0${content.trim()}`);
    const same = (event: FeedbackEvent): boolean =>
      event.mark === mark && Math.abs(Date.parse(event.at) - at) < SAME_MS;
    if (options.known.some(same) || noticed.some(same)) continue;
    const found = understand(content);
    if (found.length === 0) continue;
    noticed.push({
      at: new Date(at).toISOString(),
      person,
      text: [...new Set(found.map(({ words }) => words))].join(' … '),
      meanings: found.map(({ meaning }) => meaning),
      source: 'noticed',
      strategy: options.inForce(at),
      mark,
    });
  }
  return noticed;
}
