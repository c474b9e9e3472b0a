import { failed, messageOf, misuse, refused, ScratchpadError } from '../../base/errors.ts';
import { isObject, type JsonObject, numberAt, parsedObject, textAt } from '../../base/text/json.ts';
import { wordList } from '../../base/text/word-list.ts';
import { isoTime } from '../content.ts';
import type { SessionRef } from '../discover.ts';
import { Fold } from '../fold.ts';
import { isUnattended } from '../homes.ts';
import { DEFAULT_LIMIT, type Reading, type SessionOptions } from '../read.ts';
import { assignGiven, newRecord } from '../record.ts';
import { MAX_LINE } from '../source.ts';
import { piEvents } from './pi.ts';

const FORMAT = 'openclaw-sqlite';
/** Rows to process before other work gets a turn. */
const BATCH = 64;
/** Most bytes of events to read at once. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Sequence numbers begin at 0. */
const BEFORE_ALL = -1;

/**
 * Reads one session of an OpenClaw database: `options.session` by key or id, else the last one in which a
 * person spoke. Its events are the entries of a tree, as in pi's files; the position is a sequence number.
 * @throws {ScratchpadError} `refused` if there is no such session, `environment` like `within`
 */
export async function readOpenClawSession(path: string, options: SessionOptions): Promise<Reading> {
  return within(path, async (database) => {
    const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES } = options;
    const session = pickSession(database, options.session);
    const fresh = newRecord(FORMAT);
    if (session === undefined)
      return { record: fresh, position: { offset: BEFORE_ALL, mark: '' }, continues: false };
    const { id, entry } = session;
    const last = numberAt(
      database.row('SELECT max(seq) AS seq FROM transcript_events WHERE session_id = ?', id),
      'seq',
    );
    const offset = last ?? BEFORE_ALL;
    const continues = after?.position.mark === id && after.position.offset <= offset;
    const record = continues ? after.record : fresh;
    const fold = new Fold(record, root, limit);
    if (!continues) {
      record.facts.session = id;
      const header = await headerOf(database, id);
      if (header?.type === 'session') fold.take(piEvents(header, 0), 0);
    }
    const from = Math.max(
      continues ? after.position.offset : BEFORE_ALL,
      startWithin(database, id, mostBytes),
    );
    let count = 0;
    for (const row of database.rows(
      `SELECT ${payload(database)} FROM transcript_events e WHERE e.session_id = ? AND e.seq > ? ORDER BY e.seq`,
      id,
      from,
    )) {
      if (++count % BATCH === 0) await new Promise((resume) => setImmediate(resume));
      const event = await eventOf(row);
      const seq = numberAt(row, 'seq') ?? 0;
      fold.take(event ? piEvents(event, seq) : [{ type: 'skip', reason: 'event that cannot be read' }], seq);
    }
    const told = { model: textAt(entry, 'model'), cwd: directoryIn(entry) };
    const size = {
      tokensUsed: numberAt(entry, 'totalTokens'),
      contextWindow: numberAt(entry, 'contextTokens'),
    };
    assignGiven(record.facts, { ...told, ...size, ...record.facts });
    fold.slim();
    return { record, position: { offset, mark: id }, continues };
  });
}

/** The sessions of a database in which a person takes part and which are not archived. */
export async function listOpenClawSessions(path: string): Promise<SessionRef[]> {
  return within(path, async (database) => {
    const refs: SessionRef[] = [];
    for (const node of attended(database)) {
      const lastActive = isoTime(SPOKEN.map((name) => numberAt(node, name)).find((at) => at !== undefined));
      const key = textAt(node, 'session_key');
      const id = textAt(node, 'current_session_id');
      if (key === undefined || id === undefined || lastActive === undefined) continue;
      const cwd = textAt(await headerOf(database, id), 'cwd') ?? directoryIn(entryOf(node));
      refs.push({ host: 'openclaw', id: key, path, lastActive, cwd });
    }
    return refs;
  });
}

/** When a person last spoke, by the columns that tell it best. */
const SPOKEN = wordList('last_interaction_at last_activity_at updated_at');
const COLUMNS = wordList('session_key current_session_id entry_json archived_at spawned_by created_via');

/** The sessions with a person, the last active first. */
function* attended(database: Database): Generator<JsonObject> {
  const columns = database.columns('session_nodes');
  const spoken = SPOKEN.filter((name) => columns.has(name));
  const wanted = [...COLUMNS.filter((name) => columns.has(name)), ...spoken].join(', ');
  for (const node of database.rows(
    `SELECT ${wanted} FROM session_nodes ORDER BY coalesce(${spoken.join(', ')}, 0) DESC, session_key`,
  )) {
    const isAlone =
      isUnattended(textAt(node, 'session_key') ?? '') ||
      textAt(node, 'spawned_by') !== undefined ||
      ['cron', 'spawn'].includes(textAt(node, 'created_via') ?? '');
    if (!isAlone && numberAt(node, 'archived_at') === undefined) yield node;
  }
}

/** The requested session, by key or id; without one the last in which a person spoke. */
function pickSession(
  database: Database,
  wanted: string | undefined,
): { id: string; entry: JsonObject } | undefined {
  const nodes =
    wanted === undefined
      ? attended(database)
      : database.rows(
          'SELECT current_session_id, entry_json FROM session_nodes WHERE session_key = ?1 OR current_session_id = ?1',
          wanted,
        );
  for (const node of nodes) {
    const id = textAt(node, 'current_session_id');
    if (id !== undefined) return { id, entry: entryOf(node) };
  }
  if (wanted === undefined) return undefined;
  // A session generation that was replaced by a newer one.
  const older = database.row('SELECT 1 AS found FROM transcript_events WHERE session_id = ? LIMIT 1', wanted);
  if (older !== undefined) return { id: wanted, entry: {} };
  throw refused('no such session in the OpenClaw database', {
    where: database.path,
    found: wanted,
    next: { to: 'see the existing sessions', command: 'scratchpad transcript list' },
  });
}

const entryOf = (node: JsonObject): JsonObject => parsedObject(textAt(node, 'entry_json')) ?? {};

/** Where a session ran, by the host's own record of it. */
const directoryIn = (entry: JsonObject): string | undefined =>
  textAt(entry, 'spawnedCwd') ?? textAt(entry, 'execCwd');

const headerOf = (database: Database, id: string): Promise<JsonObject | undefined> =>
  eventOf(
    database.row(
      `SELECT ${payload(database)} FROM transcript_events e WHERE e.session_id = ? ORDER BY e.seq LIMIT 1`,
      id,
    ),
  );

const isPacked = (database: Database): boolean => database.columns('transcript_events').has('event_zstd');

/** An event is in one of two columns; databases before schema 23 have only the first. */
const payload = (database: Database): string =>
  `e.seq, CASE WHEN octet_length(e.event_json) <= ${MAX_LINE} THEN e.event_json END AS event_json${isPacked(database) ? ', e.event_zstd' : ''}`;

/** The sequence number after which the events take at most so many bytes. */
function startWithin(database: Database, id: string, mostBytes: number): number {
  if (mostBytes === Number.POSITIVE_INFINITY) return BEFORE_ALL;
  const size = `octet_length(${isPacked(database) ? 'coalesce(event_json, event_zstd)' : 'event_json'})`;
  const row = database.row(
    `SELECT max(seq) AS seq FROM (SELECT seq, sum(${size}) OVER (ORDER BY seq DESC) AS total
      FROM transcript_events WHERE session_id = ?1) WHERE total > ?2`,
    id,
    mostBytes,
  );
  return numberAt(row, 'seq') ?? BEFORE_ALL;
}

async function eventOf(row: JsonObject | undefined): Promise<JsonObject | undefined> {
  const packed = row?.event_zstd;
  if (!(packed instanceof Uint8Array)) return parsedObject(textAt(row, 'event_json'));
  const { zstdDecompressSync } = (await import('node:zlib')) as object as ZstdZlib;
  if (zstdDecompressSync === undefined) throw tooOld('zstandard');
  try {
    return parsedObject(zstdDecompressSync(packed, { maxOutputLength: MAX_LINE }).toString('utf8'));
  } catch {
    return undefined;
  }
}

interface ZstdZlib {
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Buffer;
}

const tooOld = (missing: string): ScratchpadError =>
  failed('OpenClaw databases cannot be read on this Node', {
    expected: 'Node 22.15 or later (24 is what OpenClaw itself needs)',
    found: `Node ${process.versions.node}, which has no ${missing}`,
    next: 'use a newer Node, or pass a session file (JSONL); discovery continues with those',
  });

/** Newest agent schema that was tested; a newer one is read as far as its tables have the same columns. */
const KNOWN_SCHEMA = 23;
/** How long to wait for a writer that holds the database, in milliseconds. */
const BUSY_MS = 500;
const SQLITE_BUSY = new Set([5, 6]);

interface Connection {
  prepare(sql: string): { iterate(...parameters: Array<string | number>): Iterable<unknown> };
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => Connection;
}

/** An OpenClaw agent database, opened read-only. */
interface Database {
  path: string;
  /** The rows of a query, fetched on demand. */
  rows(sql: string, ...parameters: Array<string | number>): Iterable<JsonObject>;
  /** The first row of a query. */
  row(sql: string, ...parameters: Array<string | number>): JsonObject | undefined;
  /** Names of a table's columns; none if there is no such table. */
  columns(table: string): Set<string>;
}

/** @throws {ScratchpadError} `environment` if this Node has no SQLite or the database cannot be read */
async function within<T>(path: string, use: (database: Database) => Promise<T>): Promise<T> {
  const sqlite = loadSqlite();
  if (sqlite === undefined) throw tooOld('node:sqlite');
  let connection: Connection | undefined;
  try {
    connection = new sqlite.DatabaseSync(path, { readOnly: true });
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const database = databaseOf(path, connection);
    checkShape(database);
    return await use(database);
  } catch (error) {
    throw error instanceof ScratchpadError ? error : databaseFailure(path, error);
  } finally {
    connection?.close();
  }
}

function databaseOf(path: string, connection: Connection): Database {
  const columns = new Map<string, Set<string>>();
  const database: Database = {
    path,
    *rows(sql, ...parameters) {
      for (const row of connection.prepare(sql).iterate(...parameters)) if (isObject(row)) yield row;
    },
    row: (sql, ...parameters) => [...database.rows(sql, ...parameters)][0],
    columns(table) {
      const known = columns.get(table);
      const names =
        known ?? new Set([...database.rows(`PRAGMA table_info(${table})`)].map(({ name }) => String(name)));
      columns.set(table, names);
      return names;
    },
  };
  return database;
}

function checkShape(database: Database): void {
  const has = (table: string, names: string): boolean =>
    wordList(names).every((name) => database.columns(table).has(name));
  if (
    has('session_nodes', 'session_key current_session_id updated_at') &&
    has('transcript_events', 'session_id seq event_json')
  )
    return;
  const version = Number(database.row('PRAGMA user_version')?.user_version ?? 0);
  const isNewer = version > KNOWN_SCHEMA;
  const fail = isNewer ? failed : misuse;
  throw fail('This database does not have the known format of OpenClaw sessions', {
    where: database.path,
    expected: `the tables session_nodes and transcript_events of an agent schema up to ${KNOWN_SCHEMA}`,
    found: `agent schema ${version}, ${isNewer ? 'which is newer' : 'without those tables'}`,
    next: isNewer
      ? 'update scratchpad, or give a session exported as JSONL'
      : 'give agents/<id>/agent/openclaw-agent.sqlite',
  });
}

function loadSqlite(): SqliteModule | undefined {
  const load: unknown = Reflect.get(process, 'getBuiltinModule');
  if (typeof load !== 'function') return undefined;
  // Node 22 and 24 announce on stderr that SQLite is experimental, which would disturb a hook's host.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const module: unknown = load.call(process, 'node:sqlite');
    const isSqlite = isObject(module) && typeof module.DatabaseSync === 'function';
    return isSqlite ? (module as object as SqliteModule) : undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function databaseFailure(path: string, cause: unknown): ScratchpadError {
  const code = cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & 0xff : 0;
  const locked = SQLITE_BUSY.has(code);
  return failed(`The OpenClaw database ${locked ? 'is locked' : 'could not be read'}`, {
    where: path,
    found: messageOf(cause),
    next: locked
      ? 'try again when OpenClaw has finished its migration or repair'
      : 'check that the file may be read by this user; `openclaw doctor` shows whether it is damaged',
    cause,
  });
}
