import { findGitPlace, listFormerNames } from '../base/git/place.ts';
import { embedText, quoteName, quoteText } from '../base/text/strings.ts';
import { HANDOVER_HEADINGS } from '../pad/our-headings.ts';
import { listItems } from '../transcript/record.ts';
import { readStoredSessions, type StoredSession, storeSession } from '../transcript/store.ts';
import { chooseMessages, removeSentencesOf } from './choose-messages.ts';
import {
  describeWork,
  findNamedSession,
  findReasonToGoOn,
  GOES_ON,
  hasSpecification,
  REPLIES,
} from './going-on.ts';
import { type Circumstances, nameFiles, openEndLine, renderStateLine } from './lines.ts';
import { listInheritedMessages } from './messages.ts';
import {
  findPreviousSessions,
  type HandoverOptions,
  hasWorked,
  listTakers,
  mayRun,
  type PreviousSessions,
} from './sessions.ts';
import { readWorkState } from './state.ts';
import { escapePattern, isAskingToCommit, isAskingToContinue } from './words.ts';
import {
  type HandoverLine,
  MOST_TOKENS,
  makeLines,
  renderMessageLines,
  renderOtherHeading,
  renderWorkLines,
  settleQuestion,
} from './work-lines.ts';

export type { PersonMessage } from './choose-messages.ts';
export {
  findPreviousSessions,
  type HandoverOptions,
  linkPlanTakers,
  mayRun,
  ownSession,
} from './sessions.ts';
export { buildWorkState, type CurrentWork, type WorkState } from './state.ts';
export { forgetMessages, type HandoverView, makeHandover, openHandover, renderHandover } from './view.ts';
export type { HandoverLine } from './work-lines.ts';

interface Handover {
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

  const found = before ?? (await findPreviousSessions(options, own));
  const all = isAskingToContinue(prompt) ? [...found.all, ...found.ofScripts] : found.all;
  const here = findGitPlace(options.cwd ?? root);
  const branch = here?.branch;
  const named = all.find((one) => one.branch !== branch && hasWorked(one) && hasBranchName(prompt, one));
  const branches = here === undefined ? [branch] : [branch, ...listFormerNames(here)];
  const spokenOf = findNamedSession(prompt, when === 'told' ? undefined : found.last, all, branches);
  const { missing } = named === undefined ? spokenOf : {};
  let last = named ?? (missing === undefined ? spokenOf.session : found.last);
  if (last === undefined || (when === 'switched' && last.branch !== branch)) return NOTHING;

  last = listTakers(last, all).findLast(hasWorked) ?? last;

  let title = last === found.last ? found.title : 'The last session here that the prompt names';
  if (named !== undefined) title = `The last session on ${quoteName(last.branch ?? '')}`;

  let state = await readWorkState(last, options.cwd ?? root);
  const isDoneElsewhere =
    named === undefined && !spokenOf.isNamed && last.branch !== branch && state.open.length === 0;
  // Who says to go on here does not mean what is finished on another branch.
  const ofBranch = isDoneElsewhere ? all.find((one) => one.branch === branch && hasWorked(one)) : undefined;
  if (ofBranch !== undefined && isAskingToContinue(prompt)) {
    last = ofBranch;
    title = `The last session on ${quoteName(branch ?? '')}`;
    state = await readWorkState(last, options.cwd ?? root);
  }

  if (state.branch !== undefined && branches.includes(state.branch)) state.branch = branch;
  const running = mayRun(last, now, root);
  const holder = listTakers(last, all).at(-1) ?? last;
  const messages = listInheritedMessages(holder, all);
  settleQuestion({ state, last, messages, sessions: all });
  const { showsGit } = options;
  const cwd = options.cwd ?? root;
  const about: Circumstances = { now, title, running, cwd, branch, showsGit, withWords: false };
  if (missing !== undefined) {
    const text = `No session here names ${quoteText(missing)}. ${renderStateLine(state, about) || embedText(title)}; \`scratchpad handover\` prints its messages`;
    return { ...NOTHING, lines: makeLines('handover:state', text, 'no session has what the prompt names') };
  }

  const reason = findReasonToGoOn(prompt, {
    ...describeWork(last, state, messages),
    isElsewhere: named === undefined && found.isElsewhere,
    isAside: state.branch !== undefined && state.branch !== branch && state.commits.length === 0,
  });

  if (reason === undefined) {
    const { endToldTo = session } = last;
    about.isWithinCall = last.record.pending.length > 0 && state.open.includes('stopped');
    const isSilent = running || when !== 'first' || hasSpecification(prompt) || endToldTo !== session;
    const lines = makeLines('handover:state', isSilent ? '' : openEndLine(state, about), 'it was left open');
    return {
      ...NOTHING,
      lines,
      said: () => lines.length > 0 && storeSession(root, { ...last, endToldTo: session }),
    };
  }

  const isFree = holder.takenBy === undefined || holder.takenBy === session;
  if (running || !isFree) {
    return { ...NOTHING, lines: makeLines('handover:state', renderStateLine(state, about), reason.name) };
  }

  about.callsSinceNote = await countCallsSinceNote(last, options);
  const work = { last, state, messages, sessions: [last, holder, ...all] };
  const isSure = reason === GOES_ON || reason === REPLIES;
  const lines = renderWorkLines(work, about, { prompt, why: reason.name, isSure });

  if (lines.length === 0) return NOTHING;
  return {
    lines,
    open: false,
    said: () => {
      if (session !== undefined) storeSession(root, { ...holder, takenBy: session });
    },
  };
}

/** The person's messages of the sessions whose plan a session has made its own. */
export function tellPlanMessages(own: StoredSession, root: string, now: number): HandoverLine[] {
  const sessions = readStoredSessions(root);
  const all = listInheritedMessages(own, sessions).filter(({ session }) => session !== own.session);
  const chosen = chooseMessages(all, MOST_TOKENS);
  return renderMessageLines(chosen, 'the plan here is of that', root, ({ session }) =>
    renderOtherHeading(session, sessions, now, own),
  );
}

const hasSpoken = ({ record }: StoredSession): boolean =>
  listItems(record).some(({ type }) => type === 'agent');

const hasBranchName = (prompt: string, { branch = '' }: StoredSession): boolean =>
  branch !== '' && new RegExp(`(?<![\\w/-])${escapePattern(branch)}(?![\\w/-])`).test(prompt);

/** How many calls of a session came after its last note; 0 where it noted nothing. */
async function countCallsSinceNote(last: StoredSession, options: HandoverOptions): Promise<number> {
  const notedAt = (await options.notedAt?.()) ?? 0;
  const began = Date.parse(last.record.began ?? '') || Number.POSITIVE_INFINITY;
  if (notedAt < began) return 0;

  return listItems(last.record).filter(
    (item) =>
      item.type === 'call' &&
      Date.parse(item.timestamp ?? '') > notedAt &&
      !/scratchpad/i.test(JSON.stringify(item)),
  ).length;
}

const LOST_HEADING = `${HANDOVER_HEADINGS.person} that the summary lacks`;
const LOST_TOKENS = 120;

/**
 * After a compaction: what the person wrote before it that still holds, and that its summary lacks; what earlier sessions
 * handed over, too. Nothing as long as the summary cannot be read.
 * @param ahead the summary, where the host passes it before its file has it
 */
export function tellLostMessages(
  own: StoredSession,
  root: string,
  now: number,
  ahead?: string,
): HandoverLine[] {
  const items = listItems(own.record);
  const at = items.findLastIndex((item) => item.type === 'compacted' && Boolean(item.summary));
  const compacted = ahead === undefined ? items[at] : ({ type: 'compacted', summary: ahead } as const);

  if (compacted?.type !== 'compacted') return [];

  const { summary = '', kept = '', keptFrom } = { kept: '', keptFrom: undefined, ...compacted };
  const first = items.findIndex(({ id }) => id === keptFrom);
  const inWindow = ahead === undefined ? items.slice(first === -1 ? at : Math.min(first, at)) : [];
  const since = new Set(inWindow.map(({ id }) => id));
  const sessions = readStoredSessions(root);
  const before = listInheritedMessages(own, sessions).filter(
    ({ id, session }) => session !== own.session || !since.has(id),
  );
  const lasting = before.map((message) => ({ ...message, text: message.lasting }));
  const chosen = chooseMessages(removeSentencesOf(lasting, `${summary}\n\n${kept}`), LOST_TOKENS);
  const { messages, left } = chosen;
  const heading = `${LOST_HEADING}${left === 0 ? '' : ` (${messages.length} of ${messages.length + left})`}`;

  // `scratchpad handover` shows what was before this session, and not what its summary lacks.
  const cwd = own.record.facts.cwd ?? root;
  return renderMessageLines({ ...chosen, left: 0 }, 'the summary does not hold it', cwd, ({ session }) =>
    session === own.session ? heading : renderOtherHeading(session, sessions, now, own),
  );
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
    ...makeLines('uncommitted:own', `Uncommitted, edited in this session: ${nameFiles(edited)}`, why),
    ...makeLines('uncommitted:last', `Uncommitted, left by the last session here: ${nameFiles(others)}`, why),
  ];
}
