import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { type HeldLock, holdLock } from '../index/lock.ts';
import { type IndexStore, writeWhole } from '../index/store.ts';
import { encodeVectors, openVectors, type Row, type VectorFile, type VectorMeta } from './vector-file.ts';

/** The vectors of one memory on disk, beside its index, and what belongs to them. All of it may be deleted. */
export class VectorStore {
  readonly #index: IndexStore;
  readonly #path: string;
  readonly #problemPath: string;
  readonly askedPath: string;

  constructor(index: IndexStore) {
    this.#index = index;
    this.#path = index.path('vectors');
    this.#problemPath = index.path('vectors-problem');
    this.askedPath = index.path('vectors-asked');
  }

  /** Undefined when there are none. Throws `BrokenIndex`. */
  open(): VectorFile | undefined {
    return openVectors(this.#path);
  }

  save(meta: VectorMeta, rows: readonly Row[]): void {
    this.#index.createFolder();
    writeWhole(this.#path, encodeVectors(meta, rows));
  }

  discard(): void {
    for (const path of [this.#path, this.askedPath]) rmSync(path, { force: true });
  }

  /** Undefined when another process is at it. */
  lock(): HeldLock | undefined {
    this.#index.createFolder();
    return holdLock(this.#index.path('vectors-lock'));
  }

  /** Whether the index was written after the vectors: passages may be without one. */
  get isBehind(): boolean {
    const own = timeOf(this.#path);
    return [this.#index.basePath, this.#index.deltaPath].some((path) => timeOf(path) > own);
  }

  /** Nothing was to be done: what is there is of now. */
  markCurrent(): void {
    const now = new Date();
    try {
      utimesSync(this.#path, now, now);
    } catch {
      // No vectors yet, or a folder that cannot be written to.
    }
  }

  /** What kept the last update from its end, and when (epoch milliseconds). */
  get problem(): { at: number; message: string } | undefined {
    try {
      return { at: timeOf(this.#problemPath), message: readFileSync(this.#problemPath, 'utf8') };
    } catch {
      return undefined;
    }
  }

  setProblem(problem: string | undefined): void {
    try {
      if (problem === undefined) rmSync(this.#problemPath, { force: true });
      else writeWhole(this.#problemPath, [Buffer.from(problem)]);
    } catch {
      // It is told on the terminal as well.
    }
  }
}

function timeOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
