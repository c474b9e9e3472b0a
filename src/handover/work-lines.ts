import { listCommits } from '../base/git/now.ts';
import { findGitPlace } from '../base/git/place.ts';
import { embedText, formatCount, quoteText } from '../base/text/strings.ts';
import { HANDOVER_HEADINGS } from '../pad/our-headings.ts';
import { describePicked, findPicked } from '../transcript/pasted-text.ts';
import { listItems } from '../transcript/record.ts';
import { getLastActivity, type StoredSession } from '../transcript/store.ts';
import { chooseAgentMessages } from './agent-messages.ts';
import type { PersonMessage } from './choose-messages.ts';
import { chooseMessages, listLastingMessages, removeSentencesOf, renderMessage } from './choose-messages.ts';
import { type Circumstances, formatAgo, renderStateLine } from './lines.ts';
import { findLastAgentItem, listUnfinishedItems } from './messages.ts';
import { extractQuestion } from './question.ts';
import { isUnfinished, type WorkState } from './state.ts';
import { isAnswering } from './words.ts';

export interface HandoverLine {
  /** The same for the same fact, so that it is said once. */
  key: string;
  text: string;
  why: string;
  heading?: string;
}

interface LeftWork {
  last: StoredSession;
  state: WorkState;
  messages: readonly PersonMessage[];
  /** All sessions whose messages these may be. */
  sessions: readonly StoredSession[];
}

/** Asks what was asked before a session that only went on with the work, and not what was answered since. */
export function settleQuestion({ state, last, messages, sessions }: LeftWork): void {
  const hasSpoken = listItems(last.record).some(({ type }) => type === 'agent');
  const before = hasSpoken ? undefined : findLastAgentItem(last, sessions);
  if (before?.type === 'agent') state.question ??= extractQuestion(before.text);
  const { question } = state;
  const since = messages.slice(messages.findLastIndex((one) => one.session === last.session) + 1);
  if (question === undefined || !since.some(({ text }) => isAnswering(text, question))) return;
  state.question = undefined;
  state.open = state.open.filter((because) => because !== 'question');
}

export const makeLines = (key: string, text: string, why: string, heading?: string): HandoverLine[] =>
  text === '' ? [] : [{ key, text, why, heading }];

export const makeMessageKey = ({ session, id }: Pick<PersonMessage, 'session' | 'id'>): string =>
  `said:${session}:${id}`;

/** Tokens for the person's messages; fewer if the work has ended and the prompt does not say to go on with all of it. */
export const MOST_TOKENS = 500;
const FEW_TOKENS = 120;

/**
 * What a session is told that goes on with work: a line of state, the person's messages and the agent's own last ones. Of
 * work that has ended, or of very many messages, only the newest is told whole, and what still holds of the others; without
 * `isSure` only rules, and the newest if the agent asked something.
 */
export function renderWorkLines(
  work: LeftWork,
  about: Circumstances,
  { prompt = '', why = '', isSure = true } = {},
): HandoverLine[] {
  const { last, messages, sessions, state } = work;
  const unfinished = isUnfinished(state) ? new Set(listUnfinishedItems(last).map(({ id }) => id)) : undefined;
  const isShort = unfinished === undefined && !isSure;
  const isWhole = unfinished !== undefined && chooseMessages(messages, MOST_TOKENS).left === 0;
  const newest = messages.findLast(({ agrees }) => !agrees);
  const isOpen = !isShort || state.question !== undefined;
  const all = isWhole ? messages : listLastingMessages(messages, isOpen ? newest : undefined, isShort);
  const lacking = new Set(removeSentencesOf(all, prompt).map(({ id }) => id));
  const chosen = chooseMessages(
    all.filter(({ id }) => lacking.has(id)),
    isShort ? FEW_TOKENS : MOST_TOKENS,
  );
  if (unfinished === undefined) chosen.left = 0;
  const hasBegun = [state.edited, state.commits, state.tasks].some(({ length }) => length > 0);
  const isRepeated = newest !== undefined && isOpen && !lacking.has(newest.id);
  const withWords = isShort || isRepeated || chosen.messages.length > 0;
  // Who gives an order again knows that nothing came of it.
  const line = isRepeated && !hasBegun ? '' : renderStateLine(state, { ...about, withWords });
  const isAnswered = unfinished === undefined && state.question === undefined;
  const isEarlier = ({ session, id }: PersonMessage): boolean =>
    session === last.session && unfinished?.has(id) === false;
  const hasEarlier = chosen.messages.some(isEarlier);
  const makeHeading = (message: PersonMessage): string => {
    if (message.session !== last.session)
      return renderOtherHeading(message.session, sessions, about.now, last);
    if (hasEarlier && !isEarlier(message)) return HANDOVER_HEADINGS.since;

    const age = formatAgo(getLastActivity(last), about.now);
    const isOwn = chosen.messages[0]?.session === last.session;
    const place = isOwn && line !== '' ? 'there' : `in ${about.title.replace('The', 'the')}${age}`;

    return `${HANDOVER_HEADINGS.person} ${place} (${isAnswered ? 'answered; ' : ''}the prompt overrides them)`;
  };

  return [
    ...makeLines('handover:state', line, why),
    ...renderMessageLines(chosen, 'said in the work that goes on', about.cwd, makeHeading),
    ...renderAgentLines(work, prompt, why),
  ];
}

export function renderOtherHeading(
  id: string,
  all: readonly StoredSession[],
  now: number,
  last: StoredSession,
): string {
  const at = getLastActivity(all.find(({ session }) => session === id) ?? last);
  const which = at > getLastActivity(last) ? 'a later' : 'an earlier';
  return `${HANDOVER_HEADINGS.person} in ${which} session of this work${formatAgo(at, now)}`;
}

export function renderMessageLines(
  { messages, left }: ReturnType<typeof chooseMessages>,
  why: string,
  cwd: string,
  makeHeading: (message: PersonMessage) => string,
): HandoverLine[] {
  const here = findGitPlace(cwd);
  const commits = here === undefined ? [] : listCommits(here).filter((commit) => commit.here);
  const lines = messages.flatMap((message) => {
    // "Don't commit yet" may be over since.
    const since = commits.filter(({ at }) => at > Date.parse(message.at ?? '')).length;
    const text = `${renderMessage(message)}${since === 0 ? '' : ` (${formatCount(since, 'commit')} since)`}`;
    return makeLines(makeMessageKey(message), text, why, makeHeading(message));
  });
  const more = left > 0 && lines.length > 0 ? `${left} more: \`scratchpad handover\`` : '';

  return [...lines, ...makeLines('said:more', more, 'the budget holds no more', lines.at(-1)?.heading)];
}

function renderAgentLines({ last, state }: LeftWork, prompt: string, why: string): HandoverLine[] {
  const { lastWords = '', question } = state;
  // A question is told whole, with its list, in place of a part of the message.
  const messages = question === undefined ? chooseAgentMessages(last, isUnfinished(state)) : [];
  const asked = question === undefined ? '' : `It asked: ${quoteText(question)}`;
  // "1. I like option 3" answers a numbered question: its options stand somewhere else.
  const picked = /^\s*\d{1,2}[.)]\s/.test(prompt) ? [] : findPicked(prompt, lastWords);
  const isTold = picked.every(({ text }) => question?.includes(text));
  const headings = [...new Set(picked.map(({ heading }) => heading))];
  const named = headings.includes('') ? '' : ` ${headings.map(quoteText).join(' or ')}`;
  const item = isTold ? '' : `Of its last list${named}, item ${embedText(describePicked(picked))}`;

  return [
    ...messages.flatMap(({ id, text }) =>
      makeLines(`agent:${id}`, quoteText(text), why, HANDOVER_HEADINGS.agent),
    ),
    ...makeLines('handover:question', asked, why),
    ...makeLines('handover:picked', item, 'the prompt names an item of its last list'),
  ];
}
