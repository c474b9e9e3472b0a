import { failed, messageOf, misuse, ScratchpadError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/text/json.ts';

/** Newest agent schema that was tested; a newer one is read as far as its tables have the same columns. */
const KNOWN_SCHEMA = 23;
/** How long to wait for a writer that holds the database, in milliseconds. */
const BUSY_MS = 500;
const SQLITE_BUSY = new Set([5, 6]);

interface Statement {
  all(...parameters: Array<string | number>): unknown[];
  iterate(...parameters: Array<string | number>): Iterable<unknown>;
}

interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => Connection;
}

/** An OpenClaw agent database, opened read-only. */
export class OpenClawDatabase {
  readonly path: string;
  readonly #connection: Connection;

  private constructor(path: string, connection: Connection) {
    this.path = path;
    this.#connection = connection;
  }

  /** @throws {ScratchpadError} `environment` if this Node has no SQLite or the database cannot be opened */
  static open(path: string): OpenClawDatabase {
    const sqlite = loadSqlite();
    if (sqlite === undefined) {
      throw failed('OpenClaw databases cannot be read on this Node', {
        where: path,
        expected: 'Node 22.13 or later (24 is what OpenClaw itself needs)',
        found: `Node ${process.versions.node}, which has no node:sqlite`,
        next: 'use a newer Node, or pass a session file (JSONL); discovery continues with those',
      });
    }
    let connection: Connection | undefined;
    try {
      connection = new sqlite.DatabaseSync(path, { readOnly: true });
      connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      const database = new OpenClawDatabase(path, connection);
      database.#checkShape();
      return database;
    } catch (error) {
      connection?.close();
      throw error instanceof ScratchpadError ? error : databaseFailure(path, error);
    }
  }

  /** The rows of a query, fetched on demand. */
  *rows(sql: string, ...parameters: Array<string | number>): Generator<JsonObject> {
    try {
      for (const row of this.#connection.prepare(sql).iterate(...parameters)) if (isObject(row)) yield row;
    } catch (error) {
      throw error instanceof ScratchpadError ? error : databaseFailure(this.path, error);
    }
  }

  /** The first row of a query. */
  row(sql: string, ...parameters: Array<string | number>): JsonObject | undefined {
    for (const row of this.rows(sql, ...parameters)) return row;
    return undefined;
  }

  /** Names of a table's columns; none if there is no such table. */
  columns(table: string): Set<string> {
    return new Set([...this.rows(`PRAGMA table_info(${table})`)].map((row) => String(row.name)));
  }

  close(): void {
    this.#connection.close();
  }

  #checkShape(): void {
    const nodes = this.columns('session_nodes');
    const events = this.columns('transcript_events');
    const isKnown = ['session_key', 'current_session_id', 'updated_at'].every((name) => nodes.has(name));
    if (isKnown && ['session_id', 'seq', 'event_json'].every((name) => events.has(name))) return;
    const version = Number(this.row('PRAGMA user_version')?.user_version ?? 0);
    const isNewer = version > KNOWN_SCHEMA;
    const fail = isNewer ? failed : misuse;
    throw fail('This database does not have the known format of OpenClaw sessions', {
      where: this.path,
      expected: `the tables session_nodes and transcript_events of an agent schema up to ${KNOWN_SCHEMA}`,
      found: `agent schema ${version}, ${isNewer ? 'which is newer' : 'without those tables'}`,
      next: isNewer
        ? 'update scratchpad, or give a session exported as JSONL'
        : 'give agents/<id>/agent/openclaw-agent.sqlite',
    });
  }
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
