import { sep } from 'node:path';
import { messageOf } from '../errors.ts';
import { exists } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { discoverSessions } from '../transcript/discover.ts';
import { readEvents } from '../transcript/read-events.ts';
import { newFold, take } from './fold.ts';
import { type Before, inherit, lastRecords, mayRun, withEarlier } from './last.ts';
import { readTrail, type TrailRecord, workTreeKey, writeTrail } from './store.ts';

/** How many of the hosts' sessions are looked at for the last ones here. */
const LISTED = 8;

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
  /** Also the facts of the sessions before a running one that a start would say, after its own. */
  withBefore?: boolean;
  /** Is given what can wait until the answer is out; done at once where nobody takes it. */
  later?: (work: () => void) => void;
}

/** The record of the session that is asked for, up to date. */
export async function ownRecord(options: TrailOptions, problems: string[]): Promise<TrailRecord | undefined> {
  const { root, transcript, session } = options;
  if (transcript !== undefined) return upToDate(options, session ?? transcript, transcript, problems, true);
  if (session !== undefined) {
    const kept = readTrail(root, session);
    if (kept?.transcript !== undefined) return upToDate(options, session, kept.transcript, problems, true);
    const found = (await sessionsHere(options, problems)).find(({ id }) => id === session);
    return found === undefined ? kept : upToDate(options, session, found.path, problems, true);
  }
  const newest = (await sessionsHere(options, problems, 1))[0];
  return newest === undefined ? undefined : upToDate(options, newest.id, newest.path, problems, true);
}

/**
 * What is known of the sessions before this one.
 * @param not ids of this session
 * @param began when the new session began, ISO 8601, if it has
 */
export async function lastSessions(
  options: TrailOptions,
  not: readonly (string | undefined)[],
  problems: string[],
  began: string | undefined,
): Promise<Before> {
  const here = gitPlace(options.cwd ?? options.root);
  // Where another session was is read from its own file.
  const { cwd: _, ...elsewhere } = options;
  return lastRecords({
    root: options.root,
    here,
    branch: options.branch ?? here?.branch,
    not: new Set(not.filter((id) => id !== undefined)),
    now: options.now,
    ...(began !== undefined && { began: Date.parse(began) }),
    found: await sessionsHere(options, problems, LISTED),
    refresh: (id, transcript) => upToDate(elsewhere, id, transcript, problems),
  });
}

/** What the sessions before one left that still matters in it, as its first state, and what was forgotten in them. */
async function begun(
  options: TrailOptions,
  ids: readonly string[],
  root: string,
  began: string | undefined,
  problems: string[],
): Promise<Pick<TrailRecord, 'fold' | 'forgotten'>> {
  const fold = newFold(root);
  const here = gitPlace(options.cwd ?? options.root);
  const before = await lastSessions(options, ids, problems, began);
  const left = withEarlier(before, here !== undefined);
  const [last] = before.records;
  if (left === undefined || last === undefined) return { fold, forgotten: [] };
  const files = here !== undefined && last.machine === undefined && !mayRun(last, options.now);
  inherit(fold, left, last.session, options.now, files);
  return { fold, forgotten: [...new Set(before.spoken.flatMap((one) => one.forgotten))] };
}

async function sessionsHere(
  { root, cwd, env, config }: TrailOptions,
  problems: string[],
  limit?: number,
): ReturnType<typeof discoverSessions> {
  // Hosts file a session under the directory that it started in.
  const here = gitPlace(cwd ?? root);
  const places = here?.linked === undefined || isInside(root, here.top) ? [root] : [here.top, root];
  try {
    const found = await Promise.all(
      places.map((workspace) =>
        discoverSessions({
          workspace,
          env: env ?? process.env,
          paths: config.transcript.paths,
          ...(limit !== undefined && { limit }),
          onProblem: (problem) => problems.push(problem.message),
        }),
      ),
    );
    return found.flat();
  } catch (error) {
    problems.push(`sessions cannot be listed: ${messageOf(error)}`);
    return [];
  }
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}${sep}`);

/**
 * The stored trail of a session with new lines of its file; stored again if there are any.
 *
 * @param inherits whether a new trail begins with what the sessions before it left
 */
async function upToDate(
  options: TrailOptions,
  session: string,
  transcript: string,
  problems: string[],
  inherits = false,
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
    const goesOn = kept !== undefined && stretch.continues;
    const started = stretch.events.find((event) => event.type === 'facts')?.cwd;
    const cwd = options.cwd ?? kept?.fold.course.cwd ?? started ?? root;
    const here = gitPlace(cwd) ?? gitPlace(root);
    const tree = here?.linked === undefined || isInside(root, here.top) ? undefined : here.top;
    const first = stretch.events.find((event) => 'timestamp' in event && event.timestamp !== undefined);
    const began = first !== undefined && 'timestamp' in first ? first.timestamp : undefined;
    if (kept !== undefined && !goesOn && isAnother(kept, began)) setAside(root, kept);
    const { fold, forgotten } = goesOn
      ? kept
      : inherits
        ? await begun(options, [session, transcript], tree ?? root, began, problems)
        : { fold: newFold(tree ?? root), forgotten: [] };
    take(fold, stretch.events);
    const branch = fold.course.branch ?? here?.branch;
    const record: TrailRecord = {
      session,
      transcript,
      position: stretch.position,
      worktree: workTreeKey(here),
      updated: Date.parse(fold.course.time ?? '') || options.now,
      forgotten: kept?.forgotten ?? forgotten,
      fold,
      ...(branch !== undefined && { branch }),
      ...(fold.course.root !== root && { tree: fold.course.root }),
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

/**
 * Whether a session of the same id has begun anew: OpenClaw keeps the id of a chat, whatever is said in it. After a
 * rewind or a compaction the records begin where they began.
 * @param began when the session's first record was made
 */
function isAnother(kept: TrailRecord, began: string | undefined): boolean {
  return kept.fold.course.turn > 0 && (began === undefined || Date.parse(began) > kept.updated);
}

/** Keeps what is known of it as that of a session before. */
function setAside(root: string, kept: TrailRecord): void {
  const { transcript: _, ...record } = kept;
  writeTrail(
    root,
    { ...record, session: `${kept.session} until ${new Date(kept.updated).toISOString()}`, ended: true },
    false,
  );
}
