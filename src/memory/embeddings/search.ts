import { HitReader } from '../hits.ts';
import { BrokenIndex } from '../index/format.ts';
import { IndexStore } from '../index/store.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions } from '../types.ts';
import { AskedBefore } from './asked.ts';
import { EmbeddingError, OtherLength } from './failures.ts';
import { fused } from './fuse.ts';
import { type Embedder, embedderOf } from './provider.ts';
import { type Quantized, quantized } from './quantize.ts';
import type { EmbeddingSettings } from './settings.ts';
import { type Similar, similarTo } from './similar.ts';
import { hashesOf, sendable } from './texts.ts';
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
    'query',
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
