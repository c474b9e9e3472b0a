import { dirname, join, resolve } from 'node:path';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  type Held,
  sweepTemporary,
  tryLock,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../../base/fs/index.ts';
import { hashText } from '../../base/text/hash.ts';
import type { BuiltSegment } from '../build.ts';
import type { SourceFile } from '../segment.ts';
import { encodeIndex } from './encode.ts';
import { BrokenIndex, type IndexMeta } from './format.ts';
import { type IndexFile, openIndex } from './open.ts';

/** The index of one workspace on disk: an immutable base and at most one delta over it. */
export interface OpenedIndex {
  base: IndexFile;
  delta: IndexFile | undefined;
  close(): void;
}

/** An index file, and those of its files that have changed since. */
export interface Layer {
  segment: IndexFile;
  dead: Set<number>;
}

/** The current files of some layers, by path; a later layer has the newer ones. */
export function filesOf(layers: readonly Layer[]): Map<string, SourceFile> {
  const known = new Map<string, SourceFile>();
  for (const { segment, dead } of layers) {
    for (const [file, each] of segment.allFiles().entries()) if (!dead.has(file)) known.set(each.path, each);
  }
  return known;
}

/** Path of a workspace's index. Its name depends on sources added by the config. */
export class IndexStore {
  readonly folder: string;
  readonly basePath: string;
  readonly deltaPath: string;
  readonly #name: string;
  readonly #lockPath: string;
  readonly #checkedPath: string;
  readonly #sources: number;

  constructor(workspace: string, include: readonly string[] = []) {
    this.folder = join(resolve(workspace), DATA_DIR, 'index');
    this.#sources = hashText(include.join('\0'));
    this.#name = include.length === 0 ? 'memory' : `memory-${this.#sources.toString(16).padStart(8, '0')}`;
    this.basePath = this.path('base');
    this.deltaPath = this.path('delta');
    this.#checkedPath = this.path('checked');
    this.#lockPath = this.path('lock');
  }

  /** Path of a part of this index. */
  path(part: string): string {
    return join(this.folder, `${this.#name}.${part}`);
  }

  /** Undefined if there is no index. Throws `BrokenIndex` if it cannot be used. */
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

  /** A delta of another base is ignored: a rebuild has replaced one of the two. */
  #openDelta(base: IndexFile): IndexFile | undefined {
    let delta: IndexFile | undefined;
    try {
      delta = openIndex(this.deltaPath);
    } catch (error) {
      // The base still works alone, and changes since then are found by checking the files.
      if (!(error instanceof BrokenIndex)) throw error;
      tryRemove(this.deltaPath);
    }
    if (delta === undefined || delta.base === base.id) return delta;
    delta.close();
    return undefined;
  }

  /** Deletes the index, because it cannot be trusted. */
  discard(): void {
    // A folder that is not writable keeps its broken index; every search then scans.
    tryRemove(this.basePath);
    tryRemove(this.deltaPath);
  }

  /** Replaces the base. False if another process is writing or the folder is not writable. */
  saveBase(segment: BuiltSegment, meta: IndexMeta): boolean {
    return this.#save(this.basePath, segment, meta, 0, () => tryRemove(this.deltaPath));
  }

  saveDelta(segment: BuiltSegment, meta: IndexMeta, base: IndexFile): boolean {
    return this.#save(this.deltaPath, segment, meta, base.id, () => undefined);
  }

  #save(path: string, segment: BuiltSegment, meta: IndexMeta, base: number, after: () => unknown): boolean {
    let lock: Held | undefined;
    try {
      this.createFolder();
      // Skip if another process is faster: it writes the same data.
      lock = tryLock(this.#lockPath);
      if (!lock) return false;
      const id = (Math.floor(Math.random() * 0xfffffffe) + 1) >>> 0;
      const parts = encodeIndex(segment, meta, { id, base, sources: this.#sources });
      writeAtomically(path, Buffer.concat(parts), { durable: false });
      after();
      sweepTemporary(this.folder);
      return true;
    } catch {
      // An index is optional: without space or permission the search scans.
      return false;
    } finally {
      lock?.release();
    }
  }

  /** Milliseconds since the last full comparison with the files. */
  sinceChecked(now: number): number {
    const stats = tryStat(this.#checkedPath);
    return stats === undefined ? Number.POSITIVE_INFINITY : Math.max(0, now - stats.mtimeMs);
  }

  markChecked(): void {
    try {
      if (exists(dirname(this.folder))) ensureFolder(this.folder);
      writeAtomically(this.#checkedPath, '', { durable: false });
    } catch {
      // If this cannot be written the next search compares again.
    }
  }

  createFolder(): void {
    ensureFolder(this.folder);
  }
}
