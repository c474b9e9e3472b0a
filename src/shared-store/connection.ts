import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig, type QueryResultRow } from 'pg';
import { hasCode, ScratchpadError } from '../base/errors.ts';
import { type Address, shownAddress } from './address.ts';

/** How to connect. Only the connecting code asks for the password, and nothing stores it. */
export interface Server {
  address: Address;
  password: () => Promise<string | undefined>;
  /** Root certificates in PEM. */
  certificates?: string;
  /** Time limit in milliseconds for connecting and for any one statement. */
  timeoutMs: number;
  /** The IP address that answered last time; without it the name is resolved. */
  ip?: string;
}

/** Attempts for a statement that the server aborts because of a conflict (CockroachDB, YugabyteDB). */
const ATTEMPTS = 5;
const CALLED_OFF = ['40001', '40P01'];
const PING_MS = 15_000;

/**
 * One connection to PostgreSQL, made when it is needed, and again after it was lost. Statements do not depend
 * on each other: each is a transaction of its own, so that a pooler may send each to another backend.
 */
export class Connection {
  readonly #server: Server;
  readonly #onConnect: (connection: Connection) => Promise<void>;
  #client: Promise<Client> | undefined;
  /** The current statement: the driver accepts one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #secret: string | undefined;
  #named = true;

  /** @param onConnect examines the server before any other request */
  constructor(server: Server, onConnect: (connection: Connection) => Promise<void> = async () => undefined) {
    this.#server = server;
    this.#onConnect = onConnect;
  }

  get server(): Server {
    return this.#server;
  }

  /**
   * Connects if necessary.
   * @throws like `query`, and what `onConnect` throws
   */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /**
   * Runs one statement.
   * @throws ScratchpadError `environment` if the server cannot be reached or does not answer in time,
   * `refused` if it denies access
   */
  async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.#connected();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run<Row>(client, text, values);
      } catch (error) {
        if (attempt === ATTEMPTS || !CALLED_OFF.includes(sqlState(error) ?? '')) throw error;
      }
    }
  }

  /**
   * Runs statements in one transaction.
   * @throws like `query`, and what `work` throws
   */
  async transaction<T>(work: (query: Connection['query']) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    await this.#run(client, 'BEGIN', []);
    try {
      const result = await work((text, values = []) => this.#run(client, text, values));
      await this.#run(client, 'COMMIT', []);
      return result;
    } catch (error) {
      await this.#run(client, 'ROLLBACK', []).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Receives notifications on a channel until the connection is lost.
   * @param onEnd called once, when there will be no more notifications
   * @throws like `query`; `refused` if the server does not support notifications
   */
  async listen(channel: string, onNotice: (payload: string) => void, onEnd: () => void): Promise<void> {
    const client = await this.#connected();
    client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    // A connection that was cut silently is only noticed by a request.
    const ping = setInterval(() => void this.query('SELECT 1').catch(() => undefined), PING_MS);
    client.once('end', () => {
      clearInterval(ping);
      onEnd();
    });
    await this.#run(client, `LISTEN ${client.escapeIdentifier(channel)}`, []);
  }

  /** Ends the connection and gives up the current statement. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) destroy(await client.catch(() => undefined));
  }

  /** The remote IP address of this connection, if it is open. */
  async ip(): Promise<string | undefined> {
    const client = await this.#client?.catch(() => undefined);
    return client === undefined ? undefined : socketOf(client)?.remoteAddress;
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const connecting = this.#connect();
    this.#client = connecting;
    try {
      const client = await connecting;
      await this.#onConnect(this);
      return client;
    } catch (error) {
      if (this.#client === connecting) this.#client = undefined;
      await connecting.then(destroy, () => undefined);
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    const { address, password, timeoutMs, ip } = this.#server;
    const { host, port, database, user } = address;
    const from = Date.now();
    this.#secret = await password();
    const config: ClientConfig = {
      ...{ host: ip ?? host, port, database, user },
      password: this.#secret ?? '',
      ssl: tlsOptions(this.#server),
      connectionTimeoutMillis: Math.max(1, timeoutMs - (Date.now() - from)),
      keepAlive: true,
      application_name: 'scratchpad',
    };
    const client = new Client(config);
    const lost = (): void => {
      this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      // The driver's own timeout ends with the first byte, but a server may go silent later, too.
      await within(client.connect(), Math.max(1, timeoutMs - (Date.now() - from)));
      // A pending answer keeps the process alive, through its timer; an idle connection does not.
      socketOf(client)?.unref();
      return client;
    } catch (error) {
      destroy(client);
      throw this.#explained(error);
    }
  }

  #run<Row extends QueryResultRow>(client: Client, text: string, values: readonly unknown[]): Promise<Row[]> {
    const running = this.#turn.then(async () => {
      try {
        return (await within(this.#ask<Row>(client, text, values), this.#server.timeoutMs)).rows;
      } catch (error) {
        // The statement may still be running, and its answer must not be taken for that of the next.
        if (!hasSqlState(error)) {
          destroy(client);
          this.#client = undefined;
        }
        throw this.#explained(error);
      }
    });
    this.#turn = running.catch(() => undefined);
    return running;
  }

  /**
   * Prepared statements have names, so that the server parses each once; a pooler that shares connections
   * loses the names.
   */
  async #ask<Row extends QueryResultRow>(client: Client, text: string, values: readonly unknown[]) {
    const unnamed = { text, values: [...values] };
    if (!this.#named || values.length === 0) return client.query<Row>(unnamed);
    try {
      return await client.query<Row>({ ...unnamed, name: nameOf(text) });
    } catch (error) {
      // Both errors occur before anything is executed.
      if (!hasCode(error, ...NAME_LOST)) throw error;
      this.#named = false;
      return client.query<Row>(unnamed);
    }
  }

  #explained(error: unknown): unknown {
    return error instanceof ScratchpadError ? error : explained(error, this.#server.address, this.#secret);
  }
}

/** The server's error code (SQLSTATE); `undefined` for other errors. */
export function sqlState(error: unknown): string | undefined {
  const cause = error instanceof ScratchpadError ? error.detail.cause : error;
  return hasSqlState(cause) ? (cause as { code: string }).code : undefined;
}

function tlsOptions({ address, certificates }: Server): ConnectionOptions | false {
  const { tls, host } = address;
  if (tls === 'off') return false;
  return {
    servername: host,
    rejectUnauthorized: tls === 'verify-full',
    ...(certificates === undefined ? {} : { ca: certificates }),
  };
}

function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function destroy(client: Client | undefined): void {
  if (client === undefined) return;
  // Waiting for an orderly end would mean waiting for a server that does not answer.
  socketOf(client)?.destroy();
}

interface Socket {
  destroy(): void;
  unref(): void;
  remoteAddress?: string;
}

/** The connection's socket, which the driver does not expose. */
function socketOf(client: Client): Socket | undefined {
  return (client as unknown as { connection?: { stream?: Socket } }).connection?.stream;
}

function nameOf(statement: string): string {
  return createHash('sha256').update(statement).digest('hex').slice(0, 32);
}

function hasSqlState(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** There is no such prepared statement, or one exists already. */
const NAME_LOST = ['26000', '42P05'];
const NOT_SET_UP = ['42P01', '3F000', '42703'];
const NOT_LET_IN = ['28P01', '28000', '42501', '3D000'];

/** An error message for people. It never contains the password, whatever the driver says. */
function explained(error: unknown, address: Address, secret: string | undefined): ScratchpadError {
  const said =
    error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  const found = secret ? said.replaceAll(secret, '***') : said;
  const detail = { where: shownAddress(address), found, cause: error };
  if (hasCode(error, ...NOT_SET_UP))
    return new ScratchpadError('refused', 'that database has no shared store, or an older one', {
      ...detail,
      next: 'set it up with: scratchpad store migrate',
    });
  if (hasCode(error, ...NOT_LET_IN))
    return new ScratchpadError('refused', 'the shared store does not allow this user to do that', {
      ...detail,
      next: 'check user, password and database; grant access with: scratchpad store migrate --grant USER',
    });
  if (hasSqlState(error)) return new ScratchpadError('environment', 'the shared store has failed', detail);
  return new ScratchpadError('environment', 'the shared store cannot be reached', {
    ...detail,
    next: 'nothing is lost: unsent changes stay here and are sent later (scratchpad store status)',
  });
}
