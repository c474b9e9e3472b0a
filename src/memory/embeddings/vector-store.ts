import {
  type Held,
  remove,
  touch,
  tryLock,
  tryReadText,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../../base/fs/index.ts';
import type { IndexStore } from '../index/store.ts';
import { encodeVectors, openVectors, type Row, type VectorFile, type VectorMeta } from './vector-file.ts';

/** The vectors of one memory on disk, beside its index, with related files. All of them may be deleted. */
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

  /** Undefined if there are none. Throws `BrokenIndex`. */
  open(): VectorFile | undefined {
    return openVectors(this.#path);
  }

  save(meta: VectorMeta, rows: readonly Row[]): void {
    this.#index.createFolder();
    writeAtomically(this.#path, Buffer.concat(encodeVectors(meta, rows)), { durable: false });
  }

  discard(): void {
    for (const path of [this.#path, this.askedPath]) tryRemove(path);
  }

  /** Undefined if another process is doing it. */
  lock(): Held | undefined {
    this.#index.createFolder();
    return tryLock(this.#index.path('vectors-lock'));
  }

  /** Whether the index is newer than the vectors, so that passages may lack one. */
  get isBehind(): boolean {
    const own = timeOf(this.#path);
    return [this.#index.basePath, this.#index.deltaPath].some((path) => timeOf(path) > own);
  }

  /** Nothing to do: the vectors are up to date. */
  markCurrent(): void {
    try {
      touch(this.#path, 'index');
    } catch {
      // The folder is not writable.
    }
  }

  /** Why the last update stopped, and when (epoch milliseconds). */
  get problem(): { at: number; message: string } | undefined {
    const message = tryReadText(this.#problemPath, 'record');
    return message === undefined ? undefined : { at: timeOf(this.#problemPath), message };
  }

  setProblem(problem: string | undefined): void {
    try {
      if (problem === undefined) remove(this.#problemPath);
      else writeAtomically(this.#problemPath, problem, { durable: false });
    } catch {
      // The terminal shows it as well.
    }
  }
}

function timeOf(path: string): number {
  return tryStat(path)?.mtimeMs ?? 0;
}
