import { readCache, writeCache } from './cache.ts';

/**
 * What was made of the messages of a window, by a hash of each, between processes: at a prompt only the newest words
 * are new. Kept are only the values that the last process asked for or added, so that nothing gathers, and no words.
 */
export class WindowCache<Value> {
  readonly #file: string;
  readonly #version: string;
  readonly #check: (kept: unknown) => Value | undefined;
  #before: ReadonlyMap<string, Value> | undefined;
  readonly #asked = new Map<string, Value>();
  #added = false;

  /**
   * @param version what was kept with another counts as nothing
   * @param check gives a value that came from JSON, if it is one
   */
  constructor(file: string, version: string, check: (kept: unknown) => Value | undefined) {
    this.#file = file;
    this.#version = version;
    this.#check = check;
  }

  get(key: string): Value | undefined {
    this.#before ??= this.#read();
    const value = this.#asked.get(key) ?? this.#before.get(key);
    if (value !== undefined) this.#asked.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#asked.set(key, value);
    this.#added = true;
  }

  /** Writes what this process used, when some of it is new. Never fails: nothing is lost with it. */
  keep(): void {
    if (this.#added) writeCache(this.#file, { version: this.#version, values: [...this.#asked] });
  }

  #read(): Map<string, Value> {
    const kept = readCache(this.#file) as { version?: unknown; values?: unknown } | null | undefined;
    const found = new Map<string, Value>();
    if (kept?.version !== this.#version || !Array.isArray(kept.values)) return found;
    for (const entry of kept.values) {
      const [key, value] = Array.isArray(entry) ? entry : [];
      const usable = this.#check(value);
      if (typeof key === 'string' && usable !== undefined) found.set(key, usable);
    }
    return found;
  }
}
