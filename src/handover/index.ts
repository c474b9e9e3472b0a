import { findGitPlace, formerNames } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { formatCount, quoteText } from '../base/text/strings.ts';
import { describePicked, findPicked } from '../transcript/pasted-text.ts';
import { listItems } from '../transcript/record.ts';
import {
  getLastActivity,
  readStoredSessions,
  type StoredSession,
  storeSession,
} from '../transcript/store.ts';
import { chooseAgentMessages } from './agent-messages.ts';
import { describeWork, findReasonToGoOn, hasSpecification } from './going-on.ts';
import { type Circumstances, formatRoundAge, nameFiles, openEndLine, renderStateLine } from './lines.ts';
import {
  chooseMessages,
  isAnswered,
  listInheritedMessages,
  renderMessage,
  WORDS_TOKENS,
} from './messages.ts';
import {
  findHolder,
  findPreviousSessions,
  type HandoverOptions,
  hasWorked,
  mayRun,
  type PreviousSessions,
} from './sessions.ts';
import { extractQuestion, isCutOff, readWorkState, type WorkState } from './state.ts';
import { escapePattern, isAskingToCommit, isAskingToContinue } from './words.ts';

export type { PersonMessage } from './messages.ts';
export { listMessages, renderMessage } from './messages.ts';
export { findPreviousSessions, type HandoverOptions, mayRun, ownSession } from './sessions.ts';
export {
  buildWorkState,
  type CurrentWork,
  type OpenBecause,
  readWorkState,
  renderTaskPlan,
  type WorkState,
} from './state.ts';
export {
  forgetMessages,
  type HandoverView,
  makeHandover,
  openHandover,
  renderHandover,
} from './view.ts';

export interface HandoverLine {
  /** The same for the same fact, so that it is said once. */
  key: string;
  text: string;
  why: string;
  heading?: string;
}

export interface Handover {
  lines: HandoverLine[];
  /** To be called once the lines have been said: the messages are given to the first session that goes on. */
  said(): void;
  /** Whether a later prompt may still be told more: the person's words were not. */
  open: boolean;
}

/**
 * The first prompt of a session, one later in it, one after it has switched to another branch, or one after the words of
 * this branch were told.
 */
export type HandoverMoment = 'first' | 'later' | 'switched' | 'told';

const NOTHING: Handover = { lines: [], said: () => undefined, open: true };

const makeLines = (key: string, text: string, why: string, heading?: string): HandoverLine[] =>
  text === '' ? [] : [{ key, text, why, heading }];

/**
 * For the first prompt of a session: if it goes on with the work of the last one, a line of state, the person's messages
 * and the agent's own last ones; if not, an error that cut that session off, or its open question. Later only for a
 * prompt that asks to go on, in a session that has not worked yet or not on this branch.
 * @param own the session that begins
 * @param before the sessions before it; not read again then
 */
export async function tellLastSession(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  moment: HandoverMoment,
  before?: PreviousSessions,
): Promise<Handover> {
  const { root, now, session } = options;
  // A prompt after a command of the host answers what the agent said to that.
  const isReply = moment === 'first' && own !== undefined && hasSpoken(own);
  const when = isReply ? 'later' : moment;

  if (when === 'later' && own !== undefined && hasWorked(own)) return { ...NOTHING, open: false };
  if (when !== 'first' && !isAskingToContinue(prompt)) return NOTHING;

  const { all, ...found } = before ?? (await findPreviousSessions(options, own));
  const here = findGitPlace(options.cwd ?? root);
  const branch = here?.branch;
  const named = all.find((one) => one.branch !== branch && hasWorked(one) && hasBranchName(prompt, one));
  const last = named ?? (when === 'told' ? undefined : found.last);
  const title = named === undefined ? found.title : `The last session on ${named.branch}`;

  if (last === undefined || (when === 'switched' && last.branch !== branch)) return NOTHING;

  const state = await readWorkState(last, options.cwd ?? root);
  if (here && state.branch !== undefined && formerNames(here).includes(state.branch)) state.branch = branch;
  const running = mayRun(last, now);
  const holder = findHolder(last, all);
  const messages = listInheritedMessages(holder, all);
  const { showsGit } = options;
  const about: Circumstances = { now, title, running, branch, showsGit, withWords: false };
  const reason = findReasonToGoOn(prompt, {
    ...describeWork(last, state, messages),
    isElsewhere: named === undefined && found.isElsewhere,
  });

  if (reason === undefined) {
    const text = running || when !== 'first' || hasSpecification(prompt) ? '' : openEndLine(state, about);
    return { ...NOTHING, lines: makeLines('handover:state', text, 'it was left open') };
  }

  const isFree = holder.takenBy === undefined || holder.takenBy === session;
  if (running || !isFree) {
    return { ...NOTHING, lines: makeLines('handover:state', renderStateLine(state, about), reason) };
  }

  const words = renderSessionLines(last, messages, [last, holder, ...all], options, { prompt, title });
  about.withWords = words.length > 0;
  about.callsSinceNote = await countCallsSinceNote(last, options);

  return {
    lines: [
      ...makeLines('handover:state', renderStateLine(state, about), reason),
      ...words,
      ...renderAgentLines(last, state, prompt, reason),
    ],
    open: false,
    said: () => {
      if (session !== undefined) storeSession(root, { ...holder, takenBy: session });
    },
  };
}

const hasSpoken = ({ record }: StoredSession): boolean =>
  listItems(record).some(({ type }) => type === 'agent');

const hasBranchName = (prompt: string, { branch = '' }: StoredSession): boolean =>
  branch !== '' && new RegExp(`(?<![\\w/-])${escapePattern(branch)}(?![\\w/-])`).test(prompt);

/** The person's messages, each below the session in which they said it, with the age of that session. */
function renderSessionLines(
  last: StoredSession,
  all: ReturnType<typeof listInheritedMessages>,
  sessions: readonly StoredSession[],
  { now }: HandoverOptions,
  { prompt, title }: { prompt: string; title: string },
): HandoverLine[] {
  const { messages, left } = chooseMessages(all, WORDS_TOKENS, [prompt]);
  const makeHeading = (id: string): string => {
    const session = sessions.find((one) => one.session === id);
    const age =
      session === undefined ? 'before' : `from ${formatRoundAge(now - getLastActivity(session))} ago`;
    if (id === last.session)
      return `The person's messages in ${title.replace('The', 'the')}, word for word (${age}; where the prompt disagrees, follow the prompt)`;

    const isLater = session !== undefined && getLastActivity(session) > getLastActivity(last);

    return `The person's messages in ${isLater ? 'a later' : 'an earlier'} session of this work, word for word (${age})`;
  };

  const why = 'said in the work that goes on';
  const lines = messages.flatMap((message) =>
    makeLines(`said:${message.id}`, renderMessage(message), why, makeHeading(message.session)),
  );

  return [...lines, ...renderMoreLine(left, lines)];
}

function renderMoreLine(left: number, lines: readonly HandoverLine[]): HandoverLine[] {
  const heading = lines.at(-1)?.heading;
  if (left === 0 || lines.length === 0) return [];
  const more = `${formatCount(left, 'more message')}; \`scratchpad handover\` ${left === 1 ? 'prints it' : 'prints them'}`;
  return makeLines('said:more', more, 'the budget holds no more', heading);
}

const AGENT_HEADING = "The agent's own last messages there, unchecked";

function renderAgentLines(
  last: StoredSession,
  state: WorkState,
  prompt: string,
  why: string,
): HandoverLine[] {
  const { lastWords = '', question } = state;
  const messages = chooseAgentMessages(last, isCutOff(state));
  const lines = messages.flatMap(({ id, text }) =>
    makeLines(`agent:${id}`, quoteText(text), why, AGENT_HEADING),
  );
  const isQuoted = messages.length > 0 && question === extractQuestion(lastWords);
  const asked = question === undefined || isQuoted ? '' : redactSecrets(`It asked: ${quoteText(question)}`);
  const picked = findPicked(prompt, lastWords);
  const item = picked.length === 0 ? '' : redactSecrets(`Of its last list, item ${describePicked(picked)}`);

  return [
    ...lines,
    ...makeLines('handover:question', asked, why),
    ...makeLines('handover:picked', item, 'the prompt names an item of its last list'),
  ];
}

const isOurs = (call: object): boolean => /scratchpad/i.test(JSON.stringify(call));

/** How many calls of a session came after its last note; 0 where it noted nothing. */
async function countCallsSinceNote(last: StoredSession, options: HandoverOptions): Promise<number> {
  const notedAt = (await options.notedAt?.()) ?? 0;
  const began = Date.parse(last.record.began ?? '') || Number.POSITIVE_INFINITY;
  if (notedAt < began) return 0;

  return listItems(last.record).filter(
    (item) => item.type === 'call' && Date.parse(item.timestamp ?? '') > notedAt && !isOurs(item),
  ).length;
}

const LOST_HEADING = "The person's messages that the summary does not hold, word for word";

/**
 * After a compaction: the person's messages before it that its summary lacks. Nothing as long as the summary cannot be
 * read.
 */
export function tellAfterCompaction(own: StoredSession, root: string): HandoverLine[] {
  const items = listItems(own.record);
  const at = items.findLastIndex((item) => item.type === 'compacted' && Boolean(item.summary));
  const compacted = items[at];

  if (compacted?.type !== 'compacted') return [];

  return tellLostMessages(own, root, compacted.summary ?? '', new Set(items.slice(at).map(({ id }) => id)));
}

/** The person's messages that `text` lacks, besides those of `since`. */
export function tellLostMessages(
  own: StoredSession,
  root: string,
  text: string,
  since: ReadonlySet<string> = new Set(),
): HandoverLine[] {
  const all = listInheritedMessages(own, readStoredSessions(root)).filter(
    (message) => !since.has(message.id) && !isAnswered(message),
  );
  const { messages, left } = chooseMessages(all, WORDS_TOKENS, [text]);
  const lines = messages.flatMap((message) =>
    makeLines(`said:${message.id}`, renderMessage(message), 'the summary does not hold it', LOST_HEADING),
  );

  return [...lines, ...renderMoreLine(left, lines)];
}

export async function renderUncommittedLines(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  before: PreviousSessions | undefined,
): Promise<HandoverLine[]> {
  if (own === undefined || !isAskingToCommit(prompt)) return [];

  const cwd = options.cwd ?? options.root;
  const edited = (await readWorkState(own, cwd)).uncommitted ?? [];
  if (edited.length === 0) return [];

  const { last } = before ?? (await findPreviousSessions(options, own));
  const left = last === undefined ? [] : ((await readWorkState(last, cwd)).uncommitted ?? []);
  const others = left.filter((path) => !edited.includes(path));

  if (others.length === 0) return [];

  const why = 'the prompt asks for a commit';

  return [
    { key: 'uncommitted:own', text: `Uncommitted, edited in this session: ${nameFiles(edited)}`, why },
    {
      key: 'uncommitted:last',
      text: `Uncommitted, left by the last session here: ${nameFiles(others)}`,
      why,
    },
  ];
}
