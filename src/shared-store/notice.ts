import type { Connection } from './connection.ts';
import { SQL } from './sql.ts';

/** PostgreSQL takes 8000 bytes. */
const LONGEST_NOTICE = 7000;
/** At most ten notices a second leave an exchange: each is a commit that waits for all others that notify. */
const GATHER_MS = 100;

/** A notice names the working copy that has sent something, and the sessions concerned while they are few. */
export function writeNotice(replica: string, sessions: readonly string[]): string {
  const whole = JSON.stringify([replica, ...sessions]);
  return Buffer.byteLength(whole) < LONGEST_NOTICE ? whole : JSON.stringify([replica]);
}

/** What `writeNotice` wrote: the working copy first. */
export function readNotice(payload: string): string[] {
  try {
    const found: unknown = JSON.parse(payload);
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return [];
  }
}

/**
 * Tells the others of what was sent, after it was committed: a notice within the transaction would let one commit wait
 * for the other. Notices are gathered, and one that fails is no loss, since who listens asks now and then.
 */
export class Teller {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #replica: string;
  readonly #sessions = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, channel: string, replica: string) {
    this.#connection = connection;
    this.#channel = channel;
    this.#replica = replica;
  }

  tell(session: string): void {
    this.#sessions.add(session);
    const wait = this.#last + GATHER_MS - Date.now();
    if (wait <= 0 || wait > GATHER_MS) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), wait);
  }

  /** Resolves when everything is told. */
  async settled(): Promise<void> {
    if (this.#sessions.size > 0) this.#send();
    await this.#sending;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = Date.now();
    const notice = writeNotice(this.#replica, [...this.#sessions]);
    this.#sessions.clear();
    this.#sending = this.#connection.query(SQL.notify, [this.#channel, notice]).catch(() => undefined);
  }
}
