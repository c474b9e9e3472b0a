export class Calls {
  #running = 0;
  #onSettled: () => void = () => undefined;

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onSettled();
    }
  }

  /** Waits until no call is running and the last answer has been sent, for at most `most` milliseconds. */
  async settled(most: number): Promise<void> {
    // A message that has just arrived starts its call within this turn of the event loop.
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
