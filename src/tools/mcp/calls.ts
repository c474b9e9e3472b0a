/** The calls that a server is answering. */
export class Calls {
  #running = 0;
  #onSettled: () => void = () => undefined;

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onSettled();
    }
  }

  /** Waits until no call is running and the last answer has been sent, for at most `longestMs`. */
  async settle(longestMs: number): Promise<void> {
    // A message that has just arrived starts its call within this turn of the event loop.
    await waitForTurn();
    if (this.#running > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
        timer = setTimeout(resolve, longestMs);
      });
      clearTimeout(timer);
    }

    await waitForTurn();
  }
}

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
