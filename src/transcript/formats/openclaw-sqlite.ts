import { ScratchpadError } from '../../errors.ts';
import { isObject, type JsonObject, numberAt, parsedObject, textAt } from '../../text/json.ts';
import { Collector } from '../collector.ts';
import type { EventSink } from '../event.ts';
import type { Link } from '../format.ts';
import type { SessionRef } from '../home.ts';
import { MAX_LINE } from '../lines.ts';
import { isoTime } from '../time.ts';
import type { ReadOptions, Transcript } from '../types.ts';
import { unpackZstd } from '../zstd.ts';
import { OpenClawDatabase } from './openclaw-database.ts';
import { isUnattended } from './openclaw-keys.ts';
import { PiReader } from './pi.ts';

export const FORMAT = 'openclaw-sqlite';
/** Rows to process before other work gets a turn. */
const BATCH = 64;
/** Sequence numbers begin at 0. */
export const BEFORE_ALL = -1;

/**
 * Reads one session of an OpenClaw database: `options.session` by key or id, else the last one in which a
 * person spoke.
 * @throws {ScratchpadError} `refused` if there is no such session, otherwise like `OpenClawDatabase.open`
 */
export async function readOpenClawDatabase(path: string, options: ReadOptions): Promise<Transcript> {
  const database = OpenClawDatabase.open(path);
  try {
    const out = new Collector(options);
    const session = pickSession(database, options.session);
    if (session === undefined) return out.finish(FORMAT);
    out.add({ type: 'facts', session: session.id });
    await feedEvents(database, session.id, out);
    learnEntry(out, session.entry);
    return out.finish(FORMAT);
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
export function pickSession(database: OpenClawDatabase, wanted: string | undefined): Picked | undefined {
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
  throw new ScratchpadError('refused', 'no such session in the OpenClaw database', {
    where: database.path,
    found: wanted,
    next: '`scratchpad transcript list` shows the existing sessions',
  });
}

function entryOf(node: JsonObject | undefined): JsonObject {
  return parsedObject(textAt(node, 'entry_json')) ?? {};
}

function learnEntry(out: Collector, entry: JsonObject): void {
  out.learn('model', textAt(entry, 'model'));
  out.learn('tokensUsed', numberAt(entry, 'totalTokens'));
  out.learn('contextWindow', numberAt(entry, 'contextTokens'));
  out.learn('cwd', textAt(entry, 'spawnedCwd') ?? textAt(entry, 'execCwd'));
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

/** Passes events after a sequence number to a sink, newest first. */
export async function feedEvents(
  database: OpenClawDatabase,
  id: string,
  out: EventSink,
  after = BEFORE_ALL,
): Promise<{ link: Link }> {
  const projected = isProjected(database, id);
  const reader = new PiReader(out, !projected);
  const state = { lowest: Number.MAX_SAFE_INTEGER };
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    await feedFrom(database, id, { after, before, projected }, reader, out, state);
    before = out.full || after > BEFORE_ALL ? undefined : reader.again();
  }
  const header = await eventOf(headerRow(database, id));
  if (header !== undefined) reader.head(header);
  reader.finish();
  return { link: reader.link() };
}

async function feedFrom(
  database: OpenClawDatabase,
  id: string,
  range: { after: number; before: number; projected: boolean },
  reader: PiReader,
  out: EventSink,
  state: { lowest: number },
): Promise<void> {
  const { projected } = range;
  const from = projected
    ? 'session_transcript_active_events a JOIN transcript_events e ON e.session_id = a.session_id AND e.seq = a.event_seq'
    : 'transcript_events e';
  const order = projected ? 'a.active_position' : 'e.seq';
  let count = 0;
  for (const row of database.rows(
    `SELECT ${payload(database)} FROM ${from} WHERE e.session_id = ? AND e.seq < ? AND e.seq > ? ORDER BY ${order} DESC`,
    id,
    range.before,
    range.after,
  )) {
    if (++count % BATCH === 0) await new Promise((resume) => setImmediate(resume));
    const event = await eventOf(row);
    const seq = numberAt(row, 'seq') ?? 0;
    if (event !== undefined) {
      if (reader.take(event, seq) === 'stop' || out.full) return;
    } else if (seq < state.lowest) {
      state.lowest = seq;
      out.add({ type: 'skip', reason: 'event that cannot be read' });
    }
  }
}

/** Whether the host's own list of the active path exists and is up to date. */
export function isProjected(database: OpenClawDatabase, id: string): boolean {
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
