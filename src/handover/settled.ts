import { splitSentences, splitWords } from '../base/text/prose.ts';
import { extractTerms } from '../memory/terms.ts';
import { isPasted } from '../transcript/pasted-text.ts';
import { type Item, isPrompt } from '../transcript/record.ts';
import { isApproval, isForbidding, isHedging, isOrder, isPointing, isReply, isStanding } from './words.ts';

/** A title, such as "Medium Severity". */
const TITLE = /^\W*\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){1,4}$/u;

/**
 * Whether a sentence is pasted, asks, thinks aloud, gives the model a role, is a title, or only leads to what follows: then
 * it is soon over, unless it forbids.
 */
export const isPassing = (sentence: string): boolean =>
  (/[?？:：]\W*$|^you are an? /i.test(sentence) ||
    TITLE.test(sentence) ||
    isHedging(sentence) ||
    isPasted(sentence)) &&
  !splitWords(sentence).some(isForbidding);

/** Share of the parts of a sentence that another text has if it says the same. */
const NEARLY = 0.75;

export const isMostly = (parts: readonly string[], others: ReadonlySet<string>): boolean =>
  parts.filter((part) => others.has(part)).length >= parts.length * NEARLY;

/**
 * Whether a sentence of an answered message is over: it asks, was pasted or carried out, or points at something outside of
 * itself. What always holds stays.
 * @param written terms of each edit in the agent's answer
 * @param isOnce whether it was heeded at once, unless it says what always holds
 */
export function isSettled(
  sentence: string,
  written: readonly ReadonlySet<string>[],
  isOnce: boolean,
): boolean {
  if (isPassing(sentence) || isPointing(sentence) || isReply(sentence)) return true;
  if (isStanding(sentence)) return false;

  const terms = extractTerms(sentence);

  return isOnce || written.some((one) => isMostly(terms, one));
}

/** The same of a whole message. What was only talked of, and then agreed to, is not over before it is written. */
export function isSettledMessage(
  { id, text, to }: { id: string; text: string; to?: string },
  items: readonly Item[],
): boolean {
  const answer = listAnswer(items, id);
  const written = extractWritten(answer);
  const isPromised = written.length === 0 && answer.some(isPrompt);
  return !isPromised && splitSentences(text).every((one) => isSettled(one, written, to !== undefined));
}

export const isScratchpadCall = (call: Item): boolean => /scratchpad/i.test(JSON.stringify(call));

/** Whether a message ordered only what its turn did: to change the scratchpad, or to show something. */
export function isCarriedOut(text: string, turn: readonly Item[]): boolean {
  const calls = turn.filter(({ type }) => type === 'call');
  const isInPad = calls.length > 0 && calls.every(isScratchpadCall);
  const hasEdited = turn.some((item) => item.type === 'did' && item.facts.edits !== undefined);
  const noted = new Set(extractTerms(JSON.stringify(calls).replace(/\\[nrt]/g, ' ')));
  const isDone = (one: string): boolean =>
    (isInPad && isOrder(one, 'tick')) ||
    (isInPad && isOrder(one, 'note') && isMostly(extractTerms(one), noted)) ||
    (!hasEdited && isOrder(one, 'show'));
  const sentences = splitSentences(text).filter((one) => !isApproval(one) && !isPassing(one));
  return sentences.length > 0 && sentences.every((one) => isDone(one) && !isStanding(one));
}

/** What follows a message up to the next one that says more than yes. */
export function listAnswer(items: readonly Item[], id: string): Item[] {
  const after = items.slice(items.findIndex((item) => item.id === id) + 1);
  const end = after.findIndex((item) => item.type === 'person' && !isApproval(item.text));
  return end === -1 ? after : after.slice(0, end);
}

/** The terms of what each edit wrote, by a tool or a command. */
export function extractWritten(items: readonly Item[]): Set<string>[] {
  const edits = items.flatMap((item) =>
    item.type === 'did' && item.facts.edits !== undefined ? item.id : [],
  );
  const calls = items.filter(
    ({ type, id }) => type === 'call' && edits.some((edit) => edit.startsWith(`${id}:`)),
  );
  return calls.map((call) => new Set(extractTerms(JSON.stringify(call).replace(/\\[nrt]/g, ' '))));
}
