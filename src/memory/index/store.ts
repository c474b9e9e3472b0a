import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { BuiltSegment } from '../build.ts';
import { encodeIndex } from './encode.ts';
import { BrokenIndex, type IndexMeta } from './format.ts';
import { hashText } from './hash.ts';
import { withLock } from './lock.ts';
import { type IndexFile, openIndex } from './open.ts';

/** Age in milliseconds at which a temporary file has no living writer. */
const STRAY_AFTER = 10 * 60_000;

/** The index of one workspace on disk: an immutable base and at most one delta over it. */
export interface OpenedIndex {
  base: IndexFile;
  delta: IndexFile | undefined;
  close(): void;
}

/** Where the index of a workspace lies. What config adds to the sources gives it another name. */
export class IndexStore {
  readonly folder: string;
  readonly basePath: string;
  readonly deltaPath: string;
  readonly #name: string;
  readonly #lockPath: string;
  readonly #checkedPath: string;
  readonly #pad: string;
  readonly #sources: number;

  constructor(workspace: string, include: readonly string[] = []) {
    this.#pad = join(resolve(workspace), '.scratchpad');
    this.folder = join(this.#pad, 'index');
    this.#sources = hashText(include.join('\0'));
    this.#name = include.length === 0 ? 'memory' : `memory-${this.#sources.toString(16).padStart(8, '0')}`;
    this.basePath = this.path('base');
    this.deltaPath = this.path('delta');
    this.#checkedPath = this.path('checked');
    this.#lockPath = this.path('lock');
  }

  /** Where a part of this index lies. */
  path(part: string): string {
    return join(this.folder, `${this.#name}.${part}`);
  }

  /** Undefined when there is no index. Throws `BrokenIndex` when there is one that cannot be used. */
  open(): OpenedIndex | undefined {
    const base = openIndex(this.basePath);
    if (base === undefined) return undefined;
    try {
      if (base.base !== 0 || base.sources !== this.#sources) throw new BrokenIndex('of other sources');
      const delta = this.#openDelta(base);
      return {
        base,
        delta,
        close() {
          delta?.close();
          base.close();
        },
      };
    } catch (error) {
      base.close();
      throw error;
    }
  }

  /** A delta of another base was overtaken by a rebuild, or this base was: it is not used. */
  #openDelta(base: IndexFile): IndexFile | undefined {
    // Most often there is none, and a look costs less than the error of opening it.
    if (!statSync(this.deltaPath, { throwIfNoEntry: false })) return undefined;
    let delta: IndexFile | undefined;
    try {
      delta = openIndex(this.deltaPath);
    } catch (error) {
      // The base alone still answers, and what changed since is found by looking at the files.
      if (!(error instanceof BrokenIndex)) throw error;
      rmSync(this.deltaPath, { force: true });
    }
    if (delta === undefined || delta.base === base.id) return delta;
    delta.close();
    return undefined;
  }

  /** Deletes what is there, because it cannot be trusted. */
  discard(): void {
    try {
      rmSync(this.basePath, { force: true });
      rmSync(this.deltaPath, { force: true });
    } catch {
      // A folder that cannot be written to keeps its broken index; every search then scans.
    }
  }

  /** Replaces the base. False when another process is writing or nothing can be written here. */
  saveBase(segment: BuiltSegment, meta: IndexMeta): boolean {
    return this.#save(this.basePath, segment, meta, 0, () => rmSync(this.deltaPath, { force: true }));
  }

  saveDelta(segment: BuiltSegment, meta: IndexMeta, base: IndexFile): boolean {
    return this.#save(this.deltaPath, segment, meta, base.id, () => undefined);
  }

  #save(path: string, segment: BuiltSegment, meta: IndexMeta, base: number, after: () => void): boolean {
    try {
      this.createFolder();
      const saved = withLock(this.#lockPath, () => {
        const id = (Math.floor(Math.random() * 0xfffffffe) + 1) >>> 0;
        writeWhole(path, encodeIndex(segment, meta, { id, base, sources: this.#sources }));
        after();
        this.#sweep();
        return true;
      });
      return saved === true;
    } catch {
      // An index is a convenience: no space or no permission leaves the search to scan.
      return false;
    }
  }

  /** Removes what killed writers left behind. */
  #sweep(): void {
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      if (name.endsWith('.tmp') && Date.now() - statSync(path).mtimeMs > STRAY_AFTER)
        rmSync(path, { force: true });
    }
  }

  /** Milliseconds since all files were last compared with the index. */
  sinceChecked(now: number): number {
    try {
      const stat = statSync(this.#checkedPath, { throwIfNoEntry: false });
      return stat === undefined ? Number.POSITIVE_INFINITY : Math.max(0, now - stat.mtimeMs);
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  markChecked(): void {
    try {
      writeFileSync(this.#checkedPath, '');
    } catch {
      // Where nothing can be written the next search compares again.
    }
  }

  createFolder(): void {
    if (existsSync(this.folder)) return;
    if (!existsSync(this.#pad)) {
      mkdirSync(this.#pad, { mode: 0o700 });
      writeFileSync(join(this.#pad, '.gitignore'), '*\n');
    }
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }
}

/** Writes beside the target and renames: a reader sees the old file or the new one, and a kill leaves the old. */
export function writeWhole(path: string, parts: readonly Uint8Array[]): void {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const handle = openSync(temporary, 'wx', 0o600);
    try {
      for (const part of parts) {
        let written = 0;
        while (written < part.byteLength) written += writeSync(handle, part, written);
      }
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
