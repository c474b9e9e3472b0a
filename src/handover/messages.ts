import { redactMessage, redactSecrets } from '../base/safety/index.ts';
import { splitSentences, splitWords } from '../base/text/prose.ts';
import { embedText, quoteText, shorten } from '../base/text/strings.ts';
import { extractTerms } from '../memory/terms.ts';
import { estimateLineTokens, estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { describePicked, findPicked, isPasted, ownWords } from '../transcript/pasted-text.ts';
import { type CallItem, type Item, listItems, listTurns } from '../transcript/record.ts';
import { getLastActivity, type StoredSession } from '../transcript/store.ts';
import { isCarriedOut, isMostly, isPassing, isSettledMessage } from './settled.ts';
import {
  isAnswering,
  isApproval,
  isBareAnswer,
  isForbidding,
  isOnlyContinuing,
  isPointing,
  isSingleOrder,
} from './words.ts';

export interface PersonMessage {
  /** The host's id, to leave it out with `forget`. */
  id: string;
  session: string;
  /** ISO 8601. */
  at?: string;
  text: string;
  /** A question, a refused call or a list of options that it answers. */
  to?: string;
  /** The host put it into a prompt: the title of a plan. */
  isPlan?: boolean;
  /** Only agrees, only asks to go on, was only pasted, or only asks what words have answered. */
  agrees: boolean;
}

type PersonItem = Item & { type: 'person' };

/** The part of each message, in tokens; the newest has half of the budget, and all more where room is left. */
const PART_TOKENS = 100;
const LEAST_TOKENS = 40;
/** Longest message that is repeated whole, in characters; a longer one is cut to sentences from both ends. */
const LONGEST = 700;
const LONGEST_CONTEXT = 160;
const LONGEST_CALL = 40;
const NEWEST = 3;

/**
 * The messages of a session, after those that it had taken over from the one before it.
 * @param all the sessions; a fork has copies of its parent's messages, and what one of them forgot is forgotten in both
 */
export function listInheritedMessages(
  stored: StoredSession,
  all: readonly StoredSession[],
  forgotten = listForgotten([stored, ...all]),
): PersonMessage[] {
  const others = all.filter((one) => one !== stored);
  const parents = others
    .filter(({ takenBy }) => takenBy === stored.session)
    .sort((a, b) => getLastActivity(a) - getLastActivity(b));
  const messages = parents.flatMap((parent) => listInheritedMessages(parent, others, forgotten));
  const turns = listTurns(stored.record);
  const items = turns.flat();
  const parent = parents.at(-1);
  // Its first message may answer what the session before it asked.
  let before = parent && listItems(parent.record).findLast(({ type }) => type === 'agent');
  let answered: PersonMessage[] = [];

  for (const turn of turns) {
    const { length } = messages;

    for (const item of turn) {
      if (item.type === 'agent') before = item;
      if (forgotten.has(makeItemKey(item))) continue;

      const place = { id: item.id, session: stored.session, at: item.timestamp };
      if (item.type === 'person') messages.push({ ...place, ...readWords(item, before, items) });
      if (item.type === 'plan') {
        const text = redactSecrets(getApprovedPlanTitle(item.text).slice(0, LONGEST_CONTEXT));
        messages.push({ ...place, text, isPlan: true, agrees: false });
      }
    }

    const news = messages.slice(length).filter(({ agrees }) => !agrees);

    // Who says something else is content with the answer.
    if (news.some(({ to }) => to === undefined)) {
      for (const message of answered) message.agrees ||= isSettledMessage(message, items);
      answered = [];
    }
    if (!endsInWords(turn)) continue;

    for (const message of news)
      if (message.isPlan !== true) message.agrees ||= isCarriedOut(message.text, turn);
    answered.push(...news.filter((one) => !one.isPlan && (one.to === undefined || isRefusal(one))));
  }

  return messages;
}

const REFUSING = 'refusing ';

export const isRefusal = ({ to = '' }: PersonMessage): boolean => to.startsWith(REFUSING);

const endsInWords = (turn: readonly Item[] = []): boolean =>
  turn.findLast(({ type }) => type !== 'did' && type !== 'compacted')?.type === 'agent';

/** What was said and done since the last turn that ended with words of the agent, before the last one. */
export function listUnfinishedItems({ record }: Pick<StoredSession, 'record'>): Item[] {
  const turns = listTurns(record);
  const from = turns.findLastIndex((turn, at) => at < turns.length - 1 && endsInWords(turn));
  return turns.slice(from + 1).flat();
}

const isQuestion = ({ text, to }: PersonMessage): boolean =>
  to === undefined && splitSentences(text).every(isPassing);

const listForgotten = (all: readonly StoredSession[]): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ record, forgotten }) =>
      listItems(record).flatMap((item) => (forgotten.includes(item.id) ? makeItemKey(item) : [])),
    ),
  );

/** Ids are unique in their session only. */
const makeItemKey = (item: Item): string => JSON.stringify([item.id, 'text' in item && item.text]);

const LEAST_WORDS = 4;

/** Puts what a person wrote behind the last line of a paste on a line of its own. */
function separateEnd(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const sentences = splitSentences(line);
  const end = sentences.at(-1) ?? '';
  const isOwn = splitWords(end).length >= LEAST_WORDS && sentences.length > 1 && !isPasted(end);
  return isOwn && isPasted(line) && line !== text ? `${text.slice(0, -end.length)}\n${end}` : text;
}

function readWords(item: PersonItem, before: Item | undefined, items: readonly Item[]) {
  const text = separateEnd(item.text.trimEnd());
  const to = findContext(item, before, items);
  const own = item.answers === undefined ? ownWords(text).trim() : text;
  const saysNothing = isApproval(text) || isBareAnswer(text) || isOnlyContinuing(own) || isPointing(own);
  const agrees = to === undefined && (own === '' || saysNothing);
  const longestTokens = (estimateTokens(text) * LONGEST) / text.length;
  const short = text.length <= LONGEST ? text : shortenMessage(text, longestTokens);
  return { text: redactMessage(short), to: to && redactSecrets(to), agrees };
}

export const getApprovedPlanTitle = (plan: string): string =>
  (/^#{1,3} +(.+)$/m.exec(plan)?.[1] ?? plan.split('\n', 1)[0] ?? '').replace(/^Plan: */i, '').trim();

/** What a message answers, where it does not say it itself. */
function findContext(item: PersonItem, before: Item | undefined, items: readonly Item[]): string | undefined {
  if (item.answers !== undefined)
    return item.answers.map(({ question }) => embedText(question.slice(0, LONGEST_CONTEXT))).join(' / ');

  if (item.voice === 'rejection') {
    const isIt = (one: Item): one is CallItem => one.type === 'did' && one.id.startsWith(`${item.call}:`);
    const refused = items.find(isIt)?.facts.refused;
    return refused && `${REFUSING}${shorten(embedText(refused), LONGEST_CALL)}`;
  }

  if (before?.type !== 'agent') return undefined;

  const options = findPicked(item.text, before.text).map((one) => ({
    ...one,
    text: one.text.slice(0, LONGEST_CONTEXT),
  }));

  if (options.length > 0) return `option ${embedText(describePicked(options))}`;

  const asked = splitSentences(before.text).at(-1) ?? '';
  const isShort = isPointing(item.text) || isAnswering(item.text, asked);
  const isAnswer = isShort && /[?？]\W*$/.test(asked) && !isPointing(asked);

  return isAnswer ? `answering ${quoteText(shorten(asked, LONGEST_CONTEXT))}` : undefined;
}

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

/** One message of so many characters is told whole in any script: where each is a token, 700 take more than the budget. */
const CHARACTERS_PER_TOKEN = 1.4;

/**
 * The messages that matter most, oldest first, within a budget, and how many others there are: those of the session that
 * began the work, and the last three, after those that are preferred. One that is longer than its room is shortened.
 */
export function chooseMessages(
  all: readonly PersonMessage[],
  budgetTokens: number,
  preferred: readonly PersonMessage[] = [],
): { messages: PersonMessage[]; left: number } {
  const candidates = filterMessages(all);
  const [first] = candidates;
  const [newest, ...others] = candidates.slice(-NEWEST).reverse();
  const requests = candidates.filter((message) => !isQuestion(message));
  const bans = candidates.filter(({ text }) => splitWords(text).slice(0, 2).some(isForbidding));
  const chosen = new Map<PersonMessage, PersonMessage>();
  let left = budgetTokens;
  const put = (message: PersonMessage, part: PersonMessage | undefined): void => {
    const before = chosen.get(message);
    if (part === undefined) return;
    chosen.set(message, part);
    left -= countMessageTokens(part) - (before === undefined ? 0 : countMessageTokens(before));
  };

  for (const message of new Set([
    ...preferred,
    newest,
    first,
    ...bans,
    ...others,
    ...requests,
    ...candidates,
  ]))
    if (message !== undefined)
      put(message, fitMessage(message, Math.min(left, message === newest ? budgetTokens / 2 : PART_TOKENS)));
  for (const [message, part] of chosen) {
    const isUsual = chosen.size === 1 && message.text.length <= budgetTokens * CHARACTERS_PER_TOKEN;
    if (isUsual || countMessageTokens(message) <= left + countMessageTokens(part)) put(message, message);
  }

  return {
    messages: candidates.flatMap((message) => chosen.get(message) ?? []),
    left: candidates.length - chosen.size,
  };
}

/** The message in so much room; nothing where too little would be left. */
function fitMessage(message: PersonMessage, room: number): PersonMessage | undefined {
  if (countMessageTokens(message) <= room) return message;
  if (room < LEAST_TOKENS) return undefined;

  return {
    ...message,
    text: shortenMessage(message.text, room - countMessageTokens({ ...message, text: '' })),
  };
}

const shortenMessage = (text: string, tokens: number): string =>
  fitSentences(splitSentences(removePastes(text)), tokens).join('\n');

/** As many sentences from both ends as fit: what matters stands first or last. */
export function fitSentences(sentences: readonly string[], tokens: number): string[] {
  if (estimateTokens(sentences.join(' ')) <= tokens) return [...sentences];

  const last = sentences.at(-1) ?? '';
  const head = truncateToTokens(last, tokens / 2 - 1);
  let fitted = last === head ? [last] : [`${head}…`, `…${last.slice(-head.length / 2).toWellFormed()}`];
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
  const texts = messages.map(({ text }) => normalizeWords(text.replace(/\[Image[^\]\n]{0,20}\]/gi, ' ')));
  return messages.filter((message, at) => {
    const { to, text } = message;
    const words = texts[at] ?? '';
    if (to !== undefined) return true;
    if (words.trim() === '' || texts.some((other, i) => i > at && other.includes(words))) return false;
    return at === messages.length - 1 || !isSingleOrder(text);
  });
}

const normalizeWords = (text: string): string => ` ${splitWords(text).join(' ')} `;

const countMessageTokens = (message: PersonMessage): number => estimateLineTokens(renderMessage(message));

export function renderMessage({ text, to, isPlan }: PersonMessage): string {
  if (isPlan === true) return `[a plan to implement: ${embedText(text)}]`;
  return to === undefined ? quoteText(text) : `(${to}) ${quoteText(text)}`;
}

/** Words that follow each other, by which a sentence is found in another text. */
const RUN = 3;
const BELONGS =
  /(?:[:：]\W{0,40}|^\W*\w{1,2}[.)])\n(?!\[…\])|\n(?:also|then|so|but|and|or|this|that|these|those|it|they)\b/i;

/** Each letter of a script without blanks counts as a word. */
const splitPieces = (text: string): string[] =>
  splitWords(text).flatMap(
    (word) => word.match(/[\u0e00-\u0e7f\u3040-\u9fff]|[^\u0e00-\u0e7f\u3040-\u9fff]+/g) ?? [],
  );

const listRuns = (words: readonly string[], length: number): string[] =>
  words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' '));

/**
 * Messages without the sentences that a text holds, nearly word for word or told in one line of it.
 * @param readOver for a message: whether a sentence of it is not needed any more
 */
export function removeHeld(
  all: readonly PersonMessage[],
  held: string,
  readOver: (message: PersonMessage) => (sentence: string) => boolean = () => () => false,
): PersonMessage[] {
  const heldWords = splitPieces(held);
  const runs = new Set([1, 2, RUN].flatMap((length) => listRuns(heldWords, length)));
  const lines = held.split('\n').map((line) => new Set(extractTerms(line)));
  const isHeld = (sentence: string): boolean => {
    const words = splitPieces(sentence);
    const terms = extractTerms(sentence);
    return (
      sentence.startsWith('[…') ||
      isMostly(listRuns(words, Math.min(RUN, words.length)), runs) ||
      (terms.length >= RUN && lines.some((line) => isMostly(terms, line)))
    );
  };

  return all.flatMap((message) => {
    const isOver = readOver(message);
    const sentences = splitSentences(removePastes(message.text));
    const lacking = sentences.map((one) => (isHeld(one) || isOver(one) ? '[…]' : one));
    if (lacking.every((part) => part === '[…]')) return [];
    if (!lacking.includes('[…]')) return message;
    // What leads to a list, and what words point back to, stays with these; each line has one sentence.
    for (const at of [...lacking.keys()].reverse())
      if (BELONGS.test(`${sentences[at]}\n${lacking[at + 1] ?? '[…]'}`)) lacking[at] = sentences[at] ?? '';
    const parts = lacking.filter((part, at) => part !== '[…]' || lacking[at - 1] !== part);
    return { ...message, text: parts.join(' ') };
  });
}
