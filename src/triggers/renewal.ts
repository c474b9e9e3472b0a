/** A timer does not count the time that the machine sleeps: the clock on the wall is looked at so often. */
const LOOK_MS = 20_000;

/** Calls once when a span has passed on the wall clock, right after the machine wakes where it slept through it. */
export class Renewal {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Takes the place of the span before. */
  in(ms: number): void {
    this.#waitUntil(Date.now() + ms, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #waitUntil(due: number, spanMs: number): void {
    clearTimeout(this.#timer);
    const left = due - Date.now();
    // More than all of it is left: the clock was set back.
    if (left <= 0 || left > spanMs + LOOK_MS) this.#call();
    else this.#timer = setTimeout(() => this.#waitUntil(due, spanMs), Math.min(left, LOOK_MS));
  }
}
