import { readCache, writeCache } from '../../base/fs/cache.ts';
import { checkBytes } from '../../base/text/hash.ts';
import { membersOf } from '../../base/text/json.ts';
import { insert } from '../arithmetic.ts';
import { Distinct, HitReader } from '../hits.ts';
import { BrokenIndex } from '../index/format.ts';
import { IndexStore } from '../index/store.ts';
import type { PassagePlace } from '../segment.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions } from '../types.ts';
import { type Embedder, EmbeddingError, embedderOf, OtherLength } from './provider.ts';
import { type Quantized, quantized, similarity } from './quantize.ts';
import type { EmbeddingSettings } from './settings.ts';
import { hashesOf, sendable } from './texts.ts';
import type { VectorFile } from './vector-file.ts';
import { VectorStore } from './vector-store.ts';

/** How many results of each list are considered. */
const DEPTH = 50;
/** Milliseconds without background updates after a failure of the service. */
const REST = 5 * 60_000;

type Options = MemoryOptions & { embeddings: EmbeddingSettings };

/**
 * Combines the results of a search by words with the passages with vectors near the query's. If anything fails with
 * the vectors, the results by words remain.
 *
 * @param byWords the search by words only
 */
export async function searchByMeaning(
  options: Options,
  limit: number,
  byWords: (limit: number) => Promise<MemoryAnswer>,
): Promise<MemoryAnswer> {
  const answer = await byWords(Math.max(limit, DEPTH));
  const store = new VectorStore(new IndexStore(options.workspace, options.include));
  try {
    const near = await nearest(answer.asked, store, options);
    const hits = fused(answer.hits, readHits(near, options), options.alreadyShown, limit);
    if (store.isBehind || store.problem !== undefined) refreshInBackground(store, options);
    return { ...answer, hits, meaning: { used: true } };
  } catch (error) {
    const problem = problemOf(error);
    if (error instanceof BrokenIndex || error instanceof OtherLength) store.discard();
    if (store.isBehind || error instanceof NotReady) refreshInBackground(store, options);
    return { ...answer, hits: answer.hits.slice(0, limit), meaning: { used: false, problem } };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof BrokenIndex) return 'the vectors on disk were damaged; they will be rebuilt';
  if (error instanceof EmbeddingError || error instanceof OtherLength || error instanceof NotReady)
    return error.message;
  throw error;
}

/** There are no vectors to compare with yet. */
class NotReady extends Error {}

async function nearest(asked: string, store: VectorStore, options: Options): Promise<Similar[]> {
  const embedder = embedderOf(options.embeddings);
  const text = sendable(asked);
  if (embedder === undefined || text === '') return [];
  const file = store.open();
  try {
    if (file === undefined || file.meta.id !== embedder.id)
      throw new NotReady('there are no vectors of this model yet: scratchpad memory index creates them');
    const vector = await vectorOf(text, embedder, store, options);
    if (vector.values.length !== file.dimensions)
      throw new OtherLength(file.dimensions, vector.values.length);
    return similarTo(vector, file, DEPTH);
  } finally {
    file?.close();
  }
}

/** The vector of a query: cached, or requested within the deadline. */
async function vectorOf(
  text: string,
  embedder: Embedder,
  store: VectorStore,
  { embeddings, signal }: Options,
): Promise<Quantized> {
  const kept = new AskedBefore(store.askedPath, embedder.id);
  const hashes = hashesOf(text);
  const known = kept.find(hashes);
  if (known !== undefined) return known;
  const deadline = AbortSignal.timeout(embeddings.deadline);
  const [found = []] = await embedder.embed(
    [text],
    signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  );
  const vector = quantized(found);
  kept.keep(hashes, vector);
  return vector;
}

/** Starts an update of missing vectors, unless one failed just now. */
function refreshInBackground(store: VectorStore, { background }: Options): void {
  if (Date.now() - (store.problem?.at ?? 0) > REST) background?.();
}

/** Reads each passage from its file; passages that changed since they got their vector are left out. */
export function readHits(
  near: readonly Similar[],
  options: MemoryOptions,
): { hit: MemoryHit; standsOut: number }[] {
  const reader = new HitReader(options);
  return near.flatMap(({ path, place, similarity, standsOut }) => {
    const hit = reader.at(path, place, similarity);
    return hit === undefined ? [] : [{ hit, standsOut }];
  });
}

/** Score of one standard deviation of a passage's vector; the best hit by words has 100. */
const PER_DEVIATION = 6;
/**
 * A passage found only by its vector must be this many standard deviations closer to the query than the average of
 * the memory, because there is always a nearest one.
 */
const LEAST = 5;

/**
 * Merges both lists, without repeats and lines already shown. It adds scores, not ranks: reciprocal rank fusion
 * discards the distance between the best hit and the next, and lost 10 to 18 points of recall.
 */
export function fused(
  byWords: readonly MemoryHit[],
  byMeaning: readonly { hit: MemoryHit; standsOut: number }[],
  alreadyShown: readonly string[] | undefined,
  limit: number,
  { least, perDeviation }: { least: number; perDeviation: number } = {
    least: LEAST,
    perDeviation: PER_DEVIATION,
  },
): MemoryHit[] {
  const all = new Map<string, MemoryHit>();
  const add = (hit: MemoryHit, term: string, score: number): void => {
    const known = all.get(keyOf(hit)) ?? { ...hit, score: 0, why: [] };
    all.set(keyOf(hit), { ...known, score: known.score + score, why: [...known.why, { term, score }] });
  };
  const best = byWords[0]?.score ?? 1;
  for (const hit of byWords) add(hit, '(words)', (100 * hit.score) / best);
  for (const { hit, standsOut } of byMeaning) {
    if (standsOut >= least || (standsOut > 0 && all.has(keyOf(hit))))
      add(hit, '(meaning)', perDeviation * standsOut);
  }
  const distinct = new Distinct(alreadyShown);
  return [...all.values()]
    .sort((a, b) => b.score - a.score)
    .filter(({ text }) => distinct.add(text))
    .slice(0, limit);
}

function keyOf({ path, line, text }: MemoryHit): string {
  return `${path}:${line}:${text}`;
}

export interface Similar {
  path: string;
  place: PassagePlace;
  /** Cosine of the angle to the query. */
  similarity: number;
  /** How many standard deviations it is closer to the query than the average passage. */
  standsOut: number;
}

/**
 * The passages nearest to a query, nearest first. Reads every vector, and checks the bytes of those it returns.
 *
 * @throws BrokenIndex
 */
export function similarTo(query: Quantized, file: VectorFile, limit: number): Similar[] {
  const top: { passage: number; score: number }[] = [];
  let [sum, squares] = [0, 0];
  for (const { first, vectors } of file.chunks()) {
    const rows = vectors.length / file.dimensions;
    for (let row = 0; row < rows; row++) {
      const score = similarity(query, vectors, row * file.dimensions, file.scales[first + row] ?? 0);
      sum += score;
      squares += score * score;
      if (top.length < limit || score > (top[limit - 1]?.score ?? 0))
        insert(top, { passage: first + row, score }, limit);
    }
  }
  const mean = sum / file.rows;
  const deviation = Math.sqrt(Math.max(0, squares / file.rows - mean * mean));
  return top.map(({ passage, score }) => {
    file.vector(passage);
    const standsOut = deviation === 0 ? 0 : (score - mean) / deviation;
    return { path: pathOf(file, passage), place: file.place(passage), similarity: score, standsOut };
  });
}

function pathOf({ meta }: VectorFile, row: number): string {
  let end = 0;
  for (const { path, rows } of meta.files) {
    end += rows;
    if (row < end) return path;
  }
  return '';
}

/** Number of queries with cached vectors. */
const MOST_QUERIES = 64;

interface Kept {
  hashes: [number, number];
  scale: number;
  /** Base64. */
  values: string;
  check: number;
}

/** The vectors of the last queries in a JSON file, so that a repeated query is not sent again. */
class AskedBefore {
  readonly #path: string;
  readonly #id: string;

  /** @param id `Embedder.id`: vectors of another model are ignored */
  constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
  }

  find(hashes: readonly number[]): Quantized | undefined {
    const found = this.#all().find((each) => same(each.hashes, hashes));
    if (found === undefined) return undefined;
    const bytes = Uint8Array.from(Buffer.from(found.values, 'base64'));
    if (checkBytes(bytes, found.hashes[0]) !== found.check) return undefined;
    return { scale: found.scale, values: new Int8Array(bytes.buffer) };
  }

  keep(hashes: [number, number], { scale, values }: Quantized): void {
    const bytes = Uint8Array.from(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    const check = checkBytes(bytes, hashes[0]);
    const query: Kept = { hashes, scale, values: Buffer.from(bytes).toString('base64'), check };
    const others = this.#all().filter((each) => !same(each.hashes, hashes));
    writeCache(this.#path, { id: this.#id, queries: [query, ...others].slice(0, MOST_QUERIES) });
  }

  #all(): Kept[] {
    const { id, queries } = membersOf(readCache(this.#path));
    if (id !== this.#id || !Array.isArray(queries)) return [];
    return (queries as Kept[]).filter((each) => typeof each?.values === 'string');
  }
}

function same(a: readonly number[] | undefined, b: readonly number[]): boolean {
  return a?.[0] === b[0] && a?.[1] === b[1];
}
