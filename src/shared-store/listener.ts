import { setTimeout } from 'node:timers/promises';
import type { Exchange, Exchanged } from './exchange.ts';
import { SQL } from './sql.ts';

export interface ListenOptions {
  exchange: Exchange;
  /** Called after every exchange that changed something here, sent something, or has notices. */
  onExchange: (done: Exchanged) => void;
  onProblem: (error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Polling interval for a store without notifications: CockroachDB, or one behind a pooler that shares
 * connections.
 */
const POLL_MS = 2000;
/** The same for a store that has returned our own notification, in case one is lost. */
const CHECK_MS = 60_000;
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

/** Listens until the connection is lost, or an exchange fails. */
async function listenOnce({ exchange, onExchange, signal }: ListenOptions): Promise<void> {
  const { name, replica, connection } = await exchange.channel();
  let hears = false;
  let announced = false;
  let wake = new AbortController();
  const cut = new AbortController();
  const onNotice = (from: string): void => {
    if (from === replica) hears = true;
    else {
      announced = true;
      wake.abort();
    }
  };
  await connection.listen(name, onNotice, () => cut.abort());
  await connection.query(SQL.notify, [name, replica]);
  while (!signal.aborted && !cut.signal.aborted) {
    // What is announced during this exchange is the next one.
    announced = false;
    wake = new AbortController();
    const done = await exchange.sync();
    if (done.received + done.sent + done.notices.length > 0) onExchange(done);
    if (!announced)
      await ended(AbortSignal.any([signal, cut.signal, wake.signal]), hears ? CHECK_MS : POLL_MS);
  }
}

async function ended(signal: AbortSignal, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
