import { posix } from 'node:path';
import { splitWords } from '../base/text/prose.ts';
import { extractTerms } from '../memory/terms.ts';
import { isPasted } from '../transcript/pasted-text.ts';
import { type Item, isPrompt } from '../transcript/record.ts';
import { isApproval, isForbidding, isGeneralRule, isPointing, isReply, isStanding } from './words.ts';

/** Asks, only leads to what follows, or gives the model a role. */
const ASKS = /[?？:：]\W*$|^you are an? /i;
/** A title, such as "Medium Severity". */
const TITLE = /^\W*\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){1,4}$/u;

/** Whether a sentence is over once it was answered, unless it forbids. */
export const isPassing = (sentence: string): boolean =>
  ASKS.test(sentence) || TITLE.test(sentence) || isPasted(sentence);

/** Share of the parts of a text that another one has if it says the same. */
const NEARLY = 0.75;
/** The same if it speaks of it. */
const HALF = 0.5;
/** A text of more explains: "without this they are lost" is no rule there. */
const FEW_SENTENCES = 4;
/** "Thank you", "still reviewing": fewer say nothing. */
const LEAST_TERMS = 2;

export const isMostly = (
  parts: readonly string[],
  others: ReadonlySet<string>,
  share: number = NEARLY,
): boolean => parts.filter((part) => others.has(part)).length >= parts.length * share;

/**
 * Says which sentences of an answered message still hold: what forbids or always holds, and what the answer neither carried
 * out nor spoke of. A sentence that goes on with the one before it holds as long as that one. A question that the person
 * agreed to afterwards is a request.
 * @param isTalkEnough whether an order is over that was answered in words alone, or by half of its words
 */
export function readLasting(
  answer: readonly Item[],
  isTalkEnough: boolean,
): (sentence: string, at?: number, all?: readonly string[]) => boolean {
  const spoken = answer.filter(({ type }) => type === 'agent' || type === 'call' || type === 'did');
  const isDone = isTalkEnough || answer.some((item) => item.type === 'did' && item.facts.edits !== undefined);
  const answered = new Set(
    isDone
      ? extractWords(spoken.flatMap((item) => listTexts({ ...item, id: '', timestamp: '' })).join(' '))
      : [],
  );
  const isAgreed = answer.some(isPrompt);
  const edits = answer.flatMap((item) => (item.type === 'did' ? (item.facts.edits ?? []) : []));

  return function isLasting(sentence, at = 0, all = [sentence]): boolean {
    const terms = extractWords(sentence);
    if (isPointing(sentence)) return isRuleBehindComma(sentence);
    if (isReply(sentence)) {
      const isOfBefore = isGeneralRule(sentence) || isLasting(all[at - 1] ?? '', at - 1, all);
      return (at > 0 && all.length <= FEW_SENTENCES && isOfBefore) || isRuleBehindComma(sentence);
    }

    const isAsked = isPassing(sentence) && !isAgreed;
    if (isAsked && !splitWords(sentence).some(isForbidding)) return false;
    if (!isAsked && isStanding(sentence)) return true;
    // An order that names a file is over once that was edited.
    if (isTalkEnough && edits.some((path) => sentence.includes(posix.basename(path)))) return false;
    if (terms.length < (isTalkEnough ? LEAST_TERMS : 1)) return false;
    return !isMostly(terms, answered, isTalkEnough ? HALF : NEARLY);
  };
}

/** "Fix that, and mind that names must never be cut". */
const isRuleBehindComma = (sentence: string): boolean => {
  const rest = readBehindComma(sentence);
  return isGeneralRule(rest) && !isPointing(rest) && !isReply(rest);
};

const readBehindComma = (text: string): string => /[,;](.+)/s.exec(text)?.[1] ?? '';

/** Terms behind a comma by which a message is understood without what it points to. */
const OWN_TERMS = 3;

/** Whether a message says nothing to who has not read what stood before it: "no remove this, the risk is too big". */
export const isOnlyPointing = (text: string): boolean =>
  isPointing(text) && extractWords(readBehindComma(text)).length < OWN_TERMS && !isRuleBehindComma(text);

/** The texts of items without the names of their members, which are no words of the answer. */
const listTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
};

/** Names of code are read by their words: `src/cart_total.ts`. */
const extractWords = (text: string): string[] =>
  extractTerms(text.replace(/\\[nrt]/g, ' ').replace(/[/._-]+/g, ' '));

/** What follows a message up to the next one that says more than yes. */
export function listAnswer(items: readonly Item[], id: string): Item[] {
  const after = items.slice(items.findIndex((item) => item.id === id) + 1);
  const end = after.findIndex((item) => item.type === 'person' && !isApproval(item.text));
  return end === -1 ? after : after.slice(0, end);
}
