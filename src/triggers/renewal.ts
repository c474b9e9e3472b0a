/** How often to look at the wall clock: a timer does not count the time that the machine sleeps. */
const LOOK_MS = 20_000;

/**
 * Calls once when a period has passed on the wall clock; if the machine slept through its end, right after it
 * wakes.
 */
export class Renewal {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Replaces the previous period. */
  in(ms: number): void {
    this.#waitUntil(Date.now() + ms, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #waitUntil(due: number, spanMs: number): void {
    clearTimeout(this.#timer);
    const left = due - Date.now();
    // More than the whole period is left, so the clock was set back.
    if (left <= 0 || left > spanMs + LOOK_MS) this.#call();
    else this.#timer = setTimeout(() => this.#waitUntil(due, spanMs), Math.min(left, LOOK_MS));
  }
}
