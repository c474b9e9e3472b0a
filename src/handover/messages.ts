import { redactMessage } from '../base/safety/index.ts';
import { splitSentences, splitWords } from '../base/text/prose.ts';
import { embedText, quoteText, shorten } from '../base/text/strings.ts';
import { estimateTokens } from '../pad/tokens.ts';
import { isOfOtherChat } from '../session/actor.ts';
import { describePicked, findPicked, isPasted, ownWords } from '../transcript/pasted-text.ts';
import { type CallItem, type Item, isPrompt, listItems, listTurns } from '../transcript/record.ts';
import { getLastActivity, type StoredSession } from '../transcript/store.ts';
import { keepSentences, LONGEST_MESSAGE, type PersonMessage, shortenMessage } from './choose-messages.ts';
import { isMostly, isOnlyPointing, listAnswer, readLasting } from './lasting.ts';
import {
  isAgreeing,
  isAnswering,
  isApproval,
  isBareAnswer,
  isElliptical,
  isGeneralRule,
  isOnlyContinuing,
  isPointing,
  isStanding,
} from './words.ts';

type PersonItem = Item & { type: 'person' };

const LONGEST_CONTEXT = 160;
const LONGEST_CALL = 40;

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
  const messages = listParents(stored, others).flatMap((parent) =>
    listInheritedMessages(parent, others, forgotten),
  );
  const turns = listTurns(stored.record);
  const items = turns.flat();
  const own: { message: PersonMessage; turn: number }[] = [];
  // The first message may answer what the session before it asked.
  let before = findLastAgentItem(stored, others);

  for (const [turn, turnItems] of turns.entries())
    for (const item of turnItems) {
      if (item.type === 'agent') before = item;
      if ((item.type !== 'person' && item.type !== 'plan') || forgotten.has(makeItemKey(item))) continue;

      const place = { id: item.id, session: stored.session, at: item.timestamp };
      const message =
        item.type === 'plan'
          ? { ...place, ...readPlan(item.text) }
          : { ...place, doubt: item.doubt, ...readWords(item, before, items, messages) };
      const last = own.at(-1);
      // Who interrupts the agent because of a slip says the rest again.
      if (last && turns[last.turn]?.at(-1)?.type === 'interrupted' && isSaidAgain(last.message, message))
        last.message.agrees = true;
      own.push({ message, turn });
      messages.push(message);
    }

  const newest = own.findLast(({ message }) => !message.agrees)?.turn ?? 0;
  const answered = turns.findLastIndex(endsInWords);
  for (const { message, turn } of own) settle(message, items, turn <= answered, turn < newest);
  // What was left open before is answered by the work that went on with it.
  const lasts = readLasting(answered === -1 ? [] : items.filter((item) => !isPrompt(item)), true);
  for (const message of messages)
    if (message.session !== stored.session) message.lasting = keepSentences(message.lasting, lasts);

  return messages;
}

/** The sessions whose messages a session took over, oldest first. */
const listParents = (stored: StoredSession, others: readonly StoredSession[]): StoredSession[] =>
  others
    .filter(({ session, takenBy }) => takenBy === stored.session && !isOfOtherChat(session, takenBy))
    .sort((a, b) => getLastActivity(a) - getLastActivity(b));

/** What the agent said last before a session: in the newest of those before it in which it spoke. */
export function findLastAgentItem(stored: StoredSession, all: readonly StoredSession[]): Item | undefined {
  const others = all.filter((one) => one !== stored);
  for (const parent of listParents(stored, others).reverse()) {
    const spoken = listItems(parent.record).findLast(({ type }) => type === 'agent');
    const found = spoken ?? findLastAgentItem(parent, others);
    if (found !== undefined) return found;
  }

  return undefined;
}

/**
 * Marks what of a message is over.
 * @param isBehind whether the person has said something else since
 */
function settle(
  message: PersonMessage,
  items: readonly Item[],
  isAnswered: boolean,
  isBehind: boolean,
): void {
  const answer = listAnswer(items, message.id);
  const lasts = readLasting(answer, true);

  if (message.to?.startsWith(REFUSING) === true) {
    // It is of one call, and over once the agent has taken another way; only a rule in it holds.
    if (items.findLastIndex(({ type }) => type === 'agent') < items.findIndex(({ id }) => id === message.id))
      return;
    delete message.to;
    message.lasting = keepSentences(message.text, (one) => isGeneralRule(one) && lasts(one));
    message.text = message.lasting;
    message.agrees = message.text === '';
  } else if (isAnswered && message.isPlan === true) message.lasting = '';
  else if (isAnswered && message.to !== undefined)
    message.lasting = keepSentences(message.text, (one) => !isAgreeing(one) || isStanding(one));
  else if (isAnswered) {
    message.lasting = keepSentences(message.text, lasts);
    message.agrees ||= isBehind && keepSentences(message.text, readLasting(answer, false)) === '';
  }
}

const REFUSING = 'refusing ';

const endsInWords = (turn: readonly Item[]): boolean =>
  turn.findLast(({ type }) => type !== 'did' && type !== 'compacted')?.type === 'agent';

const isSaidAgain = (message: PersonMessage, next: PersonMessage): boolean => {
  const [words, nextWords] = [splitWords(message.text), splitWords(next.text)];
  return isMostly(words, new Set(nextWords)) && isMostly(nextWords, new Set(words));
};

/** What was said and done since the last turn that ended with words of the agent, before the last one. */
export function listUnfinishedItems({ record }: Pick<StoredSession, 'record'>): Item[] {
  const turns = listTurns(record);
  const from = turns.findLastIndex((turn, at) => at < turns.length - 1 && endsInWords(turn));
  return turns.slice(from + 1).flat();
}

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

type Words = Pick<PersonMessage, 'text' | 'to' | 'agrees' | 'lasting' | 'isPlan'>;

function readWords(
  item: PersonItem,
  before: Item | undefined,
  items: readonly Item[],
  earlier: readonly PersonMessage[],
): Words {
  const full = separateEnd(item.text.trimEnd());
  const to = findContext(item, before, items);
  const own = item.answers === undefined ? ownWords(full).trim() : full;
  const known = earlier.map((message) => message.text.toLowerCase()).join('\n');
  const saysNothing =
    isApproval(full) || isBareAnswer(full) || isOnlyContinuing(own, known) || isOnlyPointing(own);
  const longestTokens = (estimateTokens(full) * LONGEST_MESSAGE) / full.length;
  const text = redactMessage(full.length <= LONGEST_MESSAGE ? full : shortenMessage(full, longestTokens));

  const agrees = to === undefined && (own === '' || saysNothing);
  return { text, lasting: text, agrees, ...(to !== undefined && { to }) };
}

function readPlan(plan: string): Words {
  const text = getApprovedPlanTitle(plan).slice(0, LONGEST_CONTEXT);
  return { text, isPlan: true, agrees: false, lasting: text };
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

  const asked =
    splitSentences(before.text)
      .slice(-2)
      .findLast((one) => /[?？]\W*$/.test(one)) ?? '';
  const isShort = isPointing(item.text) || isAnswering(item.text, asked) || isElliptical(item.text);

  return isShort && asked !== '' && !isPointing(asked)
    ? `answering ${quoteText(shorten(asked, LONGEST_CONTEXT))}`
    : undefined;
}
