import { mask } from '../hearing/own-words.ts';
import { tokenize } from '../sentiment/words.ts';
import { digest } from '../text/hash.ts';
import type { Message } from '../transcript/message.ts';
import type { WindowPart } from '../transcript/window-cache.ts';
import { STRICT, understand } from './phrases.ts';
import type { FeedbackEvent, InForce } from './types.ts';

/** A remark on the answers stands early in a message; what comes after is the next request. */
const TOKENS_READ = 80;
/** The same words this soon after are the same message, in hand once and then in the transcript. */
const SAME_MS = 10 * 60 * 1000;

export interface NoticeOptions {
  /** What is kept already. */
  known: readonly FeedbackEvent[];
  /** Epoch milliseconds up to which a person's remarks are forgotten. */
  forgotten(person: string): number;
  /** Marks of messages that are known to hold no remark; those that are found to hold none are added. */
  silent?: WindowPart<true>;
  /** How the message before this time (epoch milliseconds) was to be answered. */
  inForce(at: number): InForce | null;
}

/**
 * Remarks of people in a transcript about how they are answered, that are not kept yet. Only
 * their own prose counts, only after an answer, and only with a time: otherwise the remark of
 * yesterday would be made anew at each reading. `text` is as the person wrote it.
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
    if (options.silent?.get(mark) || options.known.some(same) || noticed.some(same)) continue;
    const found = understand(STRICT, tokenize(mask(content).prose).slice(0, TOKENS_READ));
    if (found.length === 0) {
      options.silent?.set(mark, true);
      continue;
    }
    noticed.push({
      at: new Date(at).toISOString(),
      person,
      text: found.map(({ words }) => words).join(' … '),
      meanings: found.map(({ meaning }) => meaning),
      source: 'noticed',
      strategy: options.inForce(at),
      mark,
    });
  }
  return noticed;
}
