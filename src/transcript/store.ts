import { basename, join, sep } from 'node:path';
import { messageOf } from '../base/errors.ts';
import {
  bytesAt,
  DATA_DIR,
  ensureFolder,
  exists,
  openFile,
  tryList,
  tryReadJson,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { anything, list, number, record, type Shape, text, truth } from '../base/fs/own.ts';
import { type GitPlace, gitPlace } from '../base/git/place.ts';
import { isObject, parsedObject, textAt } from '../base/text/json.ts';
import { digest } from '../base/text/strings.ts';
import { fileNameFor } from '../session/workspace.ts';
import { type Position, readSession } from './read.ts';
import { forStore, itemsOf, markStored, newRecord, type SessionRecord } from './record.ts';

/** Raised when the form of a record changes: records of another version are read anew from the session files. */
const VERSION = 5;
const MOST_RECORDS = 40;
/** Within a turn, so many tokens of talk are read again at the next event instead of being stored. */
const MOST_UNSTORED = 20_000;

export interface StoredSession {
  session: string;
  path?: string;
  position?: Position;
  worktree: string;
  branch?: string;
  /** The directory that its paths are relative to. */
  root: string;
  /** Set once the host has reported the end of the session. */
  ended?: boolean;
  /** It came from another machine, by an earlier version. */
  machine?: string;
  /** Ids of messages that a person does not want repeated. */
  forgotten: string[];
  /** The session that took its messages over, which no other needs to be told then. */
  takenBy?: string;
  record: SessionRecord;
}

export interface UpToDate extends StoredSession {
  /** The file is another one than before, or was cut: what was known of places in it is void. */
  anew: boolean;
  /** Another conversation has begun in it; that of before is stored as a session of its own. */
  another?: boolean | undefined;
  /** Time ran out while it was read: what it did last is not known yet. */
  behind?: boolean | undefined;
}

const folderOf = (root: string): string => join(root, DATA_DIR, 'records');
const fileOf = (root: string, session: string): string =>
  join(folderOf(root), `${fileNameFor(session)}.json`);

/** A short key to compare work trees. */
export const workTreeKey = (place: GitPlace | undefined): string =>
  place === undefined ? '' : digest(place.gitDir);

export const lastActive = ({ record }: StoredSession): number => Date.parse(record.updated ?? '') || 0;

export const storedSession = (root: string, session: string): StoredSession | undefined =>
  storedFrom(tryReadJson(fileOf(root, session), 'cache'));

export function storedSessions(root: string): StoredSession[] {
  const folder = folderOf(root);
  const names = tryList(folder).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => storedFrom(tryReadJson(join(folder, name), 'cache')) ?? []);
}

/**
 * Stores a record. A workspace without `.scratchpad` stores none unless a person asked for it.
 * @param asked then it has to outlast the power; what is lost otherwise is read again from the session file
 */
export function storeSession(root: string, stored: StoredSession, asked = false): void {
  if (!asked && tryStat(join(root, DATA_DIR)) === undefined) return;
  const folder = folderOf(root);
  ensureFolder(folder, 0o700);
  const text = JSON.stringify({ version: VERSION, ...stored, record: forStore(stored.record) });
  writeAtomically(fileOf(root, stored.session), text, { mode: 0o600, durable: asked });
  prune(folder);
}

export function endSession(root: string, session: string): void {
  const stored = storedSession(root, session);
  if (stored !== undefined && stored.ended !== true) storeSession(root, { ...stored, ended: true });
}

export interface UpdateOptions {
  root: string;
  session: string;
  path: string;
  cwd?: string | undefined;
  /** Is given what can wait until the answer is out; done at once where nobody takes it. */
  later?: ((work: () => void) => void) | undefined;
  /** `Date.now()` at which to stop reading. */
  until?: number | undefined;
  /** Whether the turn goes on: what is little and new is stored at its end. */
  midTurn?: boolean | undefined;
}

/**
 * The record of a session with the new lines of its file; stored again if there are any.
 * @param onProblem is told why the file could not be read; the stored record is returned then
 */
export async function upToDate(
  given: UpdateOptions,
  onProblem: (problem: string) => void,
): Promise<UpToDate | undefined> {
  const { root, session, path, later = (work) => work() } = given;
  const kept = storedSession(root, session);
  // Hosts and people delete old sessions: what is known of one stays true.
  if (!exists(path)) return kept && { ...kept, anew: false };
  const tree = treeOf(given.cwd ?? kept?.root ?? root, root);
  const after =
    kept?.path === path && kept.position !== undefined && kept.root === tree
      ? { record: kept.record, position: kept.position }
      : undefined;
  // The record is changed by the reading.
  const { began, updated, talk = 0 } = kept?.record ?? {};
  const offset = kept?.position?.offset ?? 0;
  try {
    const options = { root: tree, session, after, until: given.until };
    const { record, position, continues, behind } = await readSession(path, options);
    const isFresh = kept?.path === path && offset > 0 && !continues;
    // OpenClaw keeps the id of a chat, whatever is said in it; after a rewind or a compaction the records begin where
    // they began.
    const another =
      (isFresh || (continues && began !== undefined)) &&
      updated !== undefined &&
      (record.began === undefined || record.began > updated);
    if (another) setAside(root, session);
    const { cwd, workingDirectory, branch: said } = record.facts;
    const here = gitPlace(given.cwd ?? workingDirectory ?? cwd ?? root) ?? gitPlace(root);
    const grew = !continues || position.offset !== kept?.position?.offset;
    const then = (grew ? said : kept?.branch) ?? said;
    const anew = isFresh || another;
    const stored: StoredSession = {
      session,
      path,
      position,
      root: tree,
      worktree: workTreeKey(here),
      forgotten: kept?.forgotten ?? [],
      record,
      // At work, git knows; afterwards HEAD may have moved on.
      branch: given.cwd === undefined ? (then ?? here?.branch) : (here?.branch ?? said),
      takenBy: anew ? undefined : kept?.takenBy,
      // It goes on after its end: resumed. Hosts write lines without a time after the end.
      ended: continues && record.updated === updated ? kept?.ended : undefined,
    };
    const canWait =
      given.midTurn === true &&
      kept !== undefined &&
      !isFresh &&
      kept.ended === stored.ended &&
      kept.branch === stored.branch &&
      record.talk - talk < MOST_UNSTORED;
    if (grew && !canWait) later(() => storeSession(root, stored));
    return { ...stored, anew, another, behind };
  } catch (error) {
    onProblem(`the session cannot be read: ${messageOf(error)}`);
    return kept && { ...kept, anew: (tryStat(path)?.size ?? 0) < offset };
  }
}

/** What paths are relative to: the workspace, or a linked work tree outside of it. */
function treeOf(cwd: string, root: string): string {
  const here = gitPlace(cwd);
  if (here?.linked === undefined || here.top === root || here.top.startsWith(`${root}${sep}`)) return root;
  return here.top;
}

/** Keeps what is stored of a session that begins anew as that of a session before. */
function setAside(root: string, session: string): void {
  const kept = storedSession(root, session);
  if (kept === undefined) return;
  const { path: _, position: __, ...rest } = kept;
  storeSession(root, { ...rest, session: `${session} until ${kept.record.updated ?? ''}`, ended: true });
}

function prune(folder: string): void {
  const paths = tryList(folder).flatMap((name) => (name.endsWith('.json') ? join(folder, name) : []));
  if (paths.length <= MOST_RECORDS) return;
  const byAge = paths.map((path) => ({ path, time: tryStat(path)?.mtimeMs ?? 0 }));
  byAge.sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(MOST_RECORDS)) tryRemove(path);
}

const STORED = record(
  { session: text, root: text, version: number, record: anything },
  {
    worktree: text,
    forgotten: list(text),
    path: text,
    branch: text,
    machine: text,
    takenBy: text,
    ended: truth,
    position: record({ offset: number, mark: text }),
  },
);

/** Of another version stays what its file does not say. */
function storedFrom(value: unknown): StoredSession | undefined {
  const known = STORED(value);
  if (known === undefined) return undefined;
  const { version, record: kept, position, ...rest } = known;
  const isCurrent = version === VERSION;
  const found = isCurrent ? recordFrom(kept) : newRecord('');
  if (found === undefined) return undefined;
  const isPlace = isCurrent && position !== undefined && position.offset >= -1;
  return { worktree: '', forgotten: [], ...rest, record: found, position: isPlace ? position : undefined };
}

/** A record whose fields have the types of an empty one, and whose entries refer to earlier ones; otherwise none. */
function recordFrom(value: unknown): SessionRecord | undefined {
  if (!isObject(value)) return undefined;
  const empty = newRecord('');
  const isLike = ([key, like]: [string, unknown]): boolean =>
    key === 'leaf' || (Array.isArray(like) ? Array.isArray(value[key]) : typeof value[key] === typeof like);
  if (!Object.entries(empty).every(isLike) || value.facts === null) return undefined;
  const found = { ...empty, ...value } as SessionRecord;
  const isPlace = (place: unknown, before: number): boolean =>
    place === null || (typeof place === 'number' && place >= 0 && place < before);
  const isEntry = (entry: unknown, index: number): boolean =>
    isObject(entry) &&
    isPlace(entry.up, index) &&
    typeof entry.id === 'string' &&
    Array.isArray(entry.items) &&
    entry.items.every((item) => isObject(item) && typeof item.type === 'string');
  if (!isPlace(found.leaf, found.entries.length) || !found.entries.every(isEntry)) return undefined;
  markStored(found);
  return found;
}

/** A place in a growing session file, at which the model was told something. */
export interface ReadPlace {
  path: string;
  size: number;
  /** Length of the conversation up to there, in estimated tokens. */
  talk: number;
  /** The host's id of the newest message or call, by which a fork of the session is known. */
  tip?: string;
  /** Whether what comes before it was complete: at the start of a window it may not be. */
  tied?: boolean;
}

export const readPlace: Shape<ReadPlace> = record(
  { path: text, size: number, talk: number },
  { tied: truth, tip: text },
);

/** What happened to a session since an earlier place. */
export interface Followed {
  /**
   * Whether everything up to that place is still in the conversation: false after a rewind, an unannounced compaction,
   * or if the file was replaced.
   */
  holds: boolean;
  /** After a rewind: the time of the last event that is still in the conversation, epoch milliseconds. */
  forkedAt?: number;
  /** After a rewind: whether the conversation has continued from there, with the last prompt. */
  goesOn?: boolean;
  place: ReadPlace;
}

/** Compares a session with an earlier place in it. Codex continues in a second file after a rewind. */
export function follow(
  { path = '', position, record: known, anew }: UpToDate,
  from: ReadPlace | undefined,
): Followed {
  const items = itemsOf(known);
  const tip = items.findLast(
    ({ type, id }) => type !== 'result' && type !== 'did' && !id.startsWith('@'),
  )?.id;
  const place = { path, size: position?.offset ?? 0, talk: Math.round(known.talk), tied: true, tip };
  if (from === undefined) return { holds: true, place };
  const { base } = known.facts;
  if (from.path !== path) {
    if (base === undefined || !basename(from.path).includes(base.thread)) return { holds: true, place };
    return { holds: false, forkedAt: timeBefore(from.path, base.end), place };
  }
  if (anew || from.size > place.size) return { holds: false, place };
  if (from.tied !== true) return { holds: true, place };
  // What was taken back before a compaction, or taken out by one, is another matter: it begins a window by itself.
  const compaction = items.findLast(({ type }) => type === 'compacted')?.at ?? -1;
  const rewinds = known.rewinds.filter(({ at, to }) => at >= from.size && to < from.size && at > compaction);
  const compacted = compaction >= from.size;
  if (rewinds.length === 0) return { holds: !(compacted && known.format === 'claude-code'), place };
  const times = rewinds.map(({ time }) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time));
  const last = Math.max(...rewinds.map(({ at }) => at));
  const forkedAt = times.length > 0 ? Math.min(...times) : undefined;
  return { holds: false, forkedAt, goesOn: items.some(({ at }) => at >= last), place };
}

/** Enough for the last line before a place. */
const LINE_BYTES = 256 * 1024;

function timeBefore(path: string, end: number): number | undefined {
  const file = openFile(path, 'transcript');
  const start = Math.max(0, end - LINE_BYTES);
  const lines = file === undefined ? '' : bytesAt(file.fd, start, end - start).toString('utf8');
  file?.close();
  const time = Date.parse(textAt(parsedObject(lines.trimEnd().split('\n').at(-1)), 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}
