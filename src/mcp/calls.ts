/** The calls that a connection is busy with. */
export class Calls {
  #running = 0;
  #onSettled: () => void = () => undefined;

  /** Counts a call while it runs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onSettled();
    }
  }

  /** Waits until none runs any more and the last answer is on its way, but no longer than so many milliseconds. */
  async settled(most: number): Promise<void> {
    // What has just come in begins within this turn.
    await turn();
    if (this.#running > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
        timer = setTimeout(resolve, most);
      });
      clearTimeout(timer);
    }
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
