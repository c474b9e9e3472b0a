import { readCache, writeCache } from '../fs/cache.ts';
import { type JsonObject, membersOf } from '../text/json.ts';

/** Part of the cache file. */
interface KeptPart {
  version: string;
  values: readonly (readonly [key: string, value: unknown])[];
}

/**
 * Caches what was computed from the messages of a window, by a hash of each, between processes: at a prompt
 * only the newest messages are new. Only values that the last process used or added are kept, so that the
 * cache does not grow, and no text. All parts share one file.
 */
export class WindowCache {
  readonly #path: string;
  readonly #parts = new Map<string, WindowPart<unknown>>();
  #before: Readonly<Record<string, unknown>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param version values of another version are ignored
   * @param check converts parsed JSON to a value, if it is valid
   */
  part<Value>(name: string, version: string, check: (kept: unknown) => Value | undefined): WindowPart<Value> {
    const part = new WindowPart(version, check, () => this.#kept()[name]);
    this.#parts.set(name, part);
    return part;
  }

  /**
   * Writes the values that this process used, if some of them are new. Never fails: losing them is harmless.
   */
  keep(): void {
    const parts = [...this.#parts];
    if (!parts.some(([, part]) => part.isNew)) return;
    const used = Object.fromEntries(parts.map(([name, part]) => [name, part.used]));
    writeCache(this.#path, { ...this.#kept(), ...used });
  }

  #kept(): JsonObject {
    this.#before ??= membersOf(readCache(this.#path));
    return this.#before;
  }
}

/** The cached values of one user of the cache. */
export class WindowPart<Value> {
  readonly #version: string;
  readonly #check: (kept: unknown) => Value | undefined;
  readonly #kept: () => unknown;
  readonly #asked = new Map<string, Value>();
  #before: ReadonlyMap<string, Value> | undefined;
  /** Whether a value was added. */
  isNew = false;

  constructor(version: string, check: (kept: unknown) => Value | undefined, kept: () => unknown) {
    this.#version = version;
    this.#check = check;
    this.#kept = kept;
  }

  get used(): KeptPart {
    return { version: this.#version, values: [...this.#asked] };
  }

  get(key: string): Value | undefined {
    this.#before ??= this.#read();
    const value = this.#asked.get(key) ?? this.#before.get(key);
    if (value !== undefined) this.#asked.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#asked.set(key, value);
    this.isNew = true;
  }

  #read(): Map<string, Value> {
    const { version, values } = membersOf(this.#kept());
    const found = new Map<string, Value>();
    if (version !== this.#version || !Array.isArray(values)) return found;
    for (const entry of values as unknown[]) {
      const [key, value] = Array.isArray(entry) ? entry : [];
      const usable = this.#check(value);
      if (typeof key === 'string' && usable !== undefined) found.set(key, usable);
    }
    return found;
  }
}
