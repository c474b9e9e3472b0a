import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';
import { exists } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { discoverSessions } from '../transcript/discover.ts';
import { readEvents } from '../transcript/read-events.ts';
import { committedSince } from './committed.ts';
import { type Fact, KINDS, type Kind } from './fact.ts';
import { type Fold, factsOf, newFold, take } from './fold.ts';
import { keepTrails, lastTrail, readTrail, type TrailRecord, workTreeKey, writeTrail } from './store.ts';

/** Older trails are irrelevant to a new session. */
const OLDEST_MS = 14 * 86_400_000;
/** How many sessions are searched for the last one on this branch, if no hook has stored a trail. */
const TRIES = 3;

export interface TrailOptions {
  /** The workspace, absolute. */
  root: string;
  /** Id of the host's session. */
  session?: string;
  /** The session file. Without a file or a session, the most recently active session is used. */
  transcript?: string;
  /** The agent's directory; the workspace unless given. */
  cwd?: string;
  /** The branch; read from git unless given. */
  branch?: string;
  /** Epoch milliseconds. */
  now: number;
  config: { trail: { kinds: readonly string[] }; transcript: { paths: string[] } };
  env?: NodeJS.ProcessEnv;
  /** Is given what can wait until the answer is out; done at once where nobody takes it. */
  later?: (work: () => void) => void;
}

/**
 * Facts from a session's own records, or from those of the last session on this branch if this one has only started.
 */
export interface Trail {
  /** The source of the facts. */
  from: 'session' | 'last session' | 'nothing';
  /** Id of the session that the facts come from. */
  session: string | undefined;
  branch: string | undefined;
  /** Time of its last event, epoch milliseconds. */
  updated: number | undefined;
  /** Time of the request, epoch milliseconds. */
  now: number;
  facts: Fact[];
  /** The underlying state, for choosing lines. */
  fold: Fold;
  /** Unreadable inputs, in words for a person. */
  problems: string[];
}

/**
 * The trail of a session, updated with new lines of the session file. Never throws for an unreadable file:
 * `problems` names it, and the known facts are returned.
 */
export async function openTrail(options: TrailOptions): Promise<Trail> {
  const problems: string[] = [];
  const own = await ownRecord(options, problems);
  const fresh = own === undefined || own.fold.course.turn === 0;
  const last = fresh ? await lastRecord(options, own?.session, problems) : undefined;
  const record = last ?? own;
  const kinds = new Set<string>(options.config.trail.kinds.length > 0 ? options.config.trail.kinds : KINDS);
  const forgotten = new Set(record?.forgotten);
  let facts: Fact[] = [];
  try {
    facts = record === undefined ? [] : factsOf(record.fold);
  } catch (error) {
    // A stored file with inconsistent content.
    problems.push(`the stored trail is unusable: ${messageOf(error)}`);
  }
  const here = gitPlace(options.cwd ?? options.root);
  const fold = record?.fold ?? newFold(options.root);
  if (here !== undefined) {
    const edits = facts
      .filter(({ kind }) => kind === 'edited')
      .map(({ text, time }) => ({ path: text, ...(time !== undefined && { time }) }));
    const gone = committedSince(edits, options.root, here);
    facts = facts.map((fact) =>
      fact.kind === 'edited' && gone.has(fact.text) ? { ...fact, open: false } : fact,
    );
  }
  // A ban for one session does not apply to the next.
  if (last !== undefined)
    facts = facts.map((fact) =>
      fact.kind === 'instruction' && fact.standing !== true ? { ...fact, open: false } : fact,
    );
  // Edits on another machine are not open in this work tree.
  if (record?.machine !== undefined) facts = facts.filter(({ kind }) => kind !== 'edited');
  return {
    from:
      record === undefined || record.fold.course.turn === 0
        ? 'nothing'
        : record === own
          ? 'session'
          : 'last session',
    session: record?.session,
    branch: options.branch ?? here?.branch,
    updated: record?.updated,
    now: options.now,
    facts: facts.filter((fact) => kinds.has(fact.kind) && !forgotten.has(fact.id)),
    fold,
    problems,
  };
}

/**
 * The trail of one session file, relative to the directory it ran in. Nothing is stored, so that no later session takes
 * it for its own past.
 * @throws ScratchpadError if the file cannot be read
 */
export async function trailOf(transcript: string, now: number): Promise<Trail> {
  const { events } = await readEvents(transcript, { session: transcript });
  const place = events.find((event) => event.type === 'facts');
  const fold = newFold(place?.cwd ?? dirname(transcript));
  take(fold, events);
  const { branch, time, turn } = fold.course;
  return {
    from: turn === 0 ? 'nothing' : 'session',
    session: transcript,
    branch,
    updated: time === undefined ? undefined : Date.parse(time),
    now,
    facts: factsOf(fold),
    fold,
    problems: [],
  };
}

/** Hides facts of a session's trail from now on. A trail that was not stored before is stored from here on. */
export async function forget(options: TrailOptions, session: string, ids: readonly string[]): Promise<void> {
  const { root } = options;
  keepTrails(root);
  if (readTrail(root, session) === undefined) await openTrail(options);
  const record = readTrail(root, session);
  if (record === undefined) return;
  writeTrail(root, { ...record, forgotten: [...new Set([...record.forgotten, ...ids])].slice(-400) });
}

/** The kinds of facts for settings. */
export function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind === name);
}

async function ownRecord(options: TrailOptions, problems: string[]): Promise<TrailRecord | undefined> {
  const { root, transcript, session } = options;
  if (transcript !== undefined) return upToDate(options, session ?? transcript, transcript, problems);
  if (session !== undefined) {
    const kept = readTrail(root, session);
    if (kept?.transcript !== undefined) return upToDate(options, session, kept.transcript, problems);
    const found = (await sessionsHere(options, problems)).find(({ id }) => id === session);
    return found === undefined ? kept : upToDate(options, session, found.path, problems);
  }
  const newest = (await sessionsHere(options, problems, 1))[0];
  return newest === undefined ? undefined : upToDate(options, newest.id, newest.path, problems);
}

async function lastRecord(
  options: TrailOptions,
  own: string | undefined,
  problems: string[],
): Promise<TrailRecord | undefined> {
  const here = gitPlace(options.cwd ?? options.root);
  const where = {
    worktree: workTreeKey(here),
    branch: options.branch ?? here?.branch,
    not: own ?? options.session,
    since: options.now - OLDEST_MS,
  };
  const kept = lastTrail(options.root, where);
  if (kept?.transcript !== undefined)
    return upToDate(options, kept.session, kept.transcript, problems) ?? kept;
  if (kept !== undefined) return kept;
  for (const { id, path, lastActive } of await sessionsHere(options, problems, TRIES + 1)) {
    if (id === where.not || path === options.transcript || Date.parse(lastActive) < where.since) continue;
    const record = await upToDate(options, id, path, problems);
    if (
      record !== undefined &&
      record.fold.course.turn > 0 &&
      record.worktree === where.worktree &&
      record.branch === where.branch
    )
      return record;
  }
  return undefined;
}

async function sessionsHere(
  { root, env, config }: TrailOptions,
  problems: string[],
  limit?: number,
): ReturnType<typeof discoverSessions> {
  try {
    return await discoverSessions({
      workspace: root,
      env: env ?? process.env,
      paths: config.transcript.paths,
      ...(limit !== undefined && { limit }),
      onProblem: (problem) => problems.push(problem.message),
    });
  } catch (error) {
    problems.push(`sessions cannot be listed: ${messageOf(error)}`);
    return [];
  }
}

/** The stored trail of a session with new lines of its file; stored again if there are any. */
async function upToDate(
  options: TrailOptions,
  session: string,
  transcript: string,
  problems: string[],
): Promise<TrailRecord | undefined> {
  const { root } = options;
  const kept = readTrail(root, session);
  // Hosts and people delete old sessions: what is known of one stays true.
  if (kept !== undefined && !exists(transcript)) return kept;
  try {
    const after = kept?.transcript === transcript ? kept.position : undefined;
    const stretch = await readEvents(transcript, {
      session,
      ...(after !== undefined && { after }),
    });
    if (kept !== undefined && stretch.continues && stretch.events.length === 0) return kept;
    const fold = kept !== undefined && stretch.continues ? kept.fold : newFold(root);
    take(fold, stretch.events);
    const cwd = options.cwd ?? fold.course.cwd ?? root;
    const here = gitPlace(cwd) ?? gitPlace(root);
    const branch = fold.course.branch ?? here?.branch;
    const record: TrailRecord = {
      session,
      transcript,
      position: stretch.position,
      worktree: workTreeKey(here),
      updated: Date.parse(fold.course.time ?? '') || options.now,
      forgotten: kept?.forgotten ?? [],
      fold,
      ...(branch !== undefined && { branch }),
    };
    const { later = (work) => work() } = options;
    // What is lost with the power is read again.
    later(() => writeTrail(root, record, false));
    return record;
  } catch (error) {
    problems.push(`the session cannot be read: ${messageOf(error)}`);
    return kept;
  }
}

/** The current work of a session, by its own records. */
export interface Work {
  text: string;
  from: 'task' | 'plan';
  why: string;
}

/** The task in progress, else the approved plan. A branch's name alone does not show the current work. */
export function workingOn({ facts }: Pick<Trail, 'facts'>): Work | undefined {
  const open = facts.filter((fact) => fact.open);
  const task = open.find(({ kind, text }) => kind === 'task' && text.startsWith('in progress: '));
  if (task !== undefined)
    return { text: task.text.replace('in progress: ', ''), from: 'task', why: task.why };
  const plan = open.find(({ kind }) => kind === 'plan');
  return plan && { text: plan.text, from: 'plan', why: plan.why };
}
