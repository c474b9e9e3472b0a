import { refused, ScratchpadError } from '../../base/errors.ts';
import { isObject, type JsonObject, numberAt, parsedObject, textAt } from '../../base/text/json.ts';
import { isoTime } from '../content.ts';
import type { SessionEvent } from '../event.ts';
import { Fold } from '../fold.ts';
import type { SessionRef } from '../home.ts';
import type { Reading, SessionOptions } from '../read.ts';
import { assignGiven, newRecord, type SessionRecord } from '../record.ts';
import { MAX_LINE, unpackZstd } from '../source.ts';
import { DEFAULT_LIMIT } from '../window.ts';
import { isUnattended } from './openclaw.ts';
import { OpenClawDatabase } from './openclaw-database.ts';
import { piEvents, piFormat } from './pi.ts';

const FORMAT = 'openclaw-sqlite';
/** Rows to process before other work gets a turn. */
const BATCH = 64;
/** Most bytes of events to read at once. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Sequence numbers begin at 0. */
const BEFORE_ALL = -1;

/**
 * Reads one session of an OpenClaw database: `options.session` by key or id, else the last one in which a
 * person spoke. The position is a sequence number.
 * @throws {ScratchpadError} `refused` if there is no such session, otherwise like `OpenClawDatabase.open`
 */
export async function readOpenClawSession(path: string, options: SessionOptions): Promise<Reading> {
  const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES } = options;
  const database = OpenClawDatabase.open(path);
  try {
    const session = pickSession(database, options.session);
    const record = newRecord({ ...piFormat, name: FORMAT });
    if (session === undefined)
      return { record, position: { offset: BEFORE_ALL, mark: '' }, continues: false };
    const projected = isProjected(database, session.id);
    const continues =
      after?.position.mark === session.id &&
      (!projected || isActive(database, session.id, after.position.offset));
    const reading = continues ? after.record : record;
    if (!continues) {
      reading.facts.session = session.id;
      const header = await eventOf(headerRow(database, session.id));
      if (header?.type === 'session') new Fold(reading, root, limit).take(piEvents(header, 0), 0);
    }
    const from = continues ? after.position.offset : BEFORE_ALL;
    const fold = new Fold(reading, root, limit);
    const offset = await foldRows(database, session.id, { from, projected, mostBytes }, fold);
    learnEntry(reading, session.entry);
    fold.slim();
    return { record: reading, position: { offset, mark: session.id }, continues };
  } finally {
    database.close();
  }
}

/** The sessions of a database in which a person takes part and which are not archived. */
export async function listOpenClawSessions(path: string): Promise<SessionRef[]> {
  const database = OpenClawDatabase.open(path);
  try {
    const refs: SessionRef[] = [];
    for (const node of attended(database)) {
      const lastActive = isoTime(lastSpoken(node));
      const key = textAt(node, 'session_key');
      const id = textAt(node, 'current_session_id');
      if (key === undefined || id === undefined || lastActive === undefined) continue;
      const ref: SessionRef = { host: 'openclaw', id: key, path, lastActive };
      const cwd = await directoryOf(database, id, entryOf(node));
      if (cwd !== undefined) ref.cwd = cwd;
      refs.push(ref);
    }
    return refs;
  } finally {
    database.close();
  }
}

function* attended(database: OpenClawDatabase): Generator<JsonObject> {
  const columns = database.columns('session_nodes');
  const wanted = ['session_key', 'current_session_id', 'entry_json', 'updated_at', 'last_interaction_at']
    .concat(['last_activity_at', 'archived_at', 'spawned_by', 'created_via'])
    .filter((name) => columns.has(name));
  const spoken = ['last_interaction_at', 'last_activity_at', 'updated_at'].filter((name) =>
    columns.has(name),
  );
  for (const node of database.rows(
    `SELECT ${wanted.join(', ')} FROM session_nodes ORDER BY coalesce(${spoken.join(', ')}, 0) DESC, session_key`,
  )) {
    const unattended =
      isUnattended(textAt(node, 'session_key') ?? '') ||
      textAt(node, 'spawned_by') !== undefined ||
      ['cron', 'spawn'].includes(textAt(node, 'created_via') ?? '');
    if (!unattended && numberAt(node, 'archived_at') === undefined) yield node;
  }
}

function lastSpoken(node: JsonObject): number | undefined {
  return (
    numberAt(node, 'last_interaction_at') ??
    numberAt(node, 'last_activity_at') ??
    numberAt(node, 'updated_at')
  );
}

interface Picked {
  id: string;
  entry: JsonObject;
}

/** The requested session, by key or id; without one the last in which a person spoke. */
function pickSession(database: OpenClawDatabase, wanted: string | undefined): Picked | undefined {
  if (wanted === undefined) {
    for (const node of attended(database)) {
      const id = textAt(node, 'current_session_id');
      if (id !== undefined) return { id, entry: entryOf(node) };
    }
    return undefined;
  }
  const node = database.row(
    'SELECT current_session_id, entry_json FROM session_nodes WHERE session_key = ?1 OR current_session_id = ?1 LIMIT 1',
    wanted,
  );
  const id = textAt(node, 'current_session_id');
  if (id !== undefined) return { id, entry: entryOf(node) };
  // A session generation that was replaced by a newer one.
  const older = database.row('SELECT 1 AS found FROM transcript_events WHERE session_id = ? LIMIT 1', wanted);
  if (older !== undefined) return { id: wanted, entry: {} };
  throw refused('no such session in the OpenClaw database', {
    where: database.path,
    found: wanted,
    next: { to: 'see the existing sessions', command: 'scratchpad transcript list' },
  });
}

function entryOf(node: JsonObject | undefined): JsonObject {
  return parsedObject(textAt(node, 'entry_json')) ?? {};
}

function learnEntry({ facts }: SessionRecord, entry: JsonObject): void {
  const told = {
    model: textAt(entry, 'model'),
    tokensUsed: numberAt(entry, 'totalTokens'),
    contextWindow: numberAt(entry, 'contextTokens'),
    cwd: textAt(entry, 'spawnedCwd') ?? textAt(entry, 'execCwd'),
  };
  assignGiven(facts, { ...told, ...facts });
}

/** Where a session ran, from its header or from the host's own record of it. */
async function directoryOf(
  database: OpenClawDatabase,
  id: string,
  entry: JsonObject,
): Promise<string | undefined> {
  const header = await eventOf(headerRow(database, id));
  return textAt(header, 'cwd') ?? textAt(entry, 'spawnedCwd') ?? textAt(entry, 'execCwd');
}

function headerRow(database: OpenClawDatabase, id: string): JsonObject | undefined {
  return database.row(
    `SELECT ${payload(database)} FROM transcript_events e WHERE e.session_id = ? ORDER BY e.seq LIMIT 1`,
    id,
  );
}

/** An event is in one of two columns; databases before schema 23 have only the first. */
function payload(database: OpenClawDatabase): string {
  const packed = database.columns('transcript_events').has('event_zstd') ? ', e.event_zstd' : '';
  return `e.seq, CASE WHEN octet_length(e.event_json) <= ${MAX_LINE} THEN e.event_json END AS event_json${packed}`;
}

/**
 * Adds the events after a sequence number, oldest first: those that the host lists as active, or if it keeps no list,
 * all of them as a tree.
 * @returns the last sequence number
 */
async function foldRows(
  database: OpenClawDatabase,
  id: string,
  range: { from: number; projected: boolean; mostBytes: number },
  fold: Fold,
): Promise<number> {
  const { from, projected, mostBytes } = range;
  const tables = projected
    ? 'session_transcript_active_events a JOIN transcript_events e ON e.session_id = a.session_id AND e.seq = a.event_seq'
    : 'transcript_events e';
  const last = database.row('SELECT max(seq) AS seq FROM transcript_events WHERE session_id = ?', id);
  let count = 0;
  for (const row of database.rows(
    `SELECT ${payload(database)} FROM ${tables} WHERE e.session_id = ? AND e.seq > ? ORDER BY ${projected ? 'a.active_position' : 'e.seq'}`,
    id,
    Math.max(from, startWithin(database, id, mostBytes)),
  )) {
    if (++count % BATCH === 0) await new Promise((resume) => setImmediate(resume));
    const event = await eventOf(row);
    const seq = numberAt(row, 'seq') ?? 0;
    if (event === undefined) fold.take([{ type: 'skip', reason: 'event that cannot be read' }], seq);
    else fold.take(projected ? straight(piEvents(event, seq)) : piEvents(event, seq), seq);
  }
  return numberAt(last, 'seq') ?? BEFORE_ALL;
}

/** Events of the active path follow each other. */
const straight = (events: SessionEvent[]): SessionEvent[] =>
  events.map((event) => {
    if (event.type !== 'record') return event;
    const { parent: _, ...start } = event;
    return start;
  });

/** The sequence number after which the events take at most so many bytes. */
function startWithin(database: OpenClawDatabase, id: string, mostBytes: number): number {
  if (mostBytes === Number.POSITIVE_INFINITY) return BEFORE_ALL;
  const packed = database.columns('transcript_events').has('event_zstd');
  const size = packed
    ? 'coalesce(octet_length(event_json), octet_length(event_zstd))'
    : 'octet_length(event_json)';
  const row = database.row(
    `SELECT max(seq) AS seq FROM (SELECT seq, sum(${size}) OVER (ORDER BY seq DESC) AS total
      FROM transcript_events WHERE session_id = ?1) WHERE total > ?2`,
    id,
    mostBytes,
  );
  return numberAt(row, 'seq') ?? BEFORE_ALL;
}

/** Whether an event is still on the active path, as far as the host's own list tells. */
function isActive(database: OpenClawDatabase, id: string, seq: number): boolean {
  if (seq === BEFORE_ALL) return true;
  const row = database.row(
    'SELECT 1 AS found FROM session_transcript_active_events WHERE session_id = ?1 AND event_seq = ?2',
    id,
    seq,
  );
  return row !== undefined;
}

/** Whether the host's own list of the active path exists and is up to date. */
function isProjected(database: OpenClawDatabase, id: string): boolean {
  const state = database.columns('session_transcript_index_state');
  if (!['indexed_seq', 'needs_rebuild', 'active_event_count'].every((name) => state.has(name))) return false;
  if (!database.columns('session_transcript_active_events').has('event_seq')) return false;
  const row = database.row(
    `SELECT 1 AS fresh FROM session_transcript_index_state WHERE session_id = ?1 AND needs_rebuild = 0
      AND active_event_count = (SELECT count(*) FROM session_transcript_active_events WHERE session_id = ?1)
      AND indexed_seq >= (SELECT max(seq) FROM transcript_events WHERE session_id = ?1)`,
    id,
  );
  return row !== undefined;
}

async function eventOf(row: JsonObject | undefined): Promise<JsonObject | undefined> {
  try {
    const packed = row?.event_zstd;
    const text =
      packed instanceof Uint8Array
        ? (await unpackZstd(packed, MAX_LINE)).toString('utf8')
        : textAt(row, 'event_json');
    const event: unknown = JSON.parse(text ?? '');
    return isObject(event) ? event : undefined;
  } catch (error) {
    if (error instanceof ScratchpadError) throw error;
    return undefined;
  }
}
