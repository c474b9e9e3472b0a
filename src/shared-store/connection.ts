import { Socket } from 'node:net';
import { Client, type ClientBase, type ClientConfig, Pool, type QueryResultRow } from 'pg';
import { failed, hasCode, refused, ScratchpadError } from '../base/errors.ts';
import { type Address, shownAddress } from './address.ts';

/** How to connect. Only the connecting code asks for the password, and nothing stores it. */
export interface Server {
  address: Address;
  password: () => Promise<string | undefined>;
  /** Root certificates in PEM. */
  certificates?: string;
  /** Time limit in milliseconds for connecting and for any one statement. */
  timeoutMs: number;
}

/** Attempts for a statement that the server aborts because of a conflict (CockroachDB, YugabyteDB). */
const ATTEMPTS = 5;
const CALLED_OFF = ['40001', '40P01'];
const PING_MS = 15_000;

/**
 * A pool of one connection to PostgreSQL, made when it is needed, and again after it was lost. Statements do not
 * depend on each other: each is a transaction of its own, so that a pooler may send each to another backend.
 */
export class Connection {
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  #pool: Pool | undefined;
  #secret: string | undefined;

  constructor(server: Server) {
    this.server = server;
  }

  /**
   * Runs one statement.
   * @throws ScratchpadError `environment` if the server cannot be reached or does not answer in time,
   * `refused` if it denies access
   */
  async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#ask<Row>(this.#opened(), text, values);
      } catch (error) {
        if (attempt === ATTEMPTS || !CALLED_OFF.includes(sqlState(error) ?? '')) throw error;
      }
    }
  }

  /**
   * Runs statements in one transaction, which ends with the connection if one of them fails.
   * @throws like `query`, and what `work` throws
   */
  async transaction<T>(work: (query: Connection['query']) => Promise<T>): Promise<T> {
    const client = new Client(this.#config());
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('BEGIN');
      const result = await work((text, values) => this.#ask(client, text, values));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Receives notifications on a channel, over a connection of their own, until it is lost.
   * @param onEnd called once, when there will be no more notifications
   * @throws like `query`; `refused` if the server does not support notifications
   */
  async listen(channel: string, onNotice: (payload: string) => void, onEnd: () => void): Promise<void> {
    const client = new Client(this.#config());
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      void client.end();
      throw this.#explained(error);
    }
    // A connection that was cut silently is only noticed by a request.
    const ping = setInterval(() => void client.query('SELECT 1').catch(() => client.end()), PING_MS);
    client.once('end', () => {
      clearInterval(ping);
      onEnd();
    });
  }

  /** Ends all connections, and gives up what is being asked: the server may not answer. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    void pool?.end().catch(() => undefined);
    for (const socket of this.#sockets) socket.destroy();
  }

  #opened(): Pool {
    if (this.#pool !== undefined) return this.#pool;
    const pool = new Pool({ ...this.#config(), max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    pool.on('error', () => undefined);
    this.#pool = pool;
    return pool;
  }

  #config(): ClientConfig {
    const { address, certificates: ca, password, timeoutMs } = this.server;
    const { host, port, database, user, tls } = address;
    return {
      ...{ host, port, database, user },
      password: async () => {
        this.#secret = await password();
        return this.#secret ?? '';
      },
      ssl: tls === 'off' ? false : { servername: host, rejectUnauthorized: tls === 'verify-full', ca },
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: 'scratchpad',
      stream: () => {
        const socket = new Socket();
        this.#sockets.add(socket);
        return socket.once('close', () => this.#sockets.delete(socket));
      },
    };
  }

  /** Statements have no names, which a pooler that shares connections would lose. */
  async #ask<Row extends QueryResultRow>(
    asked: Pool | ClientBase,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    try {
      return (await asked.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    return error instanceof ScratchpadError ? error : explained(error, this.server.address, this.#secret);
  }
}

/** The server's error code (SQLSTATE); `undefined` for other errors. */
export function sqlState(error: unknown): string | undefined {
  const cause = error instanceof ScratchpadError ? error.detail.cause : error;
  return hasSqlState(cause) ? (cause as { code: string }).code : undefined;
}

function hasSqlState(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

const NOT_SET_UP = ['42P01', '3F000', '42703'];
const NOT_LET_IN = ['28P01', '28000', '42501', '3D000'];

/** An error message for people. It never contains the password, whatever the driver says. */
function explained(error: unknown, address: Address, secret: string | undefined): ScratchpadError {
  const said =
    error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  const found = secret ? said.replaceAll(secret, '***') : said;
  const detail = { where: shownAddress(address), found, cause: error };
  if (hasCode(error, ...NOT_SET_UP))
    return refused('that database has no shared store, or an older one', {
      ...detail,
      next: { to: 'set it up', command: 'scratchpad store migrate' },
    });
  if (hasCode(error, ...NOT_LET_IN))
    return refused('the shared store does not allow this user to do that', {
      ...detail,
      next: {
        to: 'check user, password and database; grant access',
        command: 'scratchpad store migrate --grant USER',
      },
    });
  if (hasSqlState(error)) return failed('the shared store has failed', detail);
  return failed('the shared store cannot be reached', {
    ...detail,
    next: 'nothing is lost: unsent changes stay here and are sent later',
  });
}
