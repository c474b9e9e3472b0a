import { splitSentences, splitWords } from '../base/text/prose.ts';
import { quoteName, quoteText } from '../base/text/strings.ts';
import { extractTerms } from '../memory/terms.ts';
import { estimateLineTokens, estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { ownWords } from '../transcript/pasted-text.ts';
import { isMostly, isPassing } from './lasting.ts';
import { isSingleOrder, isStanding } from './words.ts';

export interface PersonMessage {
  /** The host's id, to leave it out with `forget`. */
  id: string;
  session: string;
  /** ISO 8601. */
  at?: string;
  text: string;
  /** Who else may have written it. */
  doubt?: string | undefined;
  /** A question, a refused call or a list of options that it answers. */
  to?: string;
  /** The host put it into a prompt: the title of a plan. */
  isPlan?: boolean;
  /** Is not told: it only agrees, asks to go on, was pasted, said again at once, or is over. */
  agrees: boolean;
  /** What of it holds after the answer; empty of an order that was carried out. */
  lasting: string;
}

/** The part of each message, in tokens, where not all fit; the newest has half of the budget. */
const PART_TOKENS = 100;
const LEAST_TOKENS = 40;
const NEWEST = 3;
/** A longer sentence tells a story, whatever words it has. */
const SHORT_RULE_WORDS = 16;
/** Longest message that is repeated whole, in characters; a longer one is cut to sentences from both ends. */
export const LONGEST = 700;

const PICTURE = /\[Image[^\]\n]{0,20}\]/i;

function removePastes(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const own = ownWords(text).split('\n');
  // Only the beginning and the end of a very long one are read.
  if (own.length !== lines.length) return text;

  const marked = lines.map((line, at) => (own[at]?.trim() === '' ? `\0${line}` : line)).join('\n');

  return marked
    .replace(/(?:^\0.*\n?){4,}/gm, '[… pasted lines …]\n')
    .replaceAll('\0', '')
    .trim();
}

/**
 * The messages that matter most, oldest first, within a budget, and how many others there are: the last three, those that
 * forbid or always hold, that of the session that began the work, and the shortest of the others. One that is longer than
 * its room is shortened, unless it is the only one and of usual length.
 */
export function chooseMessages(
  all: readonly PersonMessage[],
  budgetTokens: number,
): { messages: PersonMessage[]; left: number } {
  const candidates = filterMessages(all);
  const [first] = candidates;
  const isUsual = candidates.length === 1 && (first?.text.length ?? 0) <= LONGEST;
  if (first === undefined || isUsual || countTokens(candidates) <= budgetTokens)
    return { messages: candidates, left: 0 };

  const newest = candidates.slice(-NEWEST).reverse();
  const rules = candidates.filter(({ text }) => splitSentences(text).some(isStanding)).reverse();
  const others = candidates.toSorted((a, b) => a.text.length - b.text.length);
  const parts = new Map<PersonMessage, PersonMessage>();

  for (const message of new Set([...newest, ...rules, first, ...others])) {
    const most = message === newest[0] ? budgetTokens / 2 : PART_TOKENS;
    const part = fitMessage(message, Math.min(budgetTokens - countTokens([...parts.values()]), most));
    if (part !== undefined) parts.set(message, part);
  }

  return {
    messages: candidates.flatMap((message) => parts.get(message) ?? []),
    left: candidates.length - parts.size,
  };
}

const countTokens = (messages: readonly PersonMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateLineTokens(renderMessage(message)), 0);

/**
 * What of messages still holds.
 * @param newest the one that is told whole
 */
export function listLastingMessages(
  all: readonly PersonMessage[],
  newest: PersonMessage | undefined,
  isOnlyRules: boolean,
): PersonMessage[] {
  const isShortRule = (one: string): boolean =>
    isStanding(one) && !isPassing(one) && splitWords(one).length <= SHORT_RULE_WORDS;
  return all.flatMap((message) => {
    if (message === newest) return message;
    const text = isOnlyRules ? keepSentences(message.lasting, isShortRule) : message.lasting;
    return text === '' ? [] : { ...message, text };
  });
}

/** The message in so much room; nothing where too little would be left. */
function fitMessage(message: PersonMessage, room: number): PersonMessage | undefined {
  if (countTokens([message]) <= room) return message;

  const textRoom = room - countTokens([{ ...message, text: '' }]);
  return textRoom < LEAST_TOKENS ? undefined : { ...message, text: shortenMessage(message.text, textRoom) };
}

export const shortenMessage = (text: string, tokens: number): string =>
  fitSentences(splitSentences(removePastes(text)), tokens).join('\n');

/** As many sentences from both ends as fit, none if not even a part does: what matters stands first or last. */
export function fitSentences(sentences: readonly string[], tokens: number): string[] {
  if (estimateTokens(sentences.join(' ')) <= tokens) return [...sentences];

  const last = sentences.at(-1) ?? '';
  const lastStart = truncateToTokens(last, tokens / 2 - 1);
  if (lastStart === '') return [];

  const lastEnd = last.slice(-Math.ceil(lastStart.length / 2)).toWellFormed();
  let fitted = last === lastStart ? [last] : [`${lastStart}…`, `…${lastEnd}`];
  for (let count = 1; ; count += 1) {
    const head = sentences.slice(0, Math.floor(count / 2));
    const longer = [...head, '[…]', ...sentences.slice(-Math.ceil(count / 2))];
    if (estimateTokens(longer.join(' ')) > tokens) return fitted;
    fitted = longer;
  }
}

/**
 * Without approvals, pictures alone, orders that were carried out, and what the person says again, in more words or not.
 */
function filterMessages(all: readonly PersonMessage[]): PersonMessage[] {
  const messages = all.filter(({ agrees }) => !agrees);
  const texts = messages.map(({ text }) => normalizeWords(text.replace(new RegExp(PICTURE, 'gi'), ' ')));
  return messages.filter((message, at) => {
    const { to, text } = message;
    const words = texts[at] ?? '';
    if (words.trim() === '') return to !== undefined && !PICTURE.test(text);
    if (to !== undefined) return true;
    if (texts.some((other, i) => i > at && other.includes(words))) return false;
    return at === messages.length - 1 || !isSingleOrder(text);
  });
}

const normalizeWords = (text: string): string => ` ${splitWords(text).join(' ')} `;

export function renderMessage({ text, to, isPlan, doubt }: Omit<PersonMessage, 'lasting'>): string {
  if (isPlan === true) return `[a plan to implement: ${quoteName(text)}]`;
  // What others wrote must not end the brackets around it.
  const inner = to?.replace(/[(（﹙❨⦅]/g, '[').replace(/[)）﹚❩⦆]/g, ']');
  return `${inner === undefined ? '' : `(${inner}) `}${quoteText(text)}${doubt === undefined ? '' : ` (${doubt})`}`;
}

/** Words that follow each other, by which a sentence is found in another text. */
const RUN = 3;
const LEFT_OUT = '[…]';
const BELONGS =
  /(?:[:：]\W{0,40}|^\W*\w{1,2}[.)])\n(?!\[…\])|\n(?:also|then|so|but|and|or|this|that|these|those|it|they)\b/i;

/** A text without the sentences that are not kept, each run of them marked; empty if none is kept. */
export function keepSentences(
  text: string,
  isKept: (sentence: string, at: number, all: readonly string[]) => boolean,
): string {
  const sentences = splitSentences(removePastes(text));
  const parts = sentences.map((one, at) =>
    !one.startsWith('[…') && isKept(one, at, sentences) ? one : LEFT_OUT,
  );
  if (parts.every((part) => part === LEFT_OUT)) return '';
  if (!parts.includes(LEFT_OUT)) return text;

  // What leads to a list, and what words point back to, stays with these; each line has one sentence.
  for (const at of [...parts.keys()].reverse())
    if (BELONGS.test(`${sentences[at]}\n${parts[at + 1] ?? LEFT_OUT}`)) parts[at] = sentences[at] ?? '';

  return parts.filter((part, at) => part !== LEFT_OUT || parts[at - 1] !== part).join('\n');
}

/** Each letter of a script without blanks counts as a word. */
const splitPieces = (text: string): string[] =>
  splitWords(text).flatMap(
    (word) => word.match(/[\u0e00-\u0e7f\u3040-\u9fff]|[^\u0e00-\u0e7f\u3040-\u9fff]+/g) ?? [],
  );

const listRuns = (words: readonly string[], length: number): string[] =>
  words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' '));

/** Messages without the sentences that a text holds, nearly word for word or told in one line of it. */
export function removeHeld(all: readonly PersonMessage[], held: string): PersonMessage[] {
  const heldWords = splitPieces(held);
  const runs = new Set([1, 2, RUN].flatMap((length) => listRuns(heldWords, length)));
  const lines = held.split('\n').map((line) => new Set(extractTerms(line)));
  const isHeld = (sentence: string): boolean => {
    const words = splitPieces(sentence);
    const terms = extractTerms(sentence);
    return (
      isMostly(listRuns(words, Math.min(RUN, words.length)), runs) ||
      (terms.length >= RUN && lines.some((line) => isMostly(terms, line)))
    );
  };

  return all.flatMap((message) => {
    const text = keepSentences(message.text, (sentence) => !isHeld(sentence));
    return text === '' ? [] : { ...message, text };
  });
}
