import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig, type QueryResultRow } from 'pg';
import { hasCode, ScratchpadError } from '../errors.ts';
import { type Address, shownAddress } from './address.ts';

/** How to get in. Only what connects asks for the password, and nothing keeps it. */
export interface Server {
  address: Address;
  password: () => Promise<string | undefined>;
  /** Certificates that the server's is checked against, in PEM. */
  certificates?: string;
  /** Longest that connecting and any one statement may take, milliseconds. */
  timeoutMs: number;
  /** The IP address that answered before; without it the name is looked up. */
  ip?: string;
}

/** How often a statement is asked that the server calls off because of another one (CockroachDB, YugabyteDB). */
const ATTEMPTS = 5;
const CALLED_OFF = ['40001', '40P01'];
const PING_MS = 15_000;

/**
 * One connection to PostgreSQL, made when it is needed and again after it was lost. No statement depends on another:
 * each is a transaction of its own, so that a pooler may hand every one to another backend.
 */
export class Connection {
  readonly #server: Server;
  readonly #onConnect: (connection: Connection) => Promise<void>;
  #client: Promise<Client> | undefined;
  /** The statement under way: the driver takes one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #secret: string | undefined;
  #named = true;

  /** @param onConnect looks at the server before anything else is asked of it */
  constructor(server: Server, onConnect: (connection: Connection) => Promise<void> = async () => undefined) {
    this.#server = server;
    this.#onConnect = onConnect;
  }

  get server(): Server {
    return this.#server;
  }

  /** Connects, unless it is connected. @throws as `query` does, and what `onConnect` throws */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /**
   * Runs one statement.
   * @throws ScratchpadError `environment` when the server cannot be reached or does not answer in time, `refused`
   * when it does not let this user in or do this
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
   * Runs statements one after the other that belong together, all or none.
   * @throws as `query` does, and what `work` throws
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
   * Hears notices on a channel until the connection is lost.
   * @param onEnd called once, when nothing will be heard any more
   * @throws as `query` does; `refused` where the server has no notices
   */
  async listen(channel: string, onNotice: (payload: string) => void, onEnd: () => void): Promise<void> {
    const client = await this.#connected();
    client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    // A line that was cut without a word is only noticed by asking.
    const ping = setInterval(() => void this.query('SELECT 1').catch(() => undefined), PING_MS);
    client.once('end', () => {
      clearInterval(ping);
      onEnd();
    });
    await this.#run(client, `LISTEN ${client.escapeIdentifier(channel)}`, []);
  }

  /** Ends the connection; what is under way is given up. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) destroy(await client.catch(() => undefined));
  }

  /** The address that this connection leads to, when there is one. */
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
      // Its own timer ends with the first byte; a server may also go silent in the middle of it.
      await within(client.connect(), Math.max(1, timeoutMs - (Date.now() - from)));
      // An answer that is waited for keeps the process, by its timer; a connection that rests does not.
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
        // What was asked may still be under way, and its answer must not be taken for that of the next.
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

  /** A statement has a name, so that the server reads it once; a pooler that lends connections out loses the names. */
  async #ask<Row extends QueryResultRow>(client: Client, text: string, values: readonly unknown[]) {
    const unnamed = { text, values: [...values] };
    if (!this.#named || values.length === 0) return client.query<Row>(unnamed);
    try {
      return await client.query<Row>({ ...unnamed, name: nameOf(text) });
    } catch (error) {
      // Both come before anything is done.
      if (!hasCode(error, ...NAME_LOST)) throw error;
      this.#named = false;
      return client.query<Row>(unnamed);
    }
  }

  #explained(error: unknown): unknown {
    return error instanceof ScratchpadError ? error : explained(error, this.#server.address, this.#secret);
  }
}

/** A refusal of the server by its code (SQLSTATE); `undefined` for everything else. */
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
  // Waiting for a goodbye would wait for a server that does not answer.
  socketOf(client)?.destroy();
}

interface Socket {
  destroy(): void;
  unref(): void;
  remoteAddress?: string;
}

/** The connection's socket, which the driver keeps to itself. */
function socketOf(client: Client): Socket | undefined {
  return (client as unknown as { connection?: { stream?: Socket } }).connection?.stream;
}

function nameOf(statement: string): string {
  return createHash('sha256').update(statement).digest('hex').slice(0, 32);
}

function hasSqlState(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** There is no such prepared statement; there is one already. */
const NAME_LOST = ['26000', '42P05'];
const NOT_SET_UP = ['42P01', '3F000', '42703'];
const NOT_LET_IN = ['28P01', '28000', '42501', '3D000'];

/** What a person is told of a failure. The password is in no message, whatever the driver says. */
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
