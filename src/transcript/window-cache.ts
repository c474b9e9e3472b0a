import { readCache, writeCache } from '../fs/cache.ts';

/** A part of the file as it lies there. */
interface KeptPart {
  version: string;
  values: readonly (readonly [key: string, value: unknown])[];
}

/**
 * What was made of the messages of a window, by a hash of each, between processes: at a prompt only the newest words
 * are new. Only the values that the last process asked for or added are kept, so that nothing gathers, and no words.
 * All parts share one file.
 */
export class WindowCache {
  readonly #path: string;
  readonly #parts = new Map<string, WindowPart<unknown>>();
  #before: Readonly<Record<string, unknown>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param version what was kept with another counts as nothing
   * @param check gives a value that came from JSON, if it is one
   */
  part<Value>(name: string, version: string, check: (kept: unknown) => Value | undefined): WindowPart<Value> {
    const part = new WindowPart(version, check, () => this.#kept()[name]);
    this.#parts.set(name, part);
    return part;
  }

  /** Writes what this process used, when some of it is new. Never fails: nothing is lost with it. */
  keep(): void {
    const parts = [...this.#parts];
    if (!parts.some(([, part]) => part.isNew)) return;
    const used = Object.fromEntries(parts.map(([name, part]) => [name, part.used]));
    writeCache(this.#path, { ...this.#kept(), ...used });
  }

  #kept(): Readonly<Record<string, unknown>> {
    if (this.#before === undefined) {
      const kept = readCache(this.#path);
      this.#before = typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {};
    }
    return this.#before;
  }
}

/** The values of one who keeps something. */
export class WindowPart<Value> {
  readonly #version: string;
  readonly #check: (kept: unknown) => Value | undefined;
  readonly #kept: () => unknown;
  readonly #asked = new Map<string, Value>();
  #before: ReadonlyMap<string, Value> | undefined;
  /** Whether something was added. */
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
    const kept = this.#kept() as Partial<KeptPart> | null | undefined;
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
