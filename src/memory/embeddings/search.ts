import { BrokenIndex } from '../index/format.ts';
import { IndexStore } from '../index/store.ts';
import type { MemoryAnswer, MemoryOptions } from '../types.ts';
import { AskedBefore } from './asked.ts';
import { EmbeddingError, OtherLength } from './failures.ts';
import { fused } from './fuse.ts';
import { readHits } from './hits.ts';
import { type Embedder, embedderOf } from './provider.ts';
import { type Quantized, quantized } from './quantize.ts';
import type { EmbeddingSettings } from './settings.ts';
import { type Similar, similarTo } from './similar.ts';
import { hashesOf, sendable } from './texts.ts';
import { VectorStore } from './vector-store.ts';

/** Places of either list that have a say in the end. */
const DEPTH = 50;
/** After a service failed, background updates are not tried again for so long, in milliseconds. */
const REST = 5 * 60_000;

type Options = MemoryOptions & { embeddings: EmbeddingSettings };

/**
 * Joins what a search by words found with the passages whose vectors are near the query's. Whatever goes wrong
 * with the vectors, the answer by words stands.
 *
 * @param byWords the search by words alone
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
  if (error instanceof BrokenIndex) return 'the vectors on disk were damaged; they are made anew';
  if (error instanceof EmbeddingError || error instanceof OtherLength || error instanceof NotReady)
    return error.message;
  throw error;
}

/** There is nothing yet to compare with. */
class NotReady extends Error {}

async function nearest(asked: string, store: VectorStore, options: Options): Promise<Similar[]> {
  const embedder = embedderOf(options.embeddings);
  const text = sendable(asked);
  if (embedder === undefined || text === '') return [];
  const file = store.open();
  try {
    if (file === undefined || file.meta.id !== embedder.id)
      throw new NotReady('there are no vectors of this model yet: scratchpad memory index makes them');
    const vector = await vectorOf(text, embedder, store, options);
    if (vector.values.length !== file.dimensions)
      throw new OtherLength(file.dimensions, vector.values.length);
    return similarTo(vector, file, DEPTH);
  } finally {
    file?.close();
  }
}

/** The vector of a query: kept from before, or asked for within the deadline. */
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

/** Has the vectors that are missing made, unless that failed just now. */
function refreshInBackground(store: VectorStore, { background }: Options): void {
  if (Date.now() - (store.problem?.at ?? 0) > REST) background?.();
}
