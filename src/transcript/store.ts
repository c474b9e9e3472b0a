import { basename, dirname, join, sep } from 'node:path';
import { getMessage } from '../base/errors.ts';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  openFile,
  readBytesFrom,
  tryList,
  tryRemove,
  tryStat,
} from '../base/fs/index.ts';
import { number, record, type Shape, text, truth } from '../base/fs/json-shape.ts';
import { findGitPlace, type GitPlace } from '../base/git/place.ts';
import { getString, isObject, parseObject } from '../base/text/json.ts';
import { digestText } from '../base/text/strings.ts';
import { readSealed, writeSealed } from '../base/trust/seal.ts';
import { encodeFileName } from '../session/workspace.ts';
import { type Position, type Reading, readSession, type SessionOptions } from './read.ts';
import { createRecord, listItems, markStored, prepareRecord, type SessionRecord } from './record.ts';

/** Raised when the form of a record changes: records of another version are read anew from the session files. */
const VERSION = 10;
const PURPOSE = 'records';
const MOST_RECORDS = 40;
/** Within a turn, so many tokens of talk, or bytes, are read again at the next event instead of being stored. */
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
  /** The sessions that were told its messages, and its open end: no other needs to be. */
  takenBy?: string;
  endToldTo?: string | undefined;
  record: SessionRecord;
}

export interface RecordUpdate extends StoredSession {
  /** The file is another one than before, or was cut: what was known of places in it is void. */
  anew: boolean;
  /** Another conversation has begun in it; that of before is stored as a session of its own. */
  another?: boolean | undefined;
  /** Time ran out while it was read: what it did last is not known yet. */
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
 * @param asked then it has to outlast the power; what is lost otherwise is read again from the session file
 */
export function storeSession(root: string, stored: StoredSession, asked = false): void {
  if (!asked && tryStat(join(root, DATA_DIR)) === undefined) return;

  const folder = getFolder(root);
  ensureFolder(folder, 0o700);
  const content = { version: VERSION, ...stored, record: prepareRecord(stored.record) };
  writeSealed(getFile(root, stored.session), PURPOSE, content, { mode: 0o600, durable: asked });
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
  /** Is given what can wait until the answer is out; done at once where nobody takes it. */
  later?: ((work: () => void) => void) | undefined;
  /** `Date.now()` at which to stop reading. */
  until?: number | undefined;
  /** Whether the turn goes on: what is little and new is stored at its end. */
  midTurn?: boolean | undefined;
}

/**
 * What a reading found in the place of what was known:
 * - `first`: nothing was known of this file;
 * - `continued`: the reading went on where the last one stopped;
 * - `replaced`: the file is another one than before, or was cut;
 * - `another`: a new conversation has begun in it. OpenClaw keeps the id of a chat, whatever is said in it; after a rewind
 *   or a compaction the records begin where they began.
 */
type Freshness = 'first' | 'continued' | 'replaced' | 'another';

/** The times of a record, kept because a reading changes the record. */
type Times = Pick<SessionRecord, 'began' | 'updated'>;

function classifyReading({ record, continues }: Reading, wasRead: boolean, before: Times): Freshness {
  const isKnown = continues ? before.began !== undefined : wasRead;
  const { updated } = before;
  const isLater = updated !== undefined && (record.began === undefined || record.began > updated);

  if (isKnown && isLater) return 'another';
  if (continues) return 'continued';

  return wasRead ? 'replaced' : 'first';
}

/**
 * The record of a session with the new lines of its file; stored again if there are any.
 * @param onProblem is told why the file could not be read; the stored record is returned then
 */
export async function updateRecord(
  given: UpdateOptions,
  onProblem: (problem: string) => void,
): Promise<RecordUpdate | undefined> {
  const { root, session, path } = given;
  const saved = readStoredSession(root, session);
  // Hosts and people delete old sessions: what is known of one stays true.
  if (!exists(path)) return saved && { ...saved, anew: false };

  const tree = findTree(given.cwd ?? saved?.root ?? root, root);
  const { record, position } = saved ?? {};
  const { began, updated, talkTokens = 0 } = record ?? {};
  const offset = saved?.path === path ? (position?.offset ?? 0) : 0;
  const canGoOn = offset > 0 && saved?.root === tree && record !== undefined && position !== undefined;
  const after = canGoOn ? { record, position } : undefined;

  try {
    const options = { root: tree, session, until: given.until };
    const alone = await readSession(path, { ...options, after });
    const reading = (after === undefined && (await readOnBase(root, saved, path, alone, options))) || alone;
    const freshness = classifyReading(reading, offset > 0, { began, updated });
    if (freshness === 'another') setAside(root, session);
    const grew = freshness !== 'continued' || reading.position.offset !== offset;
    const stored = makeStored(given, saved, reading, { tree, freshness, grew, updated });
    const isLittle =
      freshness === 'continued' &&
      saved !== undefined &&
      saved.ended === stored.ended &&
      saved.branch === stored.branch &&
      reading.record.talkTokens - talkTokens < MOST_UNSTORED &&
      reading.position.offset - offset < MOST_UNSTORED_BYTES;

    const { later = (work) => work() } = given;

    if (grew && !(given.midTurn === true && isLittle)) later(() => storeSession(root, stored));
    const anew = freshness === 'replaced' || freshness === 'another';

    return { ...stored, anew, another: freshness === 'another', behind: reading.behind };
  } catch (error) {
    onProblem(`the session cannot be read: ${getMessage(error)}`);
    return saved && { ...saved, anew: (tryStat(path)?.size ?? 0) < offset };
  }
}

/**
 * Reads a file of Codex that goes on with a part of another one, after a fork or a rewind: that part first.
 * @returns `undefined` if the file stands for itself, or the other one is not known
 */
async function readOnBase(
  root: string,
  kept: StoredSession | undefined,
  path: string,
  { record: { facts } }: Reading,
  options: SessionOptions,
): Promise<Reading | undefined> {
  if (facts.base === undefined) return undefined;

  const { thread, end } = facts.base;
  const earlier = kept?.session === thread ? kept : readStoredSession(root, thread);
  const beside = tryList(dirname(path)).filter((name) => name.includes(thread));
  const origin = [
    ...(earlier?.path === undefined ? [] : [earlier.path]),
    ...beside.map((name) => join(dirname(path), name)),
  ].find((other) => other !== path && (tryStat(other)?.size ?? 0) >= end);

  if (origin === undefined) return undefined;

  try {
    const { record } = await readSession(origin, { ...options, upTo: end });
    return await readSession(path, { ...options, onto: record });
  } catch {
    // An end within the first line, as no fork has.
    return undefined;
  }
}

function makeStored(
  given: UpdateOptions,
  kept: StoredSession | undefined,
  { record, position }: Reading,
  found: { tree: string; freshness: Freshness; grew: boolean; updated: string | undefined },
): StoredSession {
  const { root, session, path } = given;
  const { cwd, workingDirectory, branch: said } = record.facts;
  const folder = given.cwd ?? workingDirectory ?? cwd ?? root;
  const here = findGitPlace(folder) ?? findGitPlace(root);
  const then = (found.grew ? said : kept?.branch) ?? said;
  const isSame = found.freshness === 'first' || found.freshness === 'continued';
  // After 'git worktree move' the session's folder is gone, and its work tree is not.
  const isMoved = kept !== undefined && tryStat(folder) === undefined;
  // It goes on after its end: resumed. Hosts write lines without a time after the end.
  const isOver = found.freshness === 'continued' && record.updated === found.updated;

  return {
    ...{ session, path, position, record, root: found.tree },
    worktree: isMoved ? kept.worktree : makeWorkTreeKey(here),
    forgotten: kept?.forgotten ?? [],
    // At work, git knows; then HEAD may move on.
    branch: given.cwd === undefined ? (then ?? here?.branch) : (here?.branch ?? said),
    takenBy: isSame ? kept?.takenBy : undefined,
    ended: isOver ? kept?.ended : undefined,
    endToldTo: isOver ? kept?.endToldTo : undefined,
  };
}

/** What paths are relative to: the workspace, or a linked work tree outside of it. */
function findTree(cwd: string, root: string): string {
  const here = findGitPlace(cwd);
  if (here?.linked === undefined || here.top === root || here.top.startsWith(`${root}${sep}`)) return root;
  return here.top;
}

/** Keeps what is stored of a session that begins anew as that of a session before. */
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

/** A seal is ours, and so is the form of this version; of another one stays what the session file does not say. */
function parseStored(value: unknown): StoredSession | undefined {
  if (!isObject(value)) return undefined;
  const { version, ...stored } = value as object as StoredSession & { version: number };
  if (version !== VERSION) return { ...stored, record: createRecord(''), position: undefined };
  markStored(stored.record);
  return stored;
}

/** A place in a growing session file, at which the model was told something. */
export interface ReadingPlace {
  path: string;
  size: number;
  /** Length of the conversation up to there, in estimated tokens. */
  talk: number;
  /** The host's id of the newest message or call, by which a fork of the session is known. */
  tip?: string;
  /** Whether what comes before it was complete: at the start of a window it may not be. */
  tied?: boolean;
}

export const readPlace: Shape<ReadingPlace> = record(
  { path: text, size: number, talk: number },
  { tied: truth, tip: text },
);

/** What happened to a session since an earlier place. */
export interface ConversationChange {
  /**
   * Whether everything up to that place is still in the conversation: false after a rewind, an unannounced compaction,
   * or if the file was replaced.
   */
  isIntact: boolean;
  /** After a rewind: the time of the last event that is still in the conversation, epoch milliseconds. */
  rewoundTo?: number;
  /** After a rewind: whether the conversation has continued from there, with the last prompt. */
  hasContinued?: boolean;
  place: ReadingPlace;
}

/** Compares a session with an earlier place in it. Codex continues in a second file after a rewind. */
export function follow(
  { path = '', position, record: known, anew }: RecordUpdate,
  from: ReadingPlace | undefined,
): ConversationChange {
  const items = listItems(known);
  const tip = items.findLast(
    ({ type, id }) => type !== 'result' && type !== 'did' && !id.startsWith('@'),
  )?.id;
  const place = { path, size: position?.offset ?? 0, talk: Math.round(known.talkTokens), tied: true, tip };

  if (from === undefined) return { isIntact: true, place };

  const { base } = known.facts;
  if (from.path !== path) {
    const isFrom = base !== undefined && basename(from.path).includes(base.thread);
    if (!isFrom || base.end >= from.size) return { isIntact: true, place };
    return { isIntact: false, rewoundTo: timeBefore(from.path, base.end), place };
  }

  if (anew || from.size > place.size) return { isIntact: false, place };
  if (from.tied !== true) return { isIntact: true, place };

  // What was taken back before a compaction, or taken out by one, is another matter: it begins a window by itself.
  const compaction = items.findLast(({ type }) => type === 'compacted')?.at ?? -1;
  const rewinds = known.rewinds.filter(({ at, to }) => at >= from.size && to < from.size && at > compaction);
  const compacted = compaction >= from.size;

  if (rewinds.length === 0) return { isIntact: !(compacted && known.format === 'claude-code'), place };

  const times = rewinds.map(({ time }) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time));
  const last = Math.max(...rewinds.map(({ at }) => at));
  const rewoundTo = times.length > 0 ? Math.min(...times) : undefined;

  return { isIntact: false, rewoundTo, hasContinued: items.some(({ at }) => at >= last), place };
}

const LINE_BYTES = 256 * 1024;

function timeBefore(path: string, end: number): number | undefined {
  const file = openFile(path, 'transcript');
  const start = Math.max(0, end - LINE_BYTES);
  const lines = file === undefined ? '' : readBytesFrom(file.fd, start, end - start).toString('utf8');

  file?.close();
  const time = Date.parse(getString(parseObject(lines.trimEnd().split('\n').at(-1)), 'timestamp') ?? '');

  return Number.isNaN(time) ? undefined : time;
}
