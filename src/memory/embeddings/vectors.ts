import { setTimeout as wait } from 'node:timers/promises';
import {
  type Held,
  remove,
  tryLock,
  tryReadText,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../../base/fs/index.ts';
import { redactPassage, redactSecrets } from '../../base/safety/index.ts';
import { hashText } from '../../base/text/hash.ts';
import { linesOf } from '../build.ts';
import { notesOf } from '../passages.ts';
import { readMemoryFile } from '../read.ts';
import { checkOf, type PassagePlace } from '../segment.ts';
import { listSources } from '../sources.ts';
import { BrokenIndex, CheckedFile, IndexStore, writeChecked } from '../store.ts';
import { type Embedder, EmbeddingError, type EmbeddingSettings, embedderOf, OtherLength } from './service.ts';

/** A vector of length 1 as bytes: each number is `values[i] * scale`. */
export interface Quantized {
  scale: number;
  values: Int8Array;
}

/** Brings a vector to length 1 and its numbers to a byte each; a zero vector stays zero. */
export function quantized(vector: readonly number[]): Quantized {
  let squares = 0;
  let most = 0;
  for (const value of vector) {
    squares += value * value;
    most = Math.max(most, Math.abs(value));
  }
  const values = new Int8Array(vector.length);
  if (most === 0) return { scale: 0, values };
  for (let i = 0; i < values.length; i++) values[i] = Math.round(((vector[i] ?? 0) / most) * 127);
  return { scale: most / 127 / Math.sqrt(squares), values };
}

/** A passage with its vector, and the identity of the text that was sent. */
export interface Row extends Quantized {
  place: PassagePlace;
  key: string;
}

/** All vectors of a memory. Rows of changed passages are skipped: their checks differ. */
export interface Vectors {
  /** `Embedder.id`. */
  id: string;
  dimensions: number;
  files: { path: string; rows: Row[] }[];
}

/** The vectors of one memory on disk, beside its index. They may be deleted. */
export class VectorStore {
  readonly #index: IndexStore;
  readonly #path: string;
  readonly #problemPath: string;

  constructor({ workspace, include }: { workspace: string; include?: readonly string[] | undefined }) {
    this.#index = new IndexStore(workspace, include);
    this.#path = this.#index.path('vectors');
    this.#problemPath = this.#index.path('vectors-problem');
  }

  /**
   * Undefined if there are none.
   * @throws BrokenIndex
   */
  read(): (Vectors & { bytes: number }) | undefined {
    const file = CheckedFile.open<Vectors>(this.#path);
    try {
      file?.verify();
      return file && { ...file.head, bytes: file.bytes };
    } finally {
      file?.close();
    }
  }

  save(vectors: Vectors): void {
    this.#index.createFolder();
    writeChecked(this.#path, vectors);
  }

  discard(): void {
    tryRemove(this.#path);
  }

  /** Undefined if another process is doing it. */
  lock(): Held | undefined {
    this.#index.createFolder();
    return tryLock(this.#index.path('vectors-lock'));
  }

  /** Whether the index is newer than the vectors, so that passages may lack one. */
  get isBehind(): boolean {
    const own = timeOf(this.#path);
    return [this.#index.basePath, this.#index.changesPath].some((path) => timeOf(path) > own);
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

export interface VectorStatus {
  /**
   * `sound`: every byte is as written. `none`: not created yet. `other`: of a model other than the configured one.
   * `broken`: damaged; the next search deletes them.
   */
  state: 'sound' | 'none' | 'other' | 'broken';
  /** Passages that have a vector. */
  rows: number;
  /** Numbers in a vector. */
  dimensions: number;
  bytes: number;
  /** The damage, or the reason why the last update stopped. */
  problem?: string;
}

/** Reads every byte of the vectors and reports their state. Changes and sends nothing. */
export function vectorStatus(options: {
  workspace: string;
  include?: readonly string[];
  embeddings: EmbeddingSettings;
}): VectorStatus {
  const store = new VectorStore(options);
  const nothing = { rows: 0, dimensions: 0, bytes: 0, problem: store.problem?.message };
  try {
    const found = store.read();
    if (found === undefined) return { ...nothing, state: 'none' };
    const { id, files, dimensions, bytes } = found;
    const rows = files.reduce((sum, file) => sum + file.rows.length, 0);
    const state = id === embedderOf(options.embeddings)?.id ? 'sound' : 'other';
    return { ...nothing, state, rows, dimensions, bytes };
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    return { ...nothing, state: 'broken', problem: error.message };
  }
}

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
  problem?: string | undefined;
}

interface UpdateOptions {
  workspace: string;
  include?: readonly string[] | undefined;
  embeddings: EmbeddingSettings;
  env?: NodeJS.ProcessEnv;
  /** Passages sent so far, and the total to send. */
  onProgress?: ((done: number, total: number) => void) | undefined;
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
    const known = knownIn(store, embedder.id);
    const done = await update(store, embedder, lock, options, known).catch((error) => {
      if (!(error instanceof OtherLength)) throw error;
      // Earlier results of the service are useless.
      return update(store, embedder, lock, options);
    });
    store.setProblem(done.problem);
    return done;
  } finally {
    lock.release();
  }
}

async function update(
  store: VectorStore,
  embedder: Embedder,
  lock: Held,
  { workspace, include, onProgress }: UpdateOptions,
  known?: Vectors,
): Promise<VectorUpdate> {
  let dimensions = known?.dimensions;
  const vectors = new Map<string, Quantized>(
    known?.files.flatMap(({ rows }) => rows.map((row) => [row.key, row])),
  );
  const files = listSources(workspace, include).sources.map(({ path, real }) => {
    const read = readMemoryFile(real);
    return { path, passages: 'text' in read ? passageTexts(path, read.text) : [] };
  });
  const save = (): void => {
    const rowsOf = ({ place, key }: SentPassage): Row[] => {
      const vector = vectors.get(key);
      return vector ? [{ place, key, scale: vector.scale, values: vector.values }] : [];
    };
    const saved = files.map(({ path, passages }) => ({ path, rows: passages.flatMap(rowsOf) }));
    if (vectors.size > 0) store.save({ id: embedder.id, dimensions: dimensions ?? 0, files: saved });
  };
  const all = files.flatMap(({ passages }) => passages);
  const missing = all.filter(({ key }) => !vectors.has(key));
  let [sent, requests] = [0, 0];
  let problem: string | undefined;
  try {
    for (const batch of batches(missing)) {
      const found = await ask(
        embedder,
        batch.map(({ text }) => text),
        lock,
      );
      const length = found[0]?.length ?? 0;
      dimensions ??= length;
      if (length !== dimensions) throw new OtherLength(dimensions, length);
      for (const [k, { key }] of batch.entries()) vectors.set(key, quantized(found[k] ?? []));
      sent += batch.length;
      onProgress?.(sent, missing.length);
      if (++requests % SAVE_EVERY === 0) save();
    }
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    problem = error.message;
  }
  save();
  const embedded = all.filter(({ key }) => vectors.has(key)).length;
  return { embedded, missing: all.length - embedded, sent, problem };
}

async function ask(embedder: Embedder, texts: readonly string[], lock: Held): Promise<number[][]> {
  for (let attempt = 1; ; attempt++) {
    lock.renew();
    try {
      return await embedder.embed(texts, AbortSignal.timeout(REQUEST_TIMEOUT));
    } catch (error) {
      const again = error instanceof EmbeddingError ? error.again : undefined;
      if (again === undefined || attempt === TRIES || again > LONGEST_WAIT) throw error;
      await wait(Math.max(again, 100 * 2 ** attempt));
    }
  }
}

function batches(wanted: readonly SentPassage[]): SentPassage[][] {
  const all: SentPassage[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const passage of wanted) {
    const last = all.at(-1);
    characters += passage.text.length;
    if (last !== undefined && last.length < BATCH_TEXTS && characters <= BATCH_CHARACTERS) last.push(passage);
    else {
      all.push([passage]);
      characters = passage.text.length;
    }
  }
  return all;
}

/** The vectors on disk if they are of this model; damaged ones are deleted. */
function knownIn(store: VectorStore, id: string): Vectors | undefined {
  try {
    const found = store.read();
    return found?.id === id ? found : undefined;
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    store.discard();
    return undefined;
  }
}

/** Maximum length of a passage or query; services refuse or cut more than about 8,000 tokens. */
const LONGEST_TEXT = 2000;

interface SentPassage {
  place: PassagePlace;
  text: string;
  /** Identifies the text. */
  key: string;
}

/**
 * The passages of a file with what is sent of them: titles above it and its words. Secrets are detected in the whole
 * file, so that the middle of a key is removed too, and again in the text to send.
 */
function passageTexts(path: string, file: string): SentPassage[] {
  const lines = linesOf(file);
  // Line numbers stay as they are.
  const safe = linesOf(redactSecrets(file));
  return notesOf(path, lines).flatMap((passage) => {
    // A title with text under it is not a result; it is sent with that text.
    if (passage.title) return [];
    const { startLine, endLine, piece, headings } = passage;
    const touched = lines.slice(startLine - 1, endLine).some((each, k) => each !== safe[startLine - 1 + k]);
    const words = touched ? redactPassage(passage.text, file) : passage.text;
    const text = sendable(`${headings.join(' > ')}\n${words}`);
    return [
      {
        place: { startLine, endLine, piece, check: checkOf(lines, passage) },
        text,
        key: `${hashText(text)}-${hashText(text, 1)}`,
      },
    ];
  });
}

/** A text without secrets, cut to the service's limit. */
export function sendable(text: string): string {
  // Cut to the final length only afterwards, so that a secret at the cut is still complete when it is detected.
  return redactSecrets(text.trim().slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT);
}
