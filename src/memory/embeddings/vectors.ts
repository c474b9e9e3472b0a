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
import { redactPassage, redactSecrets } from '../../base/safety/index.ts';
import { hashText } from '../../base/text/hash.ts';
import { linesOf } from '../build.ts';
import { BrokenIndex, CheckedFile, writeChecked } from '../checked-file.ts';
import { notesOf } from '../passages.ts';
import { checkOf, type PassagePlace, type Stamp } from '../segment.ts';
import { IndexStore } from '../store.ts';
import { type EmbeddingSettings, embedderOf } from './service.ts';

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

/** A file's stamp, and its rows. The time is -1 while some of its passages lack a vector. */
export interface EmbeddedFile {
  path: string;
  stamp: Stamp;
  rows: Row[];
}

/** All vectors of a memory; their order is that of the files. Rows of changed passages are skipped: checks differ. */
export interface Vectors {
  /** `Embedder.id`. */
  id: string;
  dimensions: number;
  files: EmbeddedFile[];
}

/** The vectors of one memory on disk, beside its index, with related files. All of them may be deleted. */
export class VectorStore {
  readonly #index: IndexStore;
  readonly #path: string;
  readonly #problemPath: string;
  readonly askedPath: string;

  constructor({ workspace, include }: { workspace: string; include?: readonly string[] }) {
    this.#index = new IndexStore(workspace, include);
    this.#path = this.#index.path('vectors');
    this.#problemPath = this.#index.path('vectors-problem');
    this.askedPath = this.#index.path('vectors-asked');
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
    return [this.#index.basePath, this.#index.changesPath].some((path) => timeOf(path) > own);
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

/** Maximum length of a passage or query; services refuse or cut more than about 8,000 tokens. */
const LONGEST_TEXT = 2000;

/**
 * The passages of a file with what is sent of them: titles above it and its words. Secrets are detected in the whole
 * file, so that the middle of a key is removed too, and again in the text to send.
 */
export function passageTexts(
  path: string,
  file: string,
): { place: PassagePlace; text: string; key: string }[] {
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
    return [{ place: { startLine, endLine, piece, check: checkOf(lines, passage) }, text, key: keyOf(text) }];
  });
}

/** A text without secrets, cut to the service's limit. */
export function sendable(text: string): string {
  // Cut to the final length only afterwards, so that a secret at the cut is still complete when it is detected.
  return redactSecrets(text.trim().slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT);
}

/** Identifies a text. */
export function keyOf(text: string): string {
  return `${hashText(text)}-${hashText(text, 1)}`;
}
