import { readCache, writeCache } from '../cache.ts';
import { VERSION } from '../version.ts';

/**
 * Marks of messages that hold no remark on the answers, between processes: to read a message costs a fresh process
 * some milliseconds, and each stays in the window for many prompts. Only those of the window that was read last are
 * kept, and no words.
 */
export class SilentMessages {
  readonly #file: string;
  #before: ReadonlySet<string> | undefined;
  readonly #asked = new Set<string>();
  #added = false;

  constructor(file: string) {
    this.#file = file;
  }

  has(mark: string): boolean {
    this.#before ??= readKept(this.#file);
    const known = this.#asked.has(mark) || this.#before.has(mark);
    if (known) this.#asked.add(mark);
    return known;
  }

  add(mark: string): void {
    this.#asked.add(mark);
    this.#added = true;
  }

  /** Keeps what this process was asked; nothing is lost with it. */
  keep(): void {
    if (this.#added) writeCache(this.#file, { version: VERSION, marks: [...this.#asked] });
  }
}

function readKept(file: string): Set<string> {
  const kept = readCache(file) as { version?: unknown; marks?: unknown } | null | undefined;
  if (kept?.version !== VERSION || !Array.isArray(kept.marks)) return new Set();
  return new Set(kept.marks.filter((mark) => typeof mark === 'string'));
}
