import { failure, getMessage, ScratchpadError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/text/json.ts';

const BUSY_MS = 500;

type Value = string | number;

interface Connection {
  prepare(sql: string): { iterate(...parameters: Value[]): Iterable<unknown> };
  exec(sql: string): void;
  close(): void;
}

type Open = (path: string) => Connection;

export interface Database {
  path: string;
  rows(sql: string, ...parameters: Value[]): Iterable<JsonObject>;
  row(sql: string, ...parameters: Value[]): JsonObject | undefined;
  hasColumn(table: string, column: string): boolean;
}

export const nodeTooOld = (missing: string): ScratchpadError =>
  failure('databases of hosts cannot be read on this Node', {
    expected: 'Node 22.15 or later',
    found: `Node ${process.versions.node}, which has no ${missing}`,
    next: 'use a newer Node, or pass a session file (JSONL); discovery continues with those',
  });

/** @throws {ScratchpadError} `environment` if this Node has no SQLite or the database cannot be read */
export async function withDatabase<T>(path: string, use: (database: Database) => Promise<T>): Promise<T> {
  const open = findSqlite();
  if (open === undefined) throw nodeTooOld('node:sqlite');

  let connection: Connection | undefined;
  try {
    connection = open(path);
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    return await use(wrapConnection(path, connection));
  } catch (error) {
    if (error instanceof ScratchpadError) throw error;
    throw failure('the database of a host could not be read', {
      where: path,
      found: getMessage(error),
      next: 'check that the file may be read by this user, and that it is not damaged',
      cause: error,
    });
  } finally {
    connection?.close();
  }
}

function wrapConnection(path: string, connection: Connection): Database {
  function* readRows(sql: string, ...parameters: Value[]): Generator<JsonObject> {
    for (const row of connection.prepare(sql).iterate(...parameters)) if (isObject(row)) yield row;
  }

  return {
    path,
    rows: readRows,
    row: (sql, ...parameters) => [...readRows(sql, ...parameters)][0],
    hasColumn: (table, column) =>
      [...readRows(`PRAGMA table_info(${table})`)].some(({ name }) => name === column),
  };
}

/** SQLite of Node, or of Bun, in which OpenCode runs our plugin. */
function findSqlite(): Open | undefined {
  const node = loadBuiltin('node:sqlite', 'DatabaseSync');
  if (node !== undefined) return (path) => new node(path, { readOnly: true });
  const bun = process.versions.bun === undefined ? undefined : loadBuiltin('bun:sqlite', 'Database');
  return bun && ((path) => new bun(path, { readonly: true }));
}

function loadBuiltin(
  name: string,
  member: string,
): (new (path: string, how: object) => Connection) | undefined {
  const load: unknown = Reflect.get(process, 'getBuiltinModule');
  if (typeof load !== 'function') return undefined;

  // Node 22 and 24 announce on stderr that SQLite is experimental, which would disturb a hook's host.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;

  try {
    const module: unknown = load.call(process, name);
    const made = isObject(module) ? module[member] : undefined;
    return typeof made === 'function' ? (made as new (path: string, how: object) => Connection) : undefined;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
