import { BrokenIndex } from '../index/format.ts';
import { readSource } from '../read.ts';
import type { PassagePlace } from '../segment.ts';
import type { Source } from '../sources.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import type { Quantized } from './quantize.ts';
import { textsOf } from './texts.ts';
import type { VectorFile } from './vector-file.ts';
import type { VectorStore } from './vector-store.ts';

/** A passage that may need a vector. */
export interface Wanted {
  place: PassagePlace;
  hashes: [number, number];
  /** The text to send; empty if the vector is known. */
  text: string;
  vector: Quantized | undefined;
}

export interface WantedFile {
  stamp: { path: string; size: number; mtime: number; ctime: number };
  passages: Wanted[];
}

/** The result of an earlier update. */
export class KnownVectors {
  readonly length: number;
  readonly #byHash = new Map<string, Quantized>();
  readonly #files = new Map<string, WantedFile>();

  constructor(file: VectorFile) {
    this.length = file.dimensions;
    let row = 0;
    for (const { rows, ...stamp } of file.meta.files) {
      const passages: Wanted[] = [];
      for (const end = row + rows; row < end; row++) {
        const vector = file.vector(row);
        const hashes = file.hashes(row);
        this.#byHash.set(hashes.join(), vector);
        passages.push({ place: file.place(row), hashes, text: '', vector });
      }
      this.#files.set(stamp.path, { stamp, passages });
    }
  }

  unchanged(source: Source): WantedFile | undefined {
    const file = this.#files.get(source.path);
    return file !== undefined && sameStamp(file.stamp, source) ? file : undefined;
  }

  vector(hashes: readonly number[]): Quantized | undefined {
    return this.#byHash.get(hashes.join());
  }

  /** Whether these are the same files, unchanged. */
  isAbout(sources: readonly Source[]): boolean {
    return sources.length === this.#files.size && sources.every((source) => this.unchanged(source));
  }
}

/** The vectors on disk if they are of this model; damaged ones are deleted. */
export function readKnown(store: VectorStore, id: string): KnownVectors | undefined {
  let file: VectorFile | undefined;
  try {
    file = store.open();
    return file?.meta.id === id ? new KnownVectors(file) : undefined;
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    store.discard();
    return undefined;
  } finally {
    file?.close();
  }
}

/** The passages of a file, each with its vector if one is known for its text. */
export function readWanted(source: Source, known: KnownVectors | undefined): WantedFile {
  const read = readSource(source.real);
  if (!('text' in read)) return { stamp: stampOf(source.path, source), passages: [] };
  const passages = textsOf(read.text).map(({ place, text, hashes }) => ({
    place,
    hashes,
    text,
    vector: known?.vector(hashes),
  }));
  return { stamp: stampOf(source.path, read), passages };
}
