import type { StageLimit } from '../stages/stage.ts';
/**
 * Settles as `work` does, or with the result of `late` once `ms` milliseconds have passed.
 *
 * @throws what `work` or `late` throws
 */
export async function inTime<Value>(work: Promise<Value>, ms: number, late: () => Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, deadline.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** A time limit that can be ended. The abort signal is created only on demand: Node loads a module for it. */
export class Limit implements StageLimit {
  readonly ms: number;
  #stop: AbortController | undefined;
  #over = false;

  constructor(ms: number) {
    this.ms = ms;
  }

  get signal(): AbortSignal {
    this.#stop ??= new AbortController();
    if (this.#over) this.#stop.abort();
    return this.#stop.signal;
  }

  /** Ends the limit: nobody waits any longer. */
  end(): void {
    this.#over = true;
    this.#stop?.abort();
  }
}
