import type { StageLimit } from '../stages/stage.ts';

/** A limit that can be called over. The signal is made for who asks: Node loads a module for it. */
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

  /** Nobody waits any longer. */
  end(): void {
    this.#over = true;
    this.#stop?.abort();
  }
}
