import { dirname, join } from 'node:path';
import { getMessage } from '../base/errors.ts';
import { DATA_DIR, ensureFolder, exists, isInside, tryList, tryRemove, tryStat } from '../base/fs/index.ts';
import { findGitPlace, type GitPlace } from '../base/git/place.ts';
import { isObject } from '../base/text/json.ts';
import { digestText } from '../base/text/strings.ts';
import { readSealed, writeSealed } from '../base/trust/seal.ts';
import { getChat } from '../session/actor.ts';
import { encodeFileName } from '../session/workspace.ts';
import { type Position, type Reading, readSession, type SessionOptions } from './read.ts';
import { createRecord, markStored, prepareRecord, type SessionRecord } from './record.ts';

/** Raise it when the form of a record changes: records of another version are read anew from the session files. */
const VERSION = 12;
const PURPOSE = 'records';
const MOST_RECORDS = 40;
/** Within a turn, fewer tokens of talk, and bytes, are not stored: the next event reads them again. */
const MOST_UNSTORED = 20_000;
const MOST_UNSTORED_BYTES = 1024 * 1024;

export interface StoredSession {
  session: string;
  path?: string;
  position?: Position;
  worktree: string;
  branch?: string;
  root: string;
  ended?: boolean;
  /** Ids of messages that a person does not want repeated. */
  forgotten: string[];
  /** The session that was given its messages. */
  takenBy?: string;
  /** The session that was told how it ended. */
  endToldTo?: string | undefined;
  record: SessionRecord;
}

export interface RecordUpdate extends StoredSession {
  /** The file is another one than before, or was cut: earlier places in it mean nothing. */
  anew: boolean;
  /** Another conversation has begun in the file; the one before it is stored as a session of its own. */
  another?: boolean | undefined;
  /** Time ran out before the end of the file: what the session did last is not known yet. */
  behind?: boolean | undefined;
}

const getFolder = (root: string): string => join(root, DATA_DIR, 'records');
const getFile = (root: string, session: string): string =>
  join(getFolder(root), `${encodeFileName(session)}.json`);

export const makeWorkTreeKey = (place: GitPlace | undefined): string =>
  place === undefined ? '' : digestText(place.gitDir);

export const getLastActivity = ({ record }: StoredSession): number => Date.parse(record.updated ?? '') || 0;

export const readStoredSession = (root: string, session: string): StoredSession | undefined =>
  parseStored(readSealed(getFile(root, session), PURPOSE));

export function readStoredSessions(root: string): StoredSession[] {
  const folder = getFolder(root);
  const names = tryList(folder).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => parseStored(readSealed(join(folder, name), PURPOSE)) ?? []);
}

/**
 * Stores a record. A workspace without `.scratchpad` stores none unless a person asked for it.
 * @param isRequested by a person: then it survives a power cut; any other record can be read again from the session file
 */
export function storeSession(root: string, stored: StoredSession, isRequested = false): void {
  if (!isRequested && !exists(join(root, DATA_DIR))) return;

  const folder = getFolder(root);
  ensureFolder(folder, 0o700);
  const content = { version: VERSION, ...stored, record: prepareRecord(stored.record) };
  writeSealed(getFile(root, stored.session), PURPOSE, content, { mode: 0o600, durable: isRequested });
  prune(folder);
}

export function endSession(root: string, session: string): void {
  const stored = readStoredSession(root, session);
  if (stored !== undefined && stored.ended !== true) storeSession(root, { ...stored, ended: true });
}

export interface UpdateOptions {
  root: string;
  session: string;
  path: string;
  cwd?: string | undefined;
  /** Postpones work until the answer is out; by default it is done at once. */
  later?: ((work: () => void) => void) | undefined;
  /** `Date.now()` at which to stop reading. */
  until?: number | undefined;
  /** The turn goes on: a little that is new is stored at its end. */
  midTurn?: boolean | undefined;
  isEnd?: boolean | undefined;
}

/**
 * How a reading relates to the record from before:
 * - `first`: there was none of this file;
 * - `continued`: the reading went on where the last one stopped;
 * - `replaced`: the file is another one than before, or was cut;
 * - `another`: a new conversation has begun, later than all of the old one. OpenClaw keeps the id of a chat for it.
 */
type Freshness = 'first' | 'continued' | 'replaced' | 'another';

/** The times of a record from before a reading, which changes the record. */
type Times = Pick<SessionRecord, 'began' | 'updated'>;

function classifyReading({ record, continues }: Reading, wasRead: boolean, before: Times): Freshness {
  const hadRecord = continues ? before.began !== undefined : wasRead;
  const { updated } = before;
  const beganLater = updated !== undefined && (record.began === undefined || record.began > updated);

  if (hadRecord && beganLater) return 'another';
  if (continues) return 'continued';

  return wasRead ? 'replaced' : 'first';
}

/**
 * Reads the new lines of a session's file into its record, and stores it if there are any.
 * @param onProblem is told why the file could not be read; the stored record is returned then
 */
export async function updateRecord(
  options: UpdateOptions,
  onProblem: (problem: string) => void,
): Promise<RecordUpdate | undefined> {
  const { root, session, path } = options;
  const saved = readStoredSession(root, session);
  // Hosts and people delete old sessions: the record of one stays true.
  if (!exists(path)) return saved && { ...saved, anew: false };

  const offset = saved?.path === path ? (saved.position?.offset ?? 0) : 0;

  try {
    return await readAndStore(options, saved, offset);
  } catch (error) {
    onProblem(`the session cannot be read: ${getMessage(error)}`);
    return saved && { ...saved, anew: (tryStat(path)?.size ?? 0) < offset };
  }
}

/** @param offset where the last reading of the file stopped */
async function readAndStore(
  options: UpdateOptions,
  saved: StoredSession | undefined,
  offset: number,
): Promise<RecordUpdate> {
  const { root, session, path, later = (work) => work() } = options;
  const tree = findTree(options.cwd ?? saved?.root ?? root, root);
  const { record, position } = saved ?? {};
  const { began, updated, talkTokens = 0 } = record ?? {};
  const canContinue = offset > 0 && saved?.root === tree && record !== undefined && position !== undefined;
  const after = canContinue ? { record, position } : undefined;

  const readOptions = { root: tree, session, until: options.until };
  const alone = await readSession(path, { ...readOptions, after });
  const read = (after === undefined && (await readOnBase(root, saved, path, alone, readOptions))) || alone;
  const reading = { ...read, record: prepareRecord(read.record, false) };
  // A chat keeps its key when a conversation in a new file follows.
  const wasRead = offset > 0 || (record !== undefined && getChat(session) !== undefined);
  const freshness = classifyReading(reading, wasRead, { began, updated });
  if (freshness === 'another') setAside(root, session);
  const grew = freshness !== 'continued' || reading.position.offset !== offset;
  const stored = makeStored(options, saved, reading, { tree, freshness, grew, updated });
  const isLittle =
    freshness === 'continued' &&
    saved !== undefined &&
    saved.ended === stored.ended &&
    saved.branch === stored.branch &&
    reading.record.talkTokens - talkTokens < MOST_UNSTORED &&
    reading.position.offset - offset < MOST_UNSTORED_BYTES;

  if (grew && !(options.midTurn === true && isLittle)) later(() => storeSession(root, stored));
  const isAnother = freshness === 'another';

  return {
    ...stored,
    anew: freshness === 'replaced' || isAnother,
    another: isAnother,
    behind: reading.behind,
  };
}

/**
 * Reads a file of Codex that continues a part of another one, after a fork or a rewind, together with that part.
 * @returns `undefined` if the file continues none, or the other one is not found
 */
async function readOnBase(
  root: string,
  saved: StoredSession | undefined,
  path: string,
  { record: { facts } }: Reading,
  options: SessionOptions,
): Promise<Reading | undefined> {
  if (facts.base === undefined) return undefined;

  const { thread, end } = facts.base;
  const earlier = saved?.session === thread ? saved : readStoredSession(root, thread);
  const folder = dirname(path);
  const beside = tryList(folder).filter((name) => name.includes(thread));
  const origin = [earlier?.path ?? path, ...beside.map((name) => join(folder, name))].find(
    (other) => other !== path && (tryStat(other)?.size ?? 0) >= end,
  );
  if (origin === undefined) return undefined;

  try {
    const { record } = await readSession(origin, { ...options, upTo: end });
    return await readSession(path, { ...options, onto: record });
  } catch {
    // The base ends within its first line, which Codex never writes.
    return undefined;
  }
}

function makeStored(
  { root, session, path, cwd: currentFolder, isEnd }: UpdateOptions,
  saved: StoredSession | undefined,
  { record, position }: Reading,
  {
    tree,
    freshness,
    grew,
    updated,
  }: { tree: string; freshness: Freshness; grew: boolean; updated?: string | undefined },
): StoredSession {
  const { facts } = record;
  const folder = currentFolder ?? facts.workingDirectory ?? facts.cwd ?? root;
  const place = findGitPlace(folder) ?? findGitPlace(root);
  const recordedBranch = (grew ? facts.branch : saved?.branch) ?? facts.branch;
  const isAtWork = currentFolder !== undefined && isEnd !== true;
  const isSame = freshness === 'first' || freshness === 'continued';
  // After `git worktree move` the session's folder is gone, and its work tree is not.
  const isMoved = saved !== undefined && !exists(folder);
  // A session with new records after its end was resumed. Hosts may write lines without a time after the end.
  const isResumed = freshness !== 'continued' || record.updated !== updated;

  return {
    ...{ session, path, position, record, root: tree },
    worktree: isMoved ? saved.worktree : makeWorkTreeKey(place),
    forgotten: saved?.forgotten ?? [],
    // Git knows the branch of a session at work; of any other, and of one that has just ended, HEAD may have moved on.
    branch: isAtWork ? (place?.branch ?? facts.branch) : (recordedBranch ?? place?.branch),
    takenBy: isSame ? saved?.takenBy : undefined,
    ended: isResumed ? undefined : saved?.ended,
    endToldTo: isResumed ? undefined : saved?.endToldTo,
  };
}

/** The folder that paths are relative to: the workspace, or a linked work tree outside of it. */
function findTree(cwd: string, root: string): string {
  const place = findGitPlace(cwd);
  return place?.linked === undefined || isInside(root, place.top) ? root : place.top;
}

/** Stores the record of a conversation that another one replaces as a session of its own. */
function setAside(root: string, session: string): void {
  const stored = readStoredSession(root, session);
  if (stored === undefined) return;
  const { path: _, position: __, ...rest } = stored;
  storeSession(root, { ...rest, session: `${session} until ${stored.record.updated ?? ''}`, ended: true });
}

function prune(folder: string): void {
  const paths = tryList(folder).flatMap((name) => (name.endsWith('.json') ? join(folder, name) : []));
  if (paths.length <= MOST_RECORDS) return;
  const byAge = paths.map((path) => ({ path, time: tryStat(path)?.mtimeMs ?? 0 }));
  byAge.sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(MOST_RECORDS)) tryRemove(path);
}

/** @param value from a sealed file: its form is ours. From another version only what no session file has is taken. */
function parseStored(value: unknown): StoredSession | undefined {
  if (!isObject(value)) return undefined;

  const { version, ...stored } = value as object as StoredSession & { version: number };
  if (version !== VERSION) return { ...stored, record: createRecord(''), position: undefined };

  markStored(stored.record);
  return stored;
}
