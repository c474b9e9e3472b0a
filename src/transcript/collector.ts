import type { Message } from './message.ts';
import type { ReadOptions, SessionFacts, Transcript } from './types.ts';
import { chooseWindow } from './window.ts';

/** Messages of the window when nothing else is asked for. */
export const DEFAULT_LIMIT = 20;

/** Longest name of a sender or a tool, in UTF-16 units. */
const LABEL_LIMIT = 200;

type Single = 'id' | 'cwd' | 'model' | 'opening' | 'tokensUsed' | 'contextWindow' | 'utcOffsetHours';

/** Gathers what a reader finds, newest first, and knows when the window has all it needs. */
export class Collector {
  readonly facts: SessionFacts = { compactions: [], entries: [] };
  readonly limit: number;
  /** Messages of the human so far. */
  humans = 0;
  #spoken = 0;
  #aged = false;
  #newest: number | undefined;
  readonly #messages: Message[] = [];
  readonly #skipped = new Map<string, number>();
  readonly #maxAgeMs: number;
  readonly #session: string | undefined;

  constructor(options: ReadOptions) {
    this.limit = options.limit ?? DEFAULT_LIMIT;
    this.#maxAgeMs = options.maxAgeMs ?? Number.POSITIVE_INFINITY;
    this.#session = options.session;
  }

  /** Take a message; each one must be older than the one before. */
  add(message: Message): void {
    const time = message.timestamp === undefined ? Number.NaN : Date.parse(message.timestamp);
    if (!Number.isNaN(time)) {
      this.#newest = Math.max(this.#newest ?? time, time);
      if (this.#newest - time > this.#maxAgeMs) {
        this.#aged = true;
        return;
      }
    }
    if (message.sender !== undefined) message.sender = label(message.sender);
    if (message.tool !== undefined) message.tool = label(message.tool);
    this.#messages.push(message);
    if (message.role === 'tool') return;
    this.#spoken++;
    if (message.role === 'user') this.humans++;
  }

  /** Keep a fact of the session unless a newer line told it already. */
  learn<Key extends Single>(key: Key, value: SessionFacts[Key]): void {
    if (value !== undefined) this.facts[key] ??= value;
  }

  /** Count a line that gives no message. */
  skip(reason: string, count = 1): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count);
  }

  /** True when older lines could not change the window. */
  get full(): boolean {
    return this.#aged || (this.#spoken >= this.limit && this.humans >= Math.ceil(this.limit / 2));
  }

  /** The window read so far, oldest first. */
  finish(format: string): Transcript {
    const { facts } = this;
    facts.compactions.reverse();
    facts.entries.reverse();
    const session = facts.id ?? this.#session ?? 'unknown';
    for (const message of this.#messages) if (message.session === '') message.session = session;
    const messages = chooseWindow(this.#messages.reverse(), this.limit);
    const skipped = [...this.#skipped].map(([reason, count]) => ({ reason, count }));
    skipped.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
    return { format, messages, facts, skipped };
  }
}

/** A name in one line of bounded length: names come from outside, too. */
function label(name: string): string {
  return name.slice(0, LABEL_LIMIT).replace(/\s+/g, ' ').trim();
}
