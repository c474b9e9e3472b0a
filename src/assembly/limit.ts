import type { StageLimit } from '../stages/stage.ts';

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
