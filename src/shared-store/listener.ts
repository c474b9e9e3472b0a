import { setTimeout } from 'node:timers/promises';
import { parsed } from '../base/text/json.ts';
import { type Exchange, type Exchanged, noticeOf } from './exchange.ts';
import { SQL } from './sql.ts';

export interface ListenOptions {
  exchange: Exchange;
  /** Called after every exchange that changed something here, sent something, or has notices. */
  onExchange: (done: Exchanged) => void;
  onProblem: (error: unknown) => void;
  /** Aborted to end it. */
  signal: AbortSignal;
}

/**
 * Polling interval for a store without notifications: CockroachDB, or one behind a pooler that shares
 * connections.
 */
const POLL_MS = 2000;
/** The same for a store with notifications, in case one was lost. */
const CHECK_MS = 60_000;
/** How long the store may take to return our own notification before it counts as one without. */
const ECHO_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

/** Receives what others write as soon as the store announces it, until it is ended. Never throws. */
export async function listenToStore(options: ListenOptions): Promise<void> {
  const { exchange, signal, onProblem } = options;
  for (let failures = 0; !signal.aborted; ) {
    const from = Date.now();
    try {
      await listenOnce(options);
    } catch (error) {
      if (!signal.aborted) onProblem(error);
    }
    failures = Date.now() - from > LONGEST_PAUSE_MS ? 0 : failures + 1;
    // Many listeners lose a server at the same time, and should not all return at the same time.
    await ended(signal, Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2));
  }
  await exchange.close();
}

/** Listens until the connection is lost. */
async function listenOnce({ exchange, onExchange, onProblem, signal }: ListenOptions): Promise<void> {
  const { name, replica, connection } = await exchange.channel();
  const cut = new AbortController();
  const until = AbortSignal.any([signal, cut.signal]);
  const work = new Gathered(async (sessions) => {
    try {
      const done = await (sessions === 'all' ? exchange.syncAll() : exchange.look(sessions));
      if (done.received + done.sent + done.notices.length > 0) onExchange(done);
    } catch (error) {
      onProblem(error);
      cut.abort();
    }
  });
  let hears = false;
  const onNotice = (payload: string): void => {
    const notice = parsed(payload);
    const [from, ...sessions] = Array.isArray(notice) ? notice.map(String) : [];
    if (from === replica) hears = true;
    else work.add(sessions.length === 0 ? 'all' : sessions);
  };
  await connection.listen(name, onNotice, () => cut.abort());
  work.add('all');
  await connection.query(SQL.notify, [name, noticeOf(replica, [])]);
  await ended(until, ECHO_MS);
  while (!until.aborted) {
    await ended(until, hears ? CHECK_MS : POLL_MS);
    if (!until.aborted) work.add('all');
  }
  await work.idle;
}

/** Collects sessions to examine, in rounds: what arrives during one round is the next. */
class Gathered {
  idle: Promise<void> = Promise.resolve();
  #waiting: Set<string> | 'all' | undefined;
  readonly #look: (sessions: readonly string[] | 'all') => Promise<void>;

  constructor(look: (sessions: readonly string[] | 'all') => Promise<void>) {
    this.#look = look;
  }

  add(sessions: readonly string[] | 'all'): void {
    const waiting = this.#waiting;
    if (waiting === undefined) this.idle = this.idle.then(() => this.#next());
    this.#waiting =
      sessions === 'all' || waiting === 'all' ? 'all' : new Set([...(waiting ?? []), ...sessions]);
  }

  async #next(): Promise<void> {
    const sessions = this.#waiting ?? [];
    this.#waiting = undefined;
    await this.#look(sessions === 'all' ? 'all' : [...sessions]);
  }
}

/** Resolves after `ms`, or when the signal is aborted. */
async function ended(signal: AbortSignal, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
