import { DatabaseError, Pool, type QueryResultRow } from 'pg';
import { failure, hasCode, refusal, ScratchpadError } from '../base/errors.ts';
import { type Address, formatAddress, type StoreSettings } from './settings.ts';

/** How to connect. Only the connecting code asks for the password, and nothing stores it. */
export interface Server
  extends Pick<StoreSettings, 'address' | 'password'>,
    Partial<Pick<StoreSettings, 'certificates'>> {
  /** Time limit in milliseconds for connecting and for any one statement. */
  timeoutMs: number;
}

const IDLE_MS = 30_000;

/**
 * A pool of one connection to PostgreSQL, made when it is needed, and again after it was lost. Statements do not
 * depend on each other and have no names, so that a pooler may send each to another backend. An idle connection does
 * not keep the process alive.
 */
export class Connection {
  readonly address: Address;
  readonly #pool: Pool;

  constructor({ address, password, certificates: ca, timeoutMs }: Server) {
    const { tls, ...target } = address;
    this.address = address;
    this.#pool = new Pool({
      ...target,
      password: async () => (await password()) ?? '',
      ssl: tls === 'off' ? false : { servername: target.host, rejectUnauthorized: tls === 'verify-full', ca },
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      keepAlive: true,
      max: 1,
      application_name: 'scratchpad',
    });
    // An idle connection was lost: the next statement makes another.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Runs one statement.
   * @throws ScratchpadError `environment` if the server cannot be reached or does not answer in time,
   * `refused` if it denies access
   */
  query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#runQuery(async () => (await this.#pool.query<Row>(text, [...values])).rows);
  }

  /**
   * Receives notifications on a channel for as long as the connection lasts.
   * @param onEnd called once, when there will be no more of them
   * @throws like `query`
   */
  listen(channel: string, onNotice: () => void, onEnd: () => void): Promise<void> {
    return this.#runQuery(async () => {
      const client = await this.#pool.connect();
      try {
        client.on('notification', onNotice);
        client.once('end', onEnd);
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      } finally {
        client.release();
      }
    });
  }

  /** Without waiting: what is being asked ends with its time limit. */
  close(): void {
    if (!this.#pool.ending) void this.#pool.end().catch(() => undefined);
  }

  async #runQuery<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ScratchpadError ? error : explainError(error, this.address);
    }
  }
}

/** The server's error code (SQLSTATE), as `cause` of what `Connection` throws; `undefined` for other errors. */
export function getSqlState(error: unknown): string | undefined {
  const cause = error instanceof ScratchpadError ? error.detail.cause : error;
  return cause instanceof DatabaseError ? cause.code : undefined;
}

const NOT_SET_UP = ['42P01', '3F000', '42703'];
const NOT_LET_IN = ['28P01', '28000', '42501', '3D000'];

function explainError(error: unknown, address: Address): ScratchpadError {
  const found =
    error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  const detail = { where: formatAddress(address), found, cause: error };

  if (hasCode(error, ...NOT_SET_UP))
    return refusal('that database has no shared store, or an older one', {
      ...detail,
      next: { to: 'set it up', command: 'scratchpad store migrate' },
    });

  if (hasCode(error, ...NOT_LET_IN))
    return refusal('the shared store does not allow this user to do that', {
      ...detail,
      next: {
        to: 'check user, password and database; grant access',
        command: 'scratchpad store migrate --grant USER',
      },
    });

  if (getSqlState(error) !== undefined) return failure('the shared store has failed', detail);

  return failure('the shared store cannot be reached', {
    ...detail,
    next: 'nothing is lost: unsent changes stay here and are sent later',
  });
}
