import { setTimeout as wait } from 'node:timers/promises';
import type { Held } from '../../base/fs/index.ts';
import { BrokenIndex } from '../checked-file.ts';
import { readMemoryFile, sameStamp, stampOf } from '../read.ts';
import type { PassagePlace, Stamp } from '../segment.ts';
import { listSources, type MemoryFile } from '../sources.ts';
import { type Embedder, EmbeddingError, type EmbeddingSettings, embedderOf, OtherLength } from './service.ts';
import { passageTexts, type Quantized, quantized, VectorStore, type Vectors } from './vectors.ts';

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
  const store = new VectorStore(options);
  const lock = store.lock();
  if (lock === undefined) return undefined;
  try {
    const update = new Update(store, embedder, lock, options);
    const done = await update.run(readKnown(store, embedder.id)).catch((error) => {
      if (!(error instanceof OtherLength)) throw error;
      // Earlier results of the service are useless.
      return update.run(undefined);
    });
    store.setProblem(done.problem);
    return done;
  } finally {
    lock.release();
  }
}

/** A passage that may need a vector. */
interface Wanted {
  place: PassagePlace;
  key: string;
  text: string;
  vector: Quantized | undefined;
}

interface WantedFile {
  path: string;
  stamp: Stamp;
  passages: Wanted[];
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

  async run(known: Vectors | undefined): Promise<VectorUpdate> {
    this.#length = known?.dimensions;
    const { sources } = listSources(this.#options.workspace, this.#options.include);
    const unchanged = this.#readFiles(sources, known);
    const passages = this.#files.flatMap((file) => file.passages);
    const missing = passages.filter(({ vector }) => vector === undefined);
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
    if (missing.length === 0 && unchanged === known?.files.length && unchanged === sources.length)
      this.#store.markCurrent();
    else this.#save();
    return {
      embedded: passages.length - missing.length + sent,
      missing: missing.length - sent,
      sent,
      problem,
    };
  }

  /** Reads the passages of every file, each with its vector if one is known for its text; counts unchanged files. */
  #readFiles(sources: readonly MemoryFile[], known: Vectors | undefined): number {
    const files = new Map(known?.files.map((file) => [file.path, file]));
    const vectors = new Map(known?.files.flatMap(({ rows }) => rows.map((row) => [row.key, row])));
    let unchanged = 0;
    this.#files = sources.map((source) => {
      const { path } = source;
      const file = files.get(path);
      if (file !== undefined && sameStamp(file.stamp, source)) {
        unchanged++;
        return { ...file, passages: file.rows.map((row) => ({ ...row, text: '', vector: row })) };
      }
      const read = readMemoryFile(source.real);
      if (!('text' in read)) return { path, stamp: stampOf(path, source), passages: [] };
      const passages = passageTexts(path, read.text).map((each) => ({
        ...each,
        vector: vectors.get(each.key),
      }));
      return { path, stamp: stampOf(path, read), passages };
    });
    return unchanged;
  }

  async #embed(batch: readonly Wanted[]): Promise<void> {
    const vectors = await this.#ask(batch.map(({ text }) => text));
    const length = vectors[0]?.length ?? 0;
    this.#length ??= length;
    if (length !== this.#length) throw new OtherLength(this.#length, length);
    for (const [k, passage] of batch.entries()) passage.vector = quantized(vectors[k] ?? []);
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
    const files = this.#files.map(({ path, stamp: { size, mtime, ctime }, passages }) => {
      const rows = passages.flatMap(({ place, key, vector }) =>
        vector ? [{ place, key, scale: vector.scale, values: vector.values }] : [],
      );
      return { path, stamp: { size, mtime: rows.length < passages.length ? -1 : mtime, ctime }, rows };
    });
    if (files.some(({ rows }) => rows.length > 0))
      this.#store.save({ id: this.#embedder.id, dimensions: this.#length ?? 0, files });
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

/** The vectors on disk if they are of this model; damaged ones are deleted. */
function readKnown(store: VectorStore, id: string): Vectors | undefined {
  try {
    const found = store.read();
    return found?.id === id ? found : undefined;
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    store.discard();
    return undefined;
  }
}
