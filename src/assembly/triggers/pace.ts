/** How soon a run may follow a change, in milliseconds. */
export interface PaceOptions {
  /** A run waits until nothing has changed for this long. */
  quietMs: number;
  /** Longest wait for a pause in a continuous stream of changes. */
  patienceMs: number;
  /** Least time from the end of one run to the start of the next. */
  intervalMs: number;
}

/**
 * Turns changes into runs: several changes become one run, only one runs at a time, and a change during a run
 * causes another, so that the last change is never missed.
 */
export class Pace<Change> {
  readonly #options: PaceOptions;
  readonly #run: (changes: ReadonlySet<Change>) => Promise<void>;
  #waiting = new Set<Change>();
  #firstAt = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** @param run must not reject */
  constructor(options: PaceOptions, run: (changes: ReadonlySet<Change>) => Promise<void>) {
    this.#options = options;
    this.#run = run;
  }

  /** Records a change. */
  note(change: Change): void {
    if (this.#closed) return;
    // The monotonic clock: setting back the wall clock must not delay a run.
    if (this.#waiting.size === 0) this.#firstAt = performance.now();
    this.#waiting.add(change);
    if (this.#running === undefined) this.#arm();
  }

  /** Stops; resolves when the last run has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const { quietMs, patienceMs, intervalMs } = this.#options;
    const now = performance.now();
    const due = Math.max(Math.min(now + quietMs, this.#firstAt + patienceMs), this.#endedAt + intervalMs);
    this.#timer = setTimeout(() => this.#start(), Math.max(0, due - now));
  }

  #start(): void {
    const changes = this.#waiting;
    this.#waiting = new Set();
    this.#running = this.#run(changes).finally(() => {
      this.#running = undefined;
      this.#endedAt = performance.now();
      if (this.#waiting.size > 0 && !this.#closed) this.#arm();
    });
  }
}

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
