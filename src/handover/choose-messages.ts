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
  /** Why it may not be the person's: `perhaps text of the command x`. */
  doubt?: string | undefined;
  /** A question, a refused call or a list of options that it answers. */
  to?: string;
  /** The host put it into a prompt: the title of a plan. */
  isPlan?: boolean;
  /** It is not told: it only agrees, asks to go on, was pasted, said again at once, or is over. */
  agrees: boolean;
  /** What of it still holds after the answer; empty for an order that was carried out. */
  lasting: string;
}

/** Most tokens of each message if not all fit. The newest may take half of the budget. */
const PART_TOKENS = 100;
const LEAST_TOKENS = 40;
const NEWEST_COUNT = 3;
/** A longer sentence tells a story, whatever words it has. */
const SHORT_RULE_WORDS = 16;
/** Longest message that is repeated whole, in characters; a longer one is cut to sentences from both ends. */
export const LONGEST_MESSAGE = 700;

const PICTURE = /\[Image[^\]\n]{0,20}\]/i;

function removePastes(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const own = ownWords(text).split('\n');
  // `ownWords` reads only both ends of a very long text: its lines do not correspond then.
  if (own.length !== lines.length) return text;

  const marked = lines.map((line, index) => (own[index]?.trim() === '' ? `\0${line}` : line)).join('\n');

  return marked
    .replace(/(?:^\0.*\n?){4,}/gm, '[… pasted lines …]\n')
    .replaceAll('\0', '')
    .trim();
}

/**
 * The messages that matter most, oldest first, within a budget, and how many others there are: the last three, those that
 * forbid or always hold, the first, and the shortest of the others. One that is longer than
 * its room is shortened, unless it is the only one and of usual length.
 */
export function chooseMessages(
  all: readonly PersonMessage[],
  budgetTokens: number,
): { messages: PersonMessage[]; left: number } {
  const candidates = filterMessages(all);
  const [first] = candidates;
  const isUsual = candidates.length === 1 && (first?.text.length ?? 0) <= LONGEST_MESSAGE;
  if (first === undefined || isUsual || countTokens(candidates) <= budgetTokens)
    return { messages: candidates, left: 0 };

  const newest = candidates.slice(-NEWEST_COUNT).reverse();
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
 * @param keepsOnlyRules whether only short rules of the others hold
 */
export function listLastingMessages(
  all: readonly PersonMessage[],
  newest: PersonMessage | undefined,
  keepsOnlyRules: boolean,
): PersonMessage[] {
  const isShortRule = (one: string): boolean =>
    isStanding(one) && !isPassing(one) && splitWords(one).length <= SHORT_RULE_WORDS;
  return all.flatMap((message) => {
    if (message === newest) return message;
    const text = keepsOnlyRules ? keepSentences(message.lasting, isShortRule) : message.lasting;
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
    const firstSentences = sentences.slice(0, Math.floor(count / 2));
    const longer = [...firstSentences, '[…]', ...sentences.slice(-Math.ceil(count / 2))];
    if (estimateTokens(longer.join(' ')) > tokens) return fitted;
    fitted = longer;
  }
}

/**
 * Without approvals, pictures alone, orders that were carried out, and what the person said again later, with more words
 * or the same.
 */
function filterMessages(all: readonly PersonMessage[]): PersonMessage[] {
  const messages = all.filter(({ agrees }) => !agrees);
  const texts = messages.map(({ text }) => normalizeWords(text.replace(new RegExp(PICTURE, 'gi'), ' ')));
  return messages.filter((message, index) => {
    const { to, text } = message;
    const words = texts[index] ?? '';
    if (words.trim() === '') return to !== undefined && !PICTURE.test(text);
    if (to !== undefined) return true;
    if (texts.some((other, later) => later > index && other.includes(words))) return false;
    return index === messages.length - 1 || !isSingleOrder(text);
  });
}

const normalizeWords = (text: string): string => ` ${splitWords(text).join(' ')} `;

type RenderedMessage = Pick<PersonMessage, 'text' | 'to' | 'isPlan' | 'doubt'>;

export function renderMessage({ text, to, isPlan, doubt }: RenderedMessage): string {
  if (isPlan === true) return `[a plan to implement: ${quoteName(text)}]`;
  // What others wrote must not end the brackets around it.
  const inner = to?.replace(/[(（﹙❨⦅]/g, '[').replace(/[)）﹚❩⦆]/g, ']');
  return `${inner === undefined ? '' : `(${inner}) `}${quoteText(text)}${doubt === undefined ? '' : ` (${doubt})`}`;
}

/** Words that follow each other, by which a sentence is found in another text. */
const RUN = 3;
const LEFT_OUT = '[…]';
/** A sentence and the next one, in two lines: it introduces the next, or the next points back to it. */
const NEEDS_NEIGHBOUR =
  /(?:[:：]\W{0,40}|^\W*\w{1,2}[.)])\n(?!\[…\])|\n(?:also|then|so|but|and|or|this|that|these|those|it|they)\b/i;

/** A text without the sentences that are not kept, each run of them marked; empty if none is kept. */
export function keepSentences(
  text: string,
  isKept: (sentence: string, index: number, all: readonly string[]) => boolean,
): string {
  const sentences = splitSentences(removePastes(text));
  const parts = sentences.map((one, index) =>
    !one.startsWith('[…') && isKept(one, index, sentences) ? one : LEFT_OUT,
  );
  if (parts.every((part) => part === LEFT_OUT)) return '';
  if (!parts.includes(LEFT_OUT)) return text;

  // The sentence that introduces a kept list stays, and the one that a kept `it` or `this` refers to.
  for (const index of [...parts.keys()].reverse())
    if (NEEDS_NEIGHBOUR.test(`${sentences[index]}\n${parts[index + 1] ?? LEFT_OUT}`))
      parts[index] = sentences[index] ?? '';

  return parts.filter((part, index) => part !== LEFT_OUT || parts[index - 1] !== part).join('\n');
}

/** Each letter of a script without blanks counts as a word. */
const splitPieces = (text: string): string[] =>
  splitWords(text).flatMap(
    (word) => word.match(/[\u0e00-\u0e7f\u3040-\u9fff]|[^\u0e00-\u0e7f\u3040-\u9fff]+/g) ?? [],
  );

const listRuns = (words: readonly string[], length: number): string[] =>
  words.slice(length - 1).map((_, index) => words.slice(index, index + length).join(' '));

/** Leaves out the sentences that a text already has, nearly word for word or told in one line of it. */
export function removeSentencesOf(all: readonly PersonMessage[], other: string): PersonMessage[] {
  const otherWords = splitPieces(other);
  const runs = new Set([1, 2, RUN].flatMap((length) => listRuns(otherWords, length)));
  const lines = other.split('\n').map((line) => new Set(extractTerms(line)));
  const isRepeated = (sentence: string): boolean => {
    const words = splitPieces(sentence);
    const terms = extractTerms(sentence);
    return (
      isMostly(listRuns(words, Math.min(RUN, words.length)), runs) ||
      (terms.length >= RUN && lines.some((line) => isMostly(terms, line)))
    );
  };

  return all.flatMap((message) => {
    const text = keepSentences(message.text, (sentence) => !isRepeated(sentence));
    return text === '' ? [] : { ...message, text };
  });
}
