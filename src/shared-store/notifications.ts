import { parsed } from '../base/text/json.ts';
import type { Connection } from './connection.ts';
import { SQL } from './sql.ts';

/** PostgreSQL allows 8000 bytes. */
const LONGEST_NOTICE = 7000;
/**
 * An exchange sends at most ten notifications a second: each is a commit that waits for all others that
 * notify.
 */
const GATHER_MS = 100;

/** A notification names the sending working copy, and the sessions concerned if they are few. */
export function writeNotice(replica: string, sessions: readonly string[]): string {
  const whole = JSON.stringify([replica, ...sessions]);
  return Buffer.byteLength(whole) < LONGEST_NOTICE ? whole : JSON.stringify([replica]);
}

/** Parses the text of `writeNotice`: the working copy comes first. */
export function readNotice(payload: string): string[] {
  const found = parsed(payload);
  return Array.isArray(found) ? found.map(String) : [];
}

/**
 * Notifies the others after a commit: a notification within the transaction would make commits wait for each
 * other. Notifications are batched, and losing one is harmless, since listeners also poll.
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

  /** Resolves when all notifications are sent. */
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
