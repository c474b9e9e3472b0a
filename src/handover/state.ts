import { posix, relative } from 'node:path';
import { tryStat } from '../base/fs/index.ts';
import { type Commit, listCommits, listUncommittedFiles } from '../base/git/now.ts';
import { findGitPlace } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { getList, getString, toMembers } from '../base/text/json.ts';
import { splitSentences, splitWords } from '../base/text/prose.ts';
import { getCommand, type TaskItem } from '../transcript/calls.ts';
import { ownWords } from '../transcript/pasted-text.ts';
import { type CallItem, type Item, isPrompt, listItems, listTurns } from '../transcript/record.ts';
import { getLastActivity, type StoredSession } from '../transcript/store.ts';
import { getApprovedPlanTitle } from './messages.ts';
import { extractQuestion } from './question.ts';
import { isAnnouncement, isApproval, isCourtesy } from './words.ts';

/** Reasons to call work open although the agent's last turn ended as turns do. */
const CLEAN_ENDS = ['tasks', 'edits'] as const;
const UNFINISHED = ['error', 'interrupted', 'stopped', 'plan', 'announced', 'unanswered'] as const;
const OPEN_BECAUSE = [...UNFINISHED, 'question', ...CLEAN_ENDS] as const;
export type OpenBecause = (typeof OPEN_BECAUSE)[number];

/** What a session was about, and whose words these are, with the doubt: the host's title, a plan's, or the person's. */
export interface Subject {
  text: string;
  from: 'title' | 'plan' | 'person';
  doubt?: string | undefined;
  /** When the person wrote it, epoch milliseconds. */
  at?: number;
}

export interface WorkState {
  session: string;
  /** When it was last active, epoch milliseconds, if it says so. */
  at?: number;
  branch?: string;
  /** Its title, else the last plan's, else the person's newest message that says something. */
  subject?: Subject;
  open: OpenBecause[];
  /** Of this session, newest first; `pushed` is undefined where it is not known. */
  commits: { sha: string; subject: string; pushed?: boolean }[];
  pullRequest?: string;
  edited: string[];
  /** Those of them that are not committed; undefined without git. */
  uncommitted?: string[];
  tasks: TaskItem[];
  question?: string;
  lastWords?: string;
  error?: string;
  /** The file of a successful edit after which nothing came. */
  lastEdit?: string;
}

export const isUnfinished = ({ open }: WorkState): boolean =>
  UNFINISHED.some((reason) => open.includes(reason));

/** Whether the work ended in the middle of a turn, or with a question. */
export const isCutOff = (state: WorkState): boolean => isUnfinished(state) || state.open.includes('question');

/** Whether the last turn has ended: the host says so, or the agent had the last word and no call of it is open. */
export function isTurnOver({ record }: StoredSession): boolean {
  const last = listItems(record).findLast(({ type }) => type !== 'did' && type !== 'compacted');
  const isLast = last?.type === 'agent' || last?.type === 'error' || last?.type === 'interrupted';
  return record.pending.length === 0 && (isLast || record.facts.turnEnded === true);
}

/** What stages ask of it: the line about it, empty if nobody has asked git for it, and the state. */
export interface CurrentWork {
  line: string;
  state: WorkState;
}

export async function readWorkState(stored: StoredSession, cwd: string): Promise<WorkState> {
  const here = findGitPlace(cwd);
  if (here === undefined) return buildWorkState(stored);

  const edits = [...collectEdits(listItems(stored.record).filter(isDone)).keys()];
  const getFileName = (path: string): string =>
    relative(here.top, posix.join(stored.root, path)).replace(/\\/g, '/');
  const changed = await listUncommittedFiles(here, edits.map(getFileName));

  return buildWorkState(
    stored,
    changed && { isChanged: (path) => changed.has(getFileName(path)), log: listCommits(here) },
  );
}

interface GitNow {
  isChanged(path: string): boolean;
  log: readonly Commit[];
}

const isDone = (item: Item): item is CallItem => item.type === 'did';

export function buildWorkState(stored: StoredSession, now?: GitNow): WorkState {
  const { record, session, branch } = stored;
  const turns = listTurns(record);
  const items = turns.flat();
  const done = items.filter(isDone);
  const edits = collectEdits(done);
  const edited = [...edits.keys()].reverse();
  const uncommitted =
    now && edited.filter((path) => isOpenEdit(path, edits.get(path) ?? '', stored.root, now));
  const spoken = items.findLastIndex((item) => item.type === 'agent');
  const lastWords = items[spoken]?.type === 'agent' ? items[spoken].text : undefined;
  const answered = items.slice(spoken + 1).some(({ type }) => type === 'person' || type === 'plan');
  const openQuestion = answered || lastWords === undefined ? undefined : extractQuestion(lastWords);
  const last = items.findLast(({ type }) => type !== 'did' && type !== 'compacted');
  const [result, end] = items.slice(-2);
  const hasSucceeded = result?.type === 'result' && result.outcome === 'ok';
  const state: WorkState = {
    session,
    at: getLastActivity(stored) || undefined,
    branch,
    subject: findSubject(stored, items),
    open: [],
    commits: collectCommits(now, record),
    pullRequest: done.findLast(({ facts }) => facts.pullRequest !== undefined)?.facts.pullRequest,
    edited,
    uncommitted,
    tasks: collectTasks(done).filter(({ status }) => status === 'open' || status === 'active'),
    question: openQuestion ?? record.pending.flatMap((call) => parseToolQuestions(call.input))[0],
    lastWords,
    error: last?.type === 'error' ? last.text : undefined,
    lastEdit: hasSucceeded && end?.type === 'did' ? end.facts.edits?.at(-1) : undefined,
  };

  const turn = (turns.at(-1) ?? []).filter(isDone);
  const plan = turn.findLast(({ facts }) => facts.plan !== undefined);
  const reasons: Record<OpenBecause, boolean> = {
    error: state.error !== undefined,
    interrupted: last?.type === 'interrupted',
    // A host writes the agent's last words at the end of each turn.
    stopped:
      (last?.type === 'call' || last?.type === 'result') &&
      !isTurnOver(stored) &&
      !hasCommitted(turns.at(-1) ?? []),
    plan: plan?.facts.refused !== undefined && last?.type !== 'agent',
    question: state.question !== undefined,
    announced: last?.type === 'agent' && endsWithAnnouncement(last.text),
    // The words of a refusal are no prompt.
    unanswered: last?.type === 'person' || (last !== undefined && isPrompt(last)),
    tasks: state.tasks.length > 0 && turn.some(({ facts }) => (facts.tasks ?? facts.changed) !== undefined),
    edits: (uncommitted ?? []).length > 0,
  };

  state.open = OPEN_BECAUSE.filter((reason) => reasons[reason]);

  return state;
}

/** Whether the last call of a turn committed: nothing was left to do but to say so. */
function hasCommitted(turn: readonly Item[]): boolean {
  const last = turn.findLast(({ type }) => type === 'call');
  if (last?.type !== 'call') return false;

  const hasFailed = turn.some(
    (item) => item.type === 'result' && item.call === last.id && item.outcome === 'failed',
  );
  return !hasFailed && /\bgit\b[^|;&]{0,200}\bcommit\b/.test(getCommand(toMembers(last.input)) ?? '');
}

export function endsWithAnnouncement(text: string): boolean {
  const last = splitSentences(text).at(-1) ?? '';
  return /[:：]$/.test(last) || (isAnnouncement(last) && !isCourtesy(last));
}

const parseToolQuestions = (input: unknown): string[] =>
  getList(toMembers(input), 'questions').flatMap((one) => getString(toMembers(one), 'question') ?? []);

function collectEdits(done: readonly CallItem[]): Map<string, string> {
  const edits = new Map<string, string>();
  for (const { facts, timestamp = '' } of done)
    for (const path of facts.edits ?? []) {
      edits.delete(path);
      if (!isTemporary(path)) edits.set(path, timestamp);
    }

  return edits;
}

const isTemporary = (path: string): boolean =>
  posix.isAbsolute(path) ||
  path.startsWith('~') ||
  /^[A-Za-z]:/.test(path) ||
  /(?:^|\/)(?:\.git|node_modules|\.scratchpad|tmp)\/|(?:^|\/)SCRATCHPAD\.md$|\.(?:tmp|swp|orig|bak|log)$|~$/.test(
    path,
  );

/** A tool writes a file shortly before its result is recorded. */
const SAME_EDIT_MS = 120_000;

/** Whether a file is changed, and the last change is the session's: not one made after a later commit. */
function isOpenEdit(path: string, edit: string, root: string, now: GitNow): boolean {
  const changed = now.isChanged(path) ? tryStat(posix.join(root, path))?.mtimeMs : undefined;
  if (changed === undefined) return false;
  const at = Date.parse(edit) || 0;
  return changed < at + SAME_EDIT_MS || !now.log.some((commit) => commit.at > at);
}

/** Git's clock has seconds, and a host records a call before its end. */
const SAME_COMMIT_MS = 5000;

/** Commits of the branch that were made here while the session ran, by the agent or by hand. */
function collectCommits(now: GitNow | undefined, record: StoredSession['record']): WorkState['commits'] {
  // Without times these are not numbers, and no commit lies between.
  const from = Date.parse(record.began ?? '') - 1000;
  const until = Date.parse(record.updated ?? '') + SAME_COMMIT_MS;
  return (now?.log ?? [])
    .filter(({ at, here }) => here && at >= from && at <= until)
    .map(({ sha, subject, pushed }) => ({ sha: sha.slice(0, 7), subject: redactSecrets(subject), pushed }));
}

function collectTasks(done: readonly CallItem[]): TaskItem[] {
  let list: TaskItem[] = [];
  const put = (item: Partial<TaskItem>): void => {
    const listed = list.find(({ id, text }) => (item.id === undefined ? text === item.text : id === item.id));
    if (listed !== undefined) Object.assign(listed, item);
    else if (item.text !== undefined) list.push({ status: 'open', ...item, text: item.text });
  };

  for (const { facts } of done) {
    if (facts.tasks !== undefined) list = facts.tasks.map((task) => ({ ...task }));
    for (const task of facts.changed ?? []) put(task);
  }

  return list;
}

const TELLING_WORDS = 6;
const isInformative = (text: string): boolean =>
  splitWords(text).length >= TELLING_WORDS && !isApproval(text);

function findSubject({ record }: StoredSession, items: readonly Item[]): Subject | undefined {
  if (record.title !== undefined) return { text: record.title.text, from: 'title' };

  const plan = items.findLast((item) => item.type === 'plan');
  if (plan?.type === 'plan') return { text: getApprovedPlanTitle(plan.text), from: 'plan' };

  const messages = items.filter((item) => item.type === 'person');
  const lastMessage =
    messages.findLast(({ text }) => isInformative(text)) ??
    messages.findLast(({ text }) => !isApproval(text));
  if (lastMessage === undefined) return undefined;

  // "again, this is not right:" leads to what it says.
  const own = ownWords(lastMessage.text).split('\n');
  const line = own.find((one) => splitWords(one).length >= 3 && !/[:：]\s*$/.test(one));

  const at = Date.parse(lastMessage.timestamp ?? '') || undefined;
  const { text, doubt } = lastMessage;
  return { text: line ?? text, from: 'person', doubt, ...(at && { at }) };
}

/** The host's own list of tasks of a session, or undefined if it has none that are open. */
export function renderTaskPlan({ record }: Pick<StoredSession, 'record'>): string | undefined {
  const done = listItems(record).filter(isDone);
  const steps = collectTasks(done).filter(({ status }) => status !== 'dropped');
  if (!steps.some(({ status }) => status !== 'done')) return undefined;

  return steps
    .map(({ text, status }, index) => {
      if (status === 'done') return `${index + 1}. ~~${text}~~ DONE`;
      return `${index + 1}. ${text}${status === 'active' ? ' <-- current' : ''}`;
    })
    .join('\n');
}
