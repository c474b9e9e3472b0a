import { gitPlace } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { counted, quoteText } from '../base/text/strings.ts';
import { pickedIn, spellPicked } from '../transcript/hearing.ts';
import { itemsOf } from '../transcript/record.ts';
import { lastActive, type StoredSession, storedSessions, storeSession } from '../transcript/store.ts';
import { agentMessages } from './agent-messages.ts';
import { bringsSpecification, reasonToGoOn, workOf } from './going-on.ts';
import { type Circumstances, nameFiles, openEndLine, spellAge, stateLine } from './lines.ts';
import { chooseMessages, lineOf, messagesWith, WORDS_TOKENS } from './messages.ts';
import {
  type Before,
  type HandoverOptions,
  hasWorked,
  holderOf,
  LAST,
  mayRun,
  sessionsBefore,
} from './sessions.ts';
import { isCutOff, questionIn, type WorkState, workState } from './state.ts';
import { asksToCommit, asksToContinue } from './words.ts';

export type { PersonMessage } from './messages.ts';
export { lineOf, messagesOf } from './messages.ts';
export { type HandoverOptions, mayRun, ownSession, sessionsBefore } from './sessions.ts';
export { type OpenBecause, planOf, type Standing, stateOf, type WorkState, workState } from './state.ts';
export {
  forgetMessages,
  type HandoverView,
  handoverOf,
  handoverText,
  openHandover,
} from './view.ts';

export interface HandoverLine {
  /** The same for the same fact, so that it is said once. */
  key: string;
  text: string;
  /** Why it is said, for `--explain` and `handover`. */
  why: string;
  /** Lines of one heading stand together. */
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
export type When = 'first' | 'later' | 'switched' | 'told';

const NOTHING: Handover = { lines: [], said: () => undefined, open: true };

const lineIf = (key: string, text: string, why: string, heading?: string): HandoverLine[] =>
  text === '' ? [] : [{ key, text, why, heading }];

/**
 * For the first prompt of a session: if it goes on with the work of the last one, a line of state, the person's messages
 * and the agent's own last ones; if not, an error that cut that session off, or its open question. Later only for a
 * prompt that asks to go on, in a session that has not worked yet or not on this branch.
 * @param own the session that begins
 * @param before the sessions before it; not read again then
 */
export async function ofLastSession(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  moment: When,
  before?: Before,
): Promise<Handover> {
  const { root, now, session } = options;
  // A prompt after a command of the host answers what the agent said to that.
  const isReply = moment === 'first' && own !== undefined && hasSpoken(own);
  const when = isReply ? 'later' : moment;
  if (when === 'later' && own !== undefined && hasWorked(own)) return { ...NOTHING, open: false };
  if (when !== 'first' && !asksToContinue(prompt)) return NOTHING;
  const { all, ...found } = before ?? (await sessionsBefore(options, own));
  const branch = gitPlace(options.cwd ?? root)?.branch;
  const named = all.find((one) => one.branch !== branch && hasWorked(one) && namesBranch(prompt, one));
  const last = named ?? (when === 'told' ? undefined : found.last);
  const title = named === undefined ? found.title : `The last session on ${named.branch}`;
  if (last === undefined || (when === 'switched' && last.branch !== branch)) return NOTHING;

  const state = await workState(last, options.cwd ?? root);
  const running = mayRun(last, now);
  const holder = holderOf(last, all);
  const messages = messagesWith(holder, all);
  const { showsGit } = options;
  const about: Circumstances = { now, title, running, branch, showsGit, withWords: false };
  const reason = reasonToGoOn(prompt, workOf(last, state, messages));
  if (reason === undefined) {
    const text = running || when !== 'first' || bringsSpecification(prompt) ? '' : openEndLine(state, about);
    return { ...NOTHING, lines: lineIf('handover:state', text, 'it was left open') };
  }

  const isFree = holder.takenBy === undefined || holder.takenBy === session;
  if (running || !isFree) {
    return { ...NOTHING, lines: lineIf('handover:state', stateLine(state, about), reason) };
  }
  const words = sessionLines(last, messages, [last, holder, ...all], options, { prompt, title });
  about.withWords = words.length > 0;
  about.callsSinceNote = await countCallsSinceNote(last, options);
  return {
    lines: [
      ...lineIf('handover:state', stateLine(state, about), reason),
      ...words,
      ...agentLines(last, state, prompt, reason),
    ],
    open: false,
    said: () => {
      if (session !== undefined) storeSession(root, { ...holder, takenBy: session });
    },
  };
}

const hasSpoken = ({ record }: StoredSession): boolean =>
  itemsOf(record).some(({ type }) => type === 'agent');

const namesBranch = (prompt: string, { branch = '' }: StoredSession): boolean =>
  branch !== '' &&
  ` ${prompt} `.split(branch).some((_, at, parts) => {
    const [before = '', after = ''] = [parts[at - 1]?.at(-1), parts[at]?.at(0)];
    return at > 0 && !/[\w/-]/.test(before) && !/[\w/-]/.test(after);
  });

/** The person's messages, each below the session in which they said it, with the age of that session. */
function sessionLines(
  last: StoredSession,
  all: ReturnType<typeof messagesWith>,
  sessions: readonly StoredSession[],
  { now }: HandoverOptions,
  { prompt, title }: { prompt: string; title: string },
): HandoverLine[] {
  const { messages, left } = chooseMessages(all, WORDS_TOKENS, [prompt]);
  const headingFor = (id: string): string => {
    const said = sessions.find((one) => one.session === id);
    const age = said === undefined ? 'before' : `from ${spellAge(now - lastActive(said))} ago`;
    if (id === last.session)
      return `The person's messages in ${title.replace('The', 'the')}, word for word (${age}; where the prompt disagrees, follow the prompt)`;
    const isLater = said !== undefined && lastActive(said) > lastActive(last);
    return `The person's messages in ${isLater ? 'a later' : 'an earlier'} session of this work, word for word (${age})`;
  };
  const why = 'said in the work that goes on';
  const lines = messages.flatMap((message) =>
    lineIf(`said:${message.id}`, lineOf(message), why, headingFor(message.session)),
  );
  return [...lines, ...moreLine(left, lines)];
}

function moreLine(left: number, lines: readonly HandoverLine[]): HandoverLine[] {
  const heading = lines.at(-1)?.heading;
  if (left === 0 || lines.length === 0) return [];
  const more = `${counted(left, 'more message')}; \`scratchpad handover\` ${left === 1 ? 'prints it' : 'prints them'}`;
  return lineIf('said:more', more, 'the budget holds no more', heading);
}

const AGENT_HEADING = "The agent's own last messages there, unchecked";

function agentLines(last: StoredSession, state: WorkState, prompt: string, why: string): HandoverLine[] {
  const { lastWords = '', question } = state;
  const messages = agentMessages(last, isCutOff(state));
  const lines = messages.flatMap(({ id, text }) =>
    lineIf(`agent:${id}`, quoteText(text), why, AGENT_HEADING),
  );
  const isQuoted = messages.length > 0 && question === questionIn(lastWords);
  const asked = question === undefined || isQuoted ? '' : redactSecrets(`It asked: ${quoteText(question)}`);
  const picked = pickedIn(prompt, lastWords);
  const item = picked.length === 0 ? '' : redactSecrets(`Of its last list, item ${spellPicked(picked)}`);
  return [
    ...lines,
    ...lineIf('handover:question', asked, why),
    ...lineIf('handover:picked', item, 'the prompt names an item of its last list'),
  ];
}

const isOurs = (call: object): boolean => /scratchpad/i.test(JSON.stringify(call));

/** How many calls of a session came after its last note; 0 where it noted nothing. */
async function countCallsSinceNote(last: StoredSession, options: HandoverOptions): Promise<number> {
  const notedAt = (await options.notedAt?.()) ?? 0;
  const began = Date.parse(last.record.began ?? '') || Number.POSITIVE_INFINITY;
  if (notedAt < began) return 0;
  return itemsOf(last.record).filter(
    (item) => item.type === 'call' && Date.parse(item.timestamp ?? '') > notedAt && !isOurs(item),
  ).length;
}

const LOST_HEADING = "The person's messages that the summary does not hold, word for word";

/**
 * After a compaction: the person's messages before it that its summary lacks. Nothing as long as the summary cannot be
 * read.
 */
export function afterCompaction(own: StoredSession, root: string): HandoverLine[] {
  const items = itemsOf(own.record);
  const at = items.findLastIndex((item) => item.type === 'compacted' && Boolean(item.summary));
  const compacted = items[at];
  if (compacted?.type !== 'compacted') return [];
  const since = new Set(items.slice(at).map(({ id }) => id));
  const all = messagesWith(own, storedSessions(root)).filter(({ id }) => !since.has(id));
  const { messages, left } = chooseMessages(all, WORDS_TOKENS, [compacted.summary ?? '']);
  const lines = messages.flatMap((message) =>
    lineIf(`said:${message.id}`, lineOf(message), 'the summary does not hold it', LOST_HEADING),
  );
  return [...lines, ...moreLine(left, lines)];
}

/** For a request to commit: the files of this session and those that the last one left, where there are both. */
export async function uncommittedLines(
  options: HandoverOptions,
  own: StoredSession | undefined,
  prompt: string,
  before: Before | undefined,
): Promise<HandoverLine[]> {
  if (own === undefined || !asksToCommit(prompt)) return [];
  const cwd = options.cwd ?? options.root;
  const edited = (await workState(own, cwd)).uncommitted ?? [];
  const { last } =
    edited.length === 0 ? { last: undefined } : (before ?? (await sessionsBefore(options, own)));
  const left = last === undefined ? [] : ((await workState(last, cwd)).uncommitted ?? []);
  const others = left.filter((path) => !edited.includes(path));
  if (others.length === 0) return [];
  const why = 'the prompt asks for a commit';
  return [
    ...lineIf('uncommitted:own', `Uncommitted, edited in this session: ${nameFiles(edited)}`, why),
    ...lineIf(
      'uncommitted:last',
      `Uncommitted, left by ${LAST.replace('The', 'the')}: ${nameFiles(others)}`,
      why,
    ),
  ];
}
