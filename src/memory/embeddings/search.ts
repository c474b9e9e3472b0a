import { insert } from '../rank.ts';
import { Distinct, HitReader } from '../read.ts';
import { BrokenIndex } from '../store.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions } from '../types.ts';
import { EmbeddingError, type EmbeddingSettings, embedderOf, OtherLength } from './service.ts';
import { type Quantized, quantized, type Row, sendable, VectorStore, type Vectors } from './vectors.ts';

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
  const store = new VectorStore(options);
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
  const vectors = store.read();
  if (vectors?.id !== embedder.id)
    throw new NotReady('there are no vectors of this model yet: scratchpad memory index creates them');
  const deadline = AbortSignal.timeout(options.embeddings.deadline);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const query = quantized((await embedder.embed([text], signal))[0] ?? []);
  if (query.values.length !== vectors.dimensions)
    throw new OtherLength(vectors.dimensions, query.values.length);
  return similarTo(query, vectors, DEPTH);
}

/** Starts an update of missing vectors, unless one failed just now. */
function refreshInBackground(store: VectorStore, { background }: Options): void {
  if (Date.now() - (store.problem?.at ?? 0) > REST) background?.();
}

/** Reads each passage from its file; passages that changed since they got their vector are left out. */
function readHits(near: readonly Similar[], options: MemoryOptions): { hit: MemoryHit; standsOut: number }[] {
  const reader = new HitReader(options);
  return near.flatMap(({ path, row, similarity, standsOut }) => {
    const hit = reader.at(path, row.place, similarity);
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
function fused(
  byWords: readonly MemoryHit[],
  byMeaning: readonly { hit: MemoryHit; standsOut: number }[],
  alreadyShown: readonly string[] | undefined,
  limit: number,
): MemoryHit[] {
  const all = new Map<string, MemoryHit>();
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
  return [...all.values()]
    .sort((a, b) => b.score - a.score)
    .filter(({ text }) => distinct.add(text))
    .slice(0, limit);
}

function placeOf({ path, line, text }: MemoryHit): string {
  return `${path}:${line}:${text}`;
}

interface Similar {
  path: string;
  row: Row;
  /** Cosine of the angle to the query. */
  similarity: number;
  /** How many standard deviations it is closer to the query than the average passage. */
  standsOut: number;
}

/** The passages nearest to a query, nearest first. */
function similarTo(query: Quantized, { files }: Vectors, limit: number): Similar[] {
  const top: { path: string; row: Row; passage: number; score: number }[] = [];
  let [passage, sum, squares] = [0, 0, 0];
  for (const { path, rows } of files) {
    for (const row of rows) {
      const score = similarity(query, row);
      sum += score;
      squares += score * score;
      if (top.length < limit || score > (top[limit - 1]?.score ?? 0))
        insert(top, { path, row, passage, score }, limit);
      passage++;
    }
  }
  const mean = sum / passage;
  const deviation = Math.sqrt(Math.max(0, squares / passage - mean * mean));
  return top.map(({ path, row, score }) => {
    return { path, row, similarity: score, standsOut: deviation === 0 ? 0 : (score - mean) / deviation };
  });
}

/** Cosine of the angle between two vectors. */
function similarity(one: Quantized, other: Quantized): number {
  let sum = 0;
  for (const [i, value] of one.values.entries()) sum += value * (other.values[i] ?? 0);
  return sum * one.scale * other.scale;
}
