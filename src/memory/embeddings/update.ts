import { setTimeout as wait } from 'node:timers/promises';
import type { Held } from '../../base/fs/index.ts';
import { BrokenIndex } from '../index/format.ts';
import { IndexStore } from '../index/store.ts';
import { readMemoryFile, sameStamp, stampOf } from '../read.ts';
import type { PassagePlace } from '../segment.ts';
import { listSources, type MemoryFile } from '../sources.ts';
import { type Embedder, EmbeddingError, embedderOf, OtherLength } from './provider.ts';
import { type Quantized, quantized } from './quantize.ts';
import type { EmbeddingSettings } from './settings.ts';
import { passageTexts } from './texts.ts';
import type { Row, VectorFile } from './vector-file.ts';
import { VectorStore } from './vector-store.ts';

/** Texts per request, and their total characters. */
const BATCH_TEXTS = 64;
const BATCH_CHARACTERS = 40_000;
/** Results are saved after this many requests, so that paid ones are not lost. */
const SAVE_EVERY = 32;
const REQUEST_TIMEOUT = 60_000;
/** Number of attempts with a busy service, and the longest wait between them. */
const TRIES = 5;
const LONGEST_WAIT = 60_000;

export interface VectorUpdate {
  /** Numbers of passages with and without a vector. */
  embedded: number;
  missing: number;
  /** How many of them were sent in this run. */
  sent: number;
  /** Why some are missing. */
  problem?: string;
}

interface UpdateOptions {
  workspace: string;
  include?: readonly string[];
  embeddings: EmbeddingSettings;
  env?: NodeJS.ProcessEnv;
  /** Passages sent so far, and the total to send. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Creates missing vectors of the memory's passages. Undefined if embeddings are off or another process is doing it.
 * If the service fails, vectors received so far stay; it never throws for that.
 */
export async function updateVectors(options: UpdateOptions): Promise<VectorUpdate | undefined> {
  const embedder = embedderOf(options.embeddings, options.env);
  if (embedder === undefined) return undefined;
  const store = new VectorStore(new IndexStore(options.workspace, options.include));
  const lock = store.lock();
  if (lock === undefined) return undefined;
  try {
    const done = await new Update(store, embedder, lock, options).run();
    store.setProblem(done.problem);
    return done;
  } finally {
    lock.release();
  }
}

class Update {
  readonly #store: VectorStore;
  readonly #embedder: Embedder;
  readonly #lock: Held;
  readonly #options: UpdateOptions;
  #files: WantedFile[] = [];
  /** Numbers in a vector, as soon as there is one. */
  #length: number | undefined;

  constructor(store: VectorStore, embedder: Embedder, lock: Held, options: UpdateOptions) {
    this.#store = store;
    this.#embedder = embedder;
    this.#lock = lock;
    this.#options = options;
  }

  async run(): Promise<VectorUpdate> {
    try {
      return await this.#run(readKnown(this.#store, this.#embedder.id));
    } catch (error) {
      if (!(error instanceof OtherLength)) throw error;
      // Earlier results of the service are useless.
      return await this.#run(undefined);
    }
  }

  async #run(known: KnownVectors | undefined): Promise<VectorUpdate> {
    this.#length = known?.length;
    const { sources } = listSources(this.#options.workspace, this.#options.include);
    this.#files = sources.map((source) => known?.unchanged(source) ?? readWanted(source, known));
    const missing = this.#passages().filter(({ vector }) => vector === undefined);
    if (missing.length === 0 && known?.isAbout(sources) === true) {
      this.#store.markCurrent();
      return this.#outcome(0);
    }
    let sent = 0;
    let requests = 0;
    let problem: string | undefined;
    try {
      for (const batch of batches(missing)) {
        await this.#embed(batch);
        sent += batch.length;
        this.#options.onProgress?.(sent, missing.length);
        if (++requests % SAVE_EVERY === 0) this.#save();
      }
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      problem = error.message;
    }
    this.#save();
    return this.#outcome(sent, problem);
  }

  #passages(): Wanted[] {
    return this.#files.flatMap(({ passages }) => passages);
  }

  #outcome(sent: number, problem?: string): VectorUpdate {
    const all = this.#passages();
    const embedded = all.filter(({ vector }) => vector !== undefined).length;
    return { embedded, missing: all.length - embedded, sent, ...(problem === undefined ? {} : { problem }) };
  }

  async #embed(batch: readonly Wanted[]): Promise<void> {
    const vectors = await this.#ask(batch.map(({ text }) => text));
    const length = vectors[0]?.length ?? 0;
    this.#length ??= length;
    if (length !== this.#length) throw new OtherLength(this.#length, length);
    batch.forEach((passage, k) => {
      passage.vector = quantized(vectors[k] ?? []);
    });
  }

  async #ask(texts: readonly string[]): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      this.#lock.renew();
      try {
        return await this.#embedder.embed(texts, AbortSignal.timeout(REQUEST_TIMEOUT));
      } catch (error) {
        const again = error instanceof EmbeddingError ? error.again : undefined;
        if (again === undefined || attempt === TRIES || again > LONGEST_WAIT) throw error;
        await wait(Math.max(again, 100 * 2 ** attempt));
      }
    }
  }

  /** A file with missing vectors is not considered done the next time. */
  #save(): void {
    const rows: Row[] = [];
    const files = this.#files.map(({ stamp, passages }) => {
      const before = rows.length;
      for (const { place, hashes, vector } of passages) if (vector) rows.push({ place, hashes, vector });
      const whole = rows.length - before === passages.length;
      return { ...stamp, mtime: whole ? stamp.mtime : -1, rows: rows.length - before };
    });
    if (rows.length > 0) this.#store.save({ id: this.#embedder.id, files }, rows);
  }
}

function* batches(wanted: readonly Wanted[]): Generator<Wanted[]> {
  let batch: Wanted[] = [];
  let characters = 0;
  for (const passage of wanted) {
    const full = batch.length === BATCH_TEXTS || characters + passage.text.length > BATCH_CHARACTERS;
    if (full && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(passage);
    characters += passage.text.length;
  }
  if (batch.length > 0) yield batch;
}

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
class KnownVectors {
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

  unchanged(source: MemoryFile): WantedFile | undefined {
    const file = this.#files.get(source.path);
    return file !== undefined && sameStamp(file.stamp, source) ? file : undefined;
  }

  vector(hashes: readonly number[]): Quantized | undefined {
    return this.#byHash.get(hashes.join());
  }

  /** Whether these are the same files, unchanged. */
  isAbout(sources: readonly MemoryFile[]): boolean {
    return sources.length === this.#files.size && sources.every((source) => this.unchanged(source));
  }
}

/** The vectors on disk if they are of this model; damaged ones are deleted. */
function readKnown(store: VectorStore, id: string): KnownVectors | undefined {
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
function readWanted(source: MemoryFile, known: KnownVectors | undefined): WantedFile {
  const read = readMemoryFile(source.real);
  if (!('text' in read)) return { stamp: stampOf(source.path, source), passages: [] };
  const passages = passageTexts(source.path, read.text).map(({ place, text, hashes }) => ({
    place,
    hashes,
    text,
    vector: known?.vector(hashes),
  }));
  return { stamp: stampOf(source.path, read), passages };
}
