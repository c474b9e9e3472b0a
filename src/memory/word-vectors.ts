import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { readBytes } from '../base/fs/index.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { findFirst } from '../base/text/strings.ts';
import type { Collection } from './segment.ts';
import type { Variant } from './types.ts';

/** Words with a smaller cosine have nothing to do with each other, and one is worth this much less. */
const LEAST_COSINE = 0.4;
const NO_RELATION = 0.2;
/** The share of a word that means the very same, of the word itself; and the least that counts. */
const SAME_MEANING = 0.8;
const LEAST_SHARE = 0.12;
const MOST = 12;
/** In a larger memory its own words find enough, and comparing all of them takes too long. */
const MOST_PASSAGES = 50_000;

/** An English word that says what another says, with its place among the vectors and how sure that is. */
interface Meaning {
  word: string;
  row: number;
  trust: number;
}

/**
 * `models/vectors.bin`: four sizes, the English stems, the words of other languages, and a row of numbers a stem. Its
 * lines are sorted, so they are searched as they are: two maps of them would take longer to make than most searches.
 */
class WordVectors {
  readonly #stems: readonly string[];
  readonly #translations: readonly string[];
  readonly #meanings = new Map<string, readonly Meaning[]>();
  readonly #matrix: Int8Array;
  readonly #lengths: Float64Array;
  readonly #dimensions: number;

  constructor(bytes: Buffer) {
    const [count = 0, dimensions = 0, stems = 0, words = 0] = [0, 4, 8, 12].map((at) =>
      bytes.readUInt32LE(at),
    );
    const numbers = HEAD + stems + words;

    this.#stems = bytes.toString('utf8', HEAD, HEAD + stems).split('\n');
    this.#translations = bytes.toString('utf8', HEAD + stems, numbers).split('\n');
    this.#dimensions = dimensions;
    this.#matrix = new Int8Array(bytes.buffer, bytes.byteOffset + numbers, count * dimensions);
    this.#lengths = new Float64Array(count);
  }

  /** The English words for a term: itself, and what it means in another language. */
  meanings(term: string): readonly Meaning[] {
    const termMeanings = this.#meanings.get(term) ?? this.#findMeanings(term);
    this.#meanings.set(term, termMeanings);
    return termMeanings;
  }

  #findMeanings(term: string): Meaning[] {
    const row = this.#findRow(term);
    const own = row < 0 ? [] : [{ word: term, row, trust: 1 }];
    const line = this.#translations[findPlace(this.#translations, `${term} `)] ?? '';
    if (!line.startsWith(`${term} `)) return own;

    const translated = line.split(' ').slice(1);
    return [
      ...own,
      ...translated.map((each) => {
        const [word = '', tenths = ''] = each.split('=');
        return { word, row: this.#findRow(word), trust: Number(tenths) / 10 };
      }),
    ];
  }

  #findRow(stem: string): number {
    const row = findPlace(this.#stems, stem);
    return this.#stems[row] === stem ? row : -1;
  }

  cosine(one: number, other: number): number {
    return this.#dot(one, other) / (this.#length(one) * this.#length(other) || 1);
  }

  #length(row: number): number {
    const length = this.#lengths[row] || Math.sqrt(this.#dot(row, row));
    this.#lengths[row] = length;
    return length;
  }

  #dot(one: number, other: number): number {
    const [from, to] = [one * this.#dimensions, other * this.#dimensions];
    let sum = 0;
    for (let d = 0; d < this.#dimensions; d++)
      sum += (this.#matrix[from + d] ?? 0) * (this.#matrix[to + d] ?? 0);
    return sum;
  }
}

/** The place of the first of sorted lines that is not before a text. */
function findPlace(lines: readonly string[], text: string): number {
  return findFirst(lines.length, (place) => (lines[place] ?? '') >= text);
}

const HEAD = 16;

/** Undefined until it is read; null if the file is missing or damaged: then words are found as they are spelt. */
let model: WordVectors | null | undefined;

function readVectors(): WordVectors | null {
  if (model === undefined) {
    const bytes = attempt(() => readBytes(join(findPackageFolder(), 'models/vectors.bin'), 'index'));
    model = (bytes && attempt(() => new WordVectors(bytes))) ?? null;
  }

  return model;
}

/** The words of a memory that have a meaning, with it. */
const vocabularies = new WeakMap<Collection, [term: string, meanings: readonly Meaning[]][]>();

function readVocabulary(collection: Collection, vectors: WordVectors): [string, readonly Meaning[]][] {
  const stored = vocabularies.get(collection);
  if (stored) return stored;

  const terms = new Set(collection.views.flatMap(({ segment }) => segment.terms()));
  const found = [...terms].map((term): [string, readonly Meaning[]] => [term, vectors.meanings(term)]);
  const vocabulary = found.filter(([, meanings]) => meanings.length > 0);

  vocabularies.set(collection, vocabulary);

  return vocabulary;
}

/** Words of the memory that mean nearly what a word of the question means, in whatever language. */
export function findSynonyms(term: string, collection: Collection): Variant[] {
  if (collection.passages > MOST_PASSAGES) return [];

  const vectors = readVectors();
  const termMeanings = vectors?.meanings(term) ?? [];

  if (vectors === null || termMeanings.length === 0) return [];

  const found = readVocabulary(collection, vectors).flatMap(([held, meanings]): Variant[] => {
    if (held === term) return [];
    let best = 0;
    for (const one of termMeanings)
      for (const other of meanings) best = Math.max(best, relate(one, other, vectors));
    const share = SAME_MEANING * best;
    return share >= LEAST_SHARE ? [{ term: held, share }] : [];
  });

  return found.sort((a, b) => b.share - a.share).slice(0, MOST);
}

function relate(one: Meaning, other: Meaning, vectors: WordVectors): number {
  const trust = one.trust * other.trust;
  if (one.word === other.word) return trust;
  if (one.row < 0 || other.row < 0) return 0;
  const cosine = vectors.cosine(one.row, other.row);
  return cosine < LEAST_COSINE ? 0 : (trust * (cosine - NO_RELATION)) / (1 - NO_RELATION);
}
