import {
  type Held,
  remove,
  tryLock,
  tryReadText,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { redactPassage, redactSecrets } from '../base/safety/index.ts';
import { hashText } from '../base/text/strings.ts';
import { EmbeddingError, embed, idOf, otherLength, patiently, sendable } from './embed.ts';
import { notesOf } from './passages.ts';
import { Distinct, HitReader, linesOf, readMemoryFile } from './read.ts';
import { checkOf, type PassagePlace } from './segment.ts';
import { listSources } from './sources.ts';
import { BrokenIndex, IndexStore, readValue, writeValue } from './store.ts';
import type { EmbeddingSettings, MemoryAnswer, MemoryHit, MemoryOptions } from './types.ts';

/** Texts in a request; received vectors are saved after so many requests, because they are paid for. */
const BATCH = 64;
const SAVE_EVERY = 32;
const REQUEST_TIMEOUT = 60_000;
/** Milliseconds without updates in the background after a failure. */
const REST = 5 * 60_000;
/** How many results of each list are merged. */
const DEPTH = 50;
/** Score of one standard deviation of a passage's vector; the best hit by words has 100. */
const PER_DEVIATION = 6;
/** What only its vector finds must stand out by so many standard deviations: there is always a nearest one. */
const LEAST = 5;

/** A vector of length 1 as bytes: each number is `values[i] * scale`. */
interface Quantized {
  scale: number;
  values: Int8Array;
}

function quantized(vector: readonly number[]): Quantized {
  const most = vector.reduce((sum, value) => Math.max(sum, Math.abs(value)), 0);
  if (most === 0) return { scale: 0, values: new Int8Array(vector.length) };
  const values = Int8Array.from(vector, (value) => Math.round((value / most) * 127));
  return { scale: most / 127 / Math.hypot(...vector), values };
}
function similarity(one: Quantized, other: Quantized): number {
  let sum = 0;
  for (let i = 0; i < one.values.length; i++) sum += (one.values[i] ?? 0) * (other.values[i] ?? 0);
  return sum * one.scale * other.scale;
}
/** A passage, and what identifies the text that was sent of it. */
interface Passage {
  path: string;
  place: PassagePlace;
  key: string;
}

/** All vectors of a memory. Those of changed passages are skipped: their checks differ. */
interface Vectors {
  id: string;
  dimensions: number;
  rows: (Passage & Quantized)[];
}

/** The files of a memory's vectors, beside its index. They may be deleted. */
class VectorStore {
  readonly index: IndexStore;
  readonly path: string;
  readonly #problemPath: string;

  constructor({ workspace, include }: Place) {
    this.index = new IndexStore(workspace, include);
    this.path = this.index.path('vectors');
    this.#problemPath = this.index.path('vectors-problem');
  }

  /** @throws BrokenIndex */
  read(): Vectors | undefined {
    return readValue(this.path) as Vectors | undefined;
  }

  /** Whether the index is newer than the vectors, so that passages may lack one. */
  get isBehind(): boolean {
    return [this.index.basePath, this.index.changesPath].some((path) => timeOf(path) > timeOf(this.path));
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

const timeOf = (path: string): number => tryStat(path)?.mtimeMs ?? 0;
interface Place {
  workspace: string;
  include?: readonly string[] | undefined;
}
type Options = MemoryOptions & { embeddings: EmbeddingSettings };
/**
 * Adds the passages whose vectors are near the query's to the results of a search by words. If anything fails with the
 * vectors, the results by words remain.
 */
export async function searchByMeaning(
  options: Options,
  limit: number,
  byWords: (limit: number) => Promise<MemoryAnswer>,
): Promise<MemoryAnswer> {
  const answer = await byWords(Math.max(limit, DEPTH));
  const store = new VectorStore(options);
  let [hits, problem, isMissing] = [answer.hits.slice(0, limit), undefined as string | undefined, false];
  try {
    const vectors = store.read();
    isMissing = vectors?.id !== idOf(options.embeddings);
    if (vectors === undefined || isMissing)
      throw new EmbeddingError(
        'there are no vectors of this model yet: scratchpad memory index creates them',
      );
    const query = await vectorOf(answer.asked, options);
    if (query !== undefined && query.values.length !== vectors.dimensions) {
      tryRemove(store.path);
      throw otherLength(vectors.dimensions, query.values.length);
    }
    const near = query === undefined ? [] : nearest(query, vectors, options);
    hits = fused(answer.hits, near, options.alreadyShown, limit);
  } catch (error) {
    if (error instanceof BrokenIndex) tryRemove(store.path);
    else if (!(error instanceof EmbeddingError)) throw error;
    problem =
      error instanceof BrokenIndex ? 'the vectors on disk were damaged; they will be rebuilt' : error.message;
  }
  const failed = store.problem;
  const isDue = isMissing || store.isBehind || failed !== undefined;
  if (isDue && Date.now() - (failed?.at ?? 0) > REST) options.background?.();
  return { ...answer, hits, meaning: problem === undefined ? { used: true } : { used: false, problem } };
}
interface Near {
  hit: MemoryHit;
  /** How many standard deviations it is closer to the query than the average passage. */
  standsOut: number;
}
async function vectorOf(asked: string, { embeddings, signal }: Options): Promise<Quantized | undefined> {
  const text = sendable(asked);
  if (text === '') return undefined;
  const deadline = AbortSignal.timeout(embeddings.deadline);
  const [vector = []] = await embed(
    [text],
    embeddings,
    signal ? AbortSignal.any([signal, deadline]) : deadline,
  );
  return quantized(vector);
}
/** The passages nearest to a query, read from their files; those that changed since are left out. */
function nearest(query: Quantized, { rows }: Vectors, options: Options): Near[] {
  const all = rows.map((row) => ({ row, score: similarity(query, row) }));
  const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length;
  const variance = all.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / all.length;
  const reader = new HitReader(options);
  const best = all.sort((one, other) => other.score - one.score).slice(0, DEPTH);
  return best.flatMap(({ row, score }) => {
    const hit = reader.at(row.path, row.place, score);
    return hit === undefined
      ? []
      : [{ hit, standsOut: variance === 0 ? 0 : (score - mean) / Math.sqrt(variance) }];
  });
}

/**
 * Merges both lists, without repeats and lines already shown. It adds scores, not ranks: reciprocal rank fusion
 * discards the distance between the best hit and the next, and lost 10 to 18 points of recall.
 */
function fused(
  byWords: readonly MemoryHit[],
  byMeaning: readonly Near[],
  alreadyShown: readonly string[] | undefined,
  limit: number,
): MemoryHit[] {
  const all = new Map<string, MemoryHit>();
  const placeOf = ({ path, line, text }: MemoryHit): string => `${path}:${line}:${text}`;
  const add = (hit: MemoryHit, term: string, score: number): void => {
    const known = all.get(placeOf(hit)) ?? { ...hit, score: 0, why: [] };
    all.set(placeOf(hit), { ...known, score: known.score + score, why: [...known.why, { term, score }] });
  };
  const best = byWords[0]?.score ?? 1;
  for (const hit of byWords) add(hit, '(words)', (100 * hit.score) / best);
  for (const { hit, standsOut } of byMeaning) {
    if (standsOut >= LEAST || (standsOut > 0 && all.has(placeOf(hit))))
      add(hit, '(meaning)', PER_DEVIATION * standsOut);
  }
  const distinct = new Distinct(alreadyShown);
  const inOrder = [...all.values()].sort((one, other) => other.score - one.score);
  return inOrder.filter(({ text }) => distinct.add(text)).slice(0, limit);
}
export interface VectorStatus {
  /** `other`: of a model other than the configured one. `broken`: the next search deletes them. */
  state: 'sound' | 'none' | 'other' | 'broken';
  /** Passages that have a vector, and numbers in each. */
  rows: number;
  dimensions: number;
  bytes: number;
  /** The damage, or the reason why the last update stopped. */
  problem?: string | undefined;
}

/** The state of the vectors. Changes and sends nothing. */
export function vectorStatus(options: Place & { embeddings: EmbeddingSettings }): VectorStatus {
  const store = new VectorStore(options);
  const nothing = { rows: 0, dimensions: 0, bytes: 0, problem: store.problem?.message };
  try {
    const found = store.read();
    if (found === undefined) return { ...nothing, state: 'none' };
    const { id, rows, dimensions } = found;
    const state = id === idOf(options.embeddings) ? 'sound' : 'other';
    return { ...nothing, state, rows: rows.length, dimensions, bytes: tryStat(store.path)?.size ?? 0 };
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    return { ...nothing, state: 'broken', problem: error.message };
  }
}

export interface VectorUpdate {
  /** Numbers of passages with and without a vector. */
  embedded: number;
  missing: number;
  sent: number;
  problem?: string | undefined;
}

interface UpdateOptions extends Place {
  embeddings: EmbeddingSettings;
  env?: NodeJS.ProcessEnv;
  /** Passages sent so far, and the total to send. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Creates the missing vectors of a memory. Undefined if embeddings are off or another process is doing it. If the
 * service fails, the vectors received so far stay; it never throws for that.
 */
export async function updateVectors(options: UpdateOptions): Promise<VectorUpdate | undefined> {
  if (options.embeddings.provider === 'off') return undefined;
  const store = new VectorStore(options);
  store.index.createFolder();
  const lock = tryLock(store.index.path('vectors-lock'));
  if (lock === undefined) return undefined;
  try {
    const done = await update(store, lock, options, knownIn(store, idOf(options.embeddings)));
    store.setProblem(done.problem);
    return done;
  } finally {
    lock.release();
  }
}

function knownIn(store: VectorStore, id: string): Vectors | undefined {
  try {
    const found = store.read();
    return found?.id === id ? found : undefined;
  } catch (error) {
    if (error instanceof BrokenIndex) return undefined;
    throw error;
  }
}

async function update(
  store: VectorStore,
  lock: Held,
  options: UpdateOptions,
  known?: Vectors,
): Promise<VectorUpdate> {
  const { workspace, include, embeddings, env, onProgress } = options;
  let dimensions = known?.dimensions ?? 0;
  const vectors = new Map<string, Quantized>(known?.rows.map((row) => [row.key, row]));
  const all = listSources(workspace, include).sources.flatMap(({ path, real }) => {
    const read = readMemoryFile(real);
    return 'text' in read ? passagesIn(path, read.text) : [];
  });
  const save = (): void => {
    const rows = all.flatMap(({ path, place, key }) => {
      const vector = vectors.get(key);
      return vector ? [{ path, place, key, scale: vector.scale, values: vector.values }] : [];
    });
    if (vectors.size > 0) writeValue(store.path, { id: idOf(embeddings), dimensions, rows });
  };
  const missing = all.filter(({ key }) => !vectors.has(key));
  let [sent, problem] = [0, undefined as string | undefined];
  try {
    for (let number = 1; sent < missing.length; number++) {
      const batch = missing.slice(sent, sent + BATCH);
      const texts = batch.map(({ text }) => text);
      const found = await patiently(lock, () =>
        embed(texts, embeddings, AbortSignal.timeout(REQUEST_TIMEOUT), env),
      );
      const length = found[0]?.length ?? 0;
      // Of another model: earlier vectors are useless.
      if (dimensions !== 0 && length !== dimensions) {
        if (known === undefined) throw otherLength(dimensions, length);
        return update(store, lock, options);
      }
      dimensions = length;
      for (const [k, { key }] of batch.entries()) vectors.set(key, quantized(found[k] ?? []));
      sent += batch.length;
      onProgress?.(sent, missing.length);
      if (number % SAVE_EVERY === 0) save();
    }
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    problem = error.message;
  }
  save();
  const embedded = all.filter(({ key }) => vectors.has(key)).length;
  return { embedded, missing: all.length - embedded, sent, problem };
}

type Sent = Passage & { text: string };

/**
 * The passages of a file with what is sent of them: titles above it and its words. Secrets are detected in the whole
 * file, so that the middle of a key is removed too, and again in the text to send.
 */
function passagesIn(path: string, file: string): Sent[] {
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
    const place = { startLine, endLine, piece, check: checkOf(lines, passage) };
    return [{ path, place, text, key: `${hashText(text)}-${hashText(text, 1)}` }];
  });
}
