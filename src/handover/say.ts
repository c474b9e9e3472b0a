import { defuse } from '../base/safety/index.ts';
import { shorten, spellGap } from '../base/text/strings.ts';
import { estimateTokens } from '../pad/tokens.ts';
import { recordOfText } from '../transcript/read.ts';
import { type StoredSession, storedSession, storedSessions, storeSession } from '../transcript/store.ts';
import { chooseMessages, lineOf, messagesWith, type Said, WORDS_TOKENS } from './messages.ts';
import { type HandoverOptions, holderOf, mayRun, ownSession, sessionsBefore } from './sessions.ts';
import { type OpenBecause, planOf, type Subject, type WorkState, workState } from './state.ts';

/** Tokens of the line about a session that ended clean, of one that left something open, and of the agent's words. */
const CLEAN_TOKENS = 45;
const OPEN_TOKENS = 70;
const LAST_WORDS_TOKENS = 50;
const MOST_COMMITS = 2;
const MOST_EDITS = 4;
const MOST_TASKS = 3;
const SUBJECT_LENGTH = 90;
const COMMIT_LENGTH = 70;

const BECAUSE: Readonly<Record<OpenBecause, string>> = {
  error: 'ended with an error of the host',
  stopped: 'ended after a tool call, without a closing word',
  interrupted: 'interrupted',
  plan: 'a plan was not approved',
  question: 'a question was not answered',
  announced: 'stopped before what it announced',
  unanswered: 'the last message was not answered',
  tasks: 'open tasks',
  edits: 'uncommitted edits',
};

const TOLD_BY_PARTS: ReadonlySet<OpenBecause> = new Set(['tasks', 'edits', 'question']);

/**
 * One line about the session before: what it left, or what it did.
 * @param withWords the person's messages follow, which say what it was about
 * @param messages how many the person wrote in it: one that is quoted must not look like all of them
 * @param onlyTalkSince whether sessions after it only talked
 */
export function stateLine(
  state: WorkState,
  now: number,
  running: boolean,
  { withWords = false, messages = 0, onlyTalkSince = false } = {},
): string {
  const { open } = state;
  const when = state.at === undefined ? '' : `, ${spellGap(now - state.at)} ago`;
  const which = onlyTalkSince ? 'Last session here that did work' : 'Last session here';
  const head = `${which}${when}${running ? ' (it may be running)' : ''}: `;
  const told = withWords ? { ...state, subject: undefined } : state;
  const parts = open.length === 0 ? cleanParts(told) : openParts(told, messages);
  // The messages below it are of that session.
  if (parts.length === 0) return withWords ? head.replace(/: $/, '') : '';
  return head + fitted(parts, (open.length === 0 ? CLEAN_TOKENS : OPEN_TOKENS) - estimateTokens(head));
}

/** One line with what the session left uncommitted, for a prompt that brings its own work. */
export function editsLine({ uncommitted = [], at }: WorkState, now: number): string {
  if (uncommitted.length === 0) return '';
  const when = at === undefined ? '' : `, ${spellGap(now - at)} ago`;
  return `Left uncommitted by the last session here${when}: ${named(uncommitted, MOST_EDITS)}`;
}

/** A part of the line, or the same in fewer and fewer words. */
type Part = string | string[];

const files = (title: string, paths: readonly string[]): string[] =>
  [4, 3, 2, 1].map((most) => `${title} ${named(paths, most)}`);

function cleanParts({ commits, pullRequest, edited, uncommitted, subject }: WorkState): Part[] {
  const parts: Part[] = commits.slice(0, MOST_COMMITS).map(commitPart);
  if (pullRequest !== undefined) parts.splice(1, 0, pullRequest);
  if (commits.length === 0 && subject !== undefined) parts.unshift(subjectPart(subject, true));
  // Where git was asked, they are committed by now, or taken back.
  if (edited.length > 0 && uncommitted === undefined) parts.push(files('edited', edited));
  return parts;
}

function openParts(state: WorkState, messages: number): Part[] {
  const { subject, open, commits, uncommitted = [], tasks, error } = state;
  const parts: Part[] = [];
  if (subject !== undefined) parts.push(subjectPart(subject, open.every(leavesAnswered)));
  const because = open.find((reason) => !TOLD_BY_PARTS.has(reason));
  const isLimit = because === 'error' && /\blimit\b/i.test(error ?? '');
  if (because !== undefined) parts.push(isLimit ? 'stopped by a limit of the host' : BECAUSE[because]);
  if (error !== undefined) parts.push(`“${shorten(oneLine(error), 60)}”`);
  if (uncommitted.length > 0) parts.push(files('uncommitted:', uncommitted));
  // One message that is quoted must not look like all of them.
  if (subject?.from === 'person' && messages > 1) parts.push(`${messages} messages: \`scratchpad handover\``);
  if (tasks.length > 0) {
    const texts = tasks.map(({ text }) => shorten(oneLine(text), 60));
    const more = tasks.length > MOST_TASKS ? `; ${tasks.length - MOST_TASKS} more` : '';
    parts.push(`open tasks: ${texts.slice(0, MOST_TASKS).join('; ')}${more}`);
  }
  parts.push(...commits.slice(0, 1).map(commitPart));
  return parts;
}

const FROM = { person: 'the person wrote', plan: 'plan', title: 'about' } as const;

/** Why work is open although the agent's last turn ended as turns do. */
const leavesAnswered = (reason: OpenBecause): boolean => reason === 'tasks' || reason === 'edits';

/** What a session was about; a message with an answer must not look like one without. */
function subjectPart({ text, from }: Subject, answered: boolean): string {
  const quoted = `${FROM[from]} “${shorten(oneLine(text), SUBJECT_LENGTH)}”`;
  return from === 'person' && answered ? `${quoted} (answered)` : quoted;
}

const commitPart = ({ sha, subject, pushed }: WorkState['commits'][number]): string =>
  `${sha} ${shorten(oneLine(subject), COMMIT_LENGTH)}${pushed === false ? ' (not pushed)' : ''}`;

/** The agent's question, or its last sentences if it was stopped: at the end of a turn they only sum up what was done. */
export function lastWordsLine({ lastWords, question, open }: WorkState): string {
  if (question !== undefined && open.length > 0) return `It asked: “${question}”`;
  if (lastWords === undefined || open.every((reason) => TOLD_BY_PARTS.has(reason))) return '';
  const last =
    lastWords
      .replace(/```[\s\S]*?(?:```|$)/g, ' ')
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^[\s>*#-]+|\*\*|__/g, '') ?? '';
  const sentences = last.split(/(?<=[.!?:。！？])\s+/).slice(-2);
  if (estimateTokens(sentences.join(' ')) > LAST_WORDS_TOKENS) sentences.shift();
  const text = sentences.join(' ').trim();
  // A heading or an item of a list says nothing without what it belongs to.
  if (!/[.!?…:。！？：]["”')\]]*$/.test(text) || lastWords.trimEnd().endsWith('```')) return '';
  return estimateTokens(text) > LAST_WORDS_TOKENS ? '' : `Its last words: “${oneLine(text)}”`;
}

/** Parts joined by semicolons, as many as fit and as long as they fit; the first always. */
function fitted(parts: readonly Part[], tokens: number): string {
  let text = '';
  for (const part of parts) {
    const forms = [part].flat().map((form) => (text === '' ? form : `${text}; ${form}`));
    const fitting = forms.find((form) => estimateTokens(form) <= tokens);
    text = fitting ?? (text === '' ? (forms.at(-1) ?? '') : text);
  }
  return text;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function named(paths: readonly string[], most: number): string {
  const left = paths.length - most;
  return `${paths.slice(0, most).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

export interface HandoverView {
  session: string;
  at: string;
  running: boolean;
  ended: boolean;
  /** What a first prompt is told of it. */
  line: string;
  /** All that a session that goes on with the work is told; empty if there is nothing to tell. */
  text: string;
  state: WorkState;
  /** Its last words, or its question, if something is open. */
  lastWords: string;
  /** Everything that the person said in it, oldest first; `told` marks what a session that goes on is told. */
  messages: (Said & { number: number; told: boolean })[];
  /** The host's own list of tasks as a plan, if some are open. */
  plan?: string;
  /** The session that was told these messages; no other one is. */
  takenBy?: string;
}

/**
 * The hand-over of the session that is asked for; of none, what the next session would be told.
 * @param asking the session of an agent that asks: it is given what was before its own
 */
export async function openHandover(
  options: HandoverOptions,
  asking?: string,
): Promise<HandoverView | undefined> {
  if (options.session === undefined && options.transcript === undefined) {
    const own = asking === undefined ? undefined : await ownSession({ ...options, session: asking });
    const { last, onlyTalkSince, all } = await sessionsBefore({ ...options, session: asking }, own);
    if (last !== undefined) return viewOf(last, options, all, { onlyTalkSince, asking });
  }
  const stored = await ownSession(options);
  return stored && viewOf(stored, options, storedSessions(options.root));
}

/**
 * The hand-over of messages. Nothing is stored, so that no later session takes it for its own past.
 * @throws ScratchpadError if the messages cannot be read
 */
export async function handoverOf(
  { text, name }: { text: string; name: string },
  { root, now }: Pick<HandoverOptions, 'root' | 'now'>,
): Promise<HandoverView> {
  const record = await recordOfText(text, name, { root });
  const session = record.facts.session ?? name;
  const stored = { session, path: name, root, worktree: '', forgotten: [], record };
  return viewOf(stored, { root, now, cwd: record.facts.cwd }, []);
}

async function viewOf(
  stored: StoredSession,
  { root, cwd, now }: Pick<HandoverOptions, 'root' | 'cwd' | 'now'>,
  others: readonly StoredSession[],
  { onlyTalkSince = false, asking }: { onlyTalkSince?: boolean; asking?: string } = {},
): Promise<HandoverView> {
  const state = await workState(stored, cwd ?? root);
  const running = mayRun(stored, now);
  const holder = holderOf(stored, others);
  const all = messagesWith(holder, others);
  const { messages } = chooseMessages(all, WORDS_TOKENS);
  const told = new Set(messages);
  const lastWords = lastWordsLine(state);
  const text = [
    stateLine(state, now, running, { withWords: told.size > 0, onlyTalkSince }),
    lastWords,
    told.size === 0 ? '' : "The person's messages in that session, word for word:",
    ...messages.map((message) => `- ${lineOf(message)}`),
  ].filter((line) => line !== '');
  return {
    session: stored.session,
    at: new Date(state.at ?? now).toISOString(),
    running,
    ended: stored.ended === true,
    line: stateLine(state, now, running, { onlyTalkSince }),
    text: defuse(text.join('\n')),
    state,
    lastWords,
    messages: all.map((said, index) => ({ ...said, number: index + 1, told: told.has(said) })),
    plan: planOf(stored),
    takenBy: holder.takenBy === asking ? undefined : holder.takenBy,
  };
}

export async function forgetMessages(
  options: HandoverOptions,
  session: string,
  ids: readonly string[],
): Promise<void> {
  const stored = storedSession(options.root, session) ?? (await ownSession({ ...options, session }));
  if (stored === undefined) return;
  const forgotten = [...new Set([...stored.forgotten, ...ids])].slice(-400);
  storeSession(options.root, { ...stored, forgotten }, true);
}

const HEADING =
  'What the person said, for a session whose prompt goes on with this work (any other is told the line above)';

/**
 * A hand-over as text for a person or a model.
 * @param time how to print a time
 */
export function handoverText(view: HandoverView, time: (at: string) => string = (at) => at): string {
  const { line, lastWords, messages, takenBy } = view;
  const lines = messages.map((said) => {
    const { number, at, told, agrees, rules } = said;
    const would = takenBy === undefined ? 'would be told' : `session ${takenBy} was told`;
    const why = agrees
      ? 'agrees'
      : told
        ? `${would}${rules ? ': it rules something' : ''}`
        : 'would not be told';
    const when = at === undefined ? '' : `${time(at)}; `;
    return `${String(number).padStart(3)}. ${lineOf(said).replaceAll('\n', '\n     ')}\n     (${when}${why})`;
  });
  return [
    line === '' ? 'The last session here left nothing to tell.' : line,
    lastWords,
    lines.length === 0 ? '' : `${HEADING}:\n${lines.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
