import { setImmediate as waitForTurn } from 'node:timers/promises';
import { withTimeout } from '../../base/fs/process.ts';

/** The calls that a server is answering. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();

  run<T>(work: () => Promise<T>): Promise<T> {
    const call = work();
    this.#running.add(call);
    return call.finally(() => this.#running.delete(call));
  }

  /** Waits until no call is running and the last answer has been sent, for at most `longestMs`. */
  async settle(longestMs: number): Promise<void> {
    // A message that has just arrived starts its call within this turn of the event loop.
    await waitForTurn();
    const ended = Promise.allSettled(this.#running).then(() => undefined);
    await withTimeout(ended, longestMs, () => undefined);
    await waitForTurn();
  }
}
