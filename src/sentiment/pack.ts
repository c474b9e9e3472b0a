import { deserialize } from 'node:v8';
import { failed, messageOf, type ScratchpadError } from '../base/errors.ts';
import { isObject } from '../base/text/json.ts';
import { finish, rollText } from '../base/text/strings.ts';
import type { Grams } from './features.ts';

/** A model file, as `node:v8` serializes it. */
export interface Pack {
  header: Record<string, unknown>;
  sections: Record<string, SectionData>;
}

export type SectionData = Int8Array | Uint32Array | Float32Array;

/** @throws ScratchpadError `environment` if the bytes are not a model file */
export function unpack(bytes: Uint8Array, where: string): Pack {
  try {
    const { header, sections } = deserialize(bytes) as Pack;
    if (isObject(header) && isObject(sections)) return { header, sections };
  } catch (error) {
    throw broken(where, messageOf(error));
  }
  throw broken(where, 'another kind of file');
}

/** The error for an unusable model file. */
export function broken(where: string, found: string): ScratchpadError {
  return failed('The sentiment model cannot be read', {
    expected: 'a model file of this version',
    found,
    where,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
  });
}

/** Bits of a feature's number: enough that the few ten thousand kept features rarely collide. */
export const HASH_BITS = 22;

/** Where ascending numbers hold one; -1 if they do not. */
export function placeIn(numbers: Uint32Array, wanted: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted ? low : -1;
}

/** The number of the feature with this hash. */
export function featureKey(hash: number): number {
  return finish(hash) & ((1 << HASH_BITS) - 1);
}

/** Valences of words, -4 to 4; a `Map` can be used as one. */
export interface Lexicon {
  get(word: string): number | undefined;
  has(word: string): boolean;
}

/**
 * A lexicon as stored in a file: 32-bit hashes of its words, ascending, and one byte per word for its valence
 * times 30.
 */
export interface PackedLexicon {
  hashes: Uint32Array;
  ratings: Int8Array;
}

export const SCALE = 30;

/**
 * Looks words up by their hash, so that nothing has to be parsed first. One in some 500,000 words outside the
 * lexicon gets the rating of another word; English has fewer.
 */
export function hashedLexicon({ hashes, ratings }: PackedLexicon): Lexicon {
  const get = (word: string): number | undefined => {
    const place = placeIn(hashes, rollText(word) >>> 0);
    return place < 0 ? undefined : (ratings[place] ?? 0) / SCALE;
  };
  return { get, has: (word) => get(word) !== undefined };
}

/** Linear functions of a text's n-grams and of further inputs, one per name. */
export interface Linear {
  names: readonly string[];
  answer(grams: readonly Grams[], inputs: Float32Array): Float32Array;
}

/** The functions in a pack; the weights of n-grams are int8 with one scale per function. */
export function linearOf({ header, sections }: Pack, where: string): Linear {
  const { features, names } = header;
  if (typeof features !== 'number' || !Array.isArray(names)) throw broken(where, 'no features and names');
  const width = names.length;
  const keys = want(sections, 'keys', Uint32Array, features, where);
  const rows = want(sections, 'rows', Int8Array, features * width, where);
  const scales = want(sections, 'scales', Float32Array, width, where);
  const weights = want(sections, 'inputs', Float32Array, undefined, where);
  return {
    names: names.map(String),
    answer(grams, inputs) {
      const sums = new Float32Array(width);
      for (const { hashes, value } of grams) {
        // Integers until the end: V8's interpreter, which a cold process does not leave, allocates every
        // fraction on the heap.
        const counts = new Int32Array(width);
        for (const hash of hashes) {
          const row = placeIn(keys, hash);
          if (row < 0) continue;
          const at = row * width;
          for (let k = 0; k < width; k++) counts[k] = (counts[k] ?? 0) + (rows[at + k] ?? 0);
        }
        for (let k = 0; k < width; k++)
          sums[k] = (sums[k] ?? 0) + value * (counts[k] ?? 0) * (scales[k] ?? 0);
      }
      inputs.forEach((value, d) => {
        if (value === 0) return;
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (weights[d * width + k] ?? 0);
      });
      return sums;
    },
  };
}

export function want<T extends SectionData>(
  sections: Pack['sections'],
  name: string,
  type: new (length: number) => T,
  length: number | undefined,
  where: string,
): T {
  const data = sections[name];
  if (!(data instanceof type) || (length !== undefined && data.length !== length)) {
    throw broken(where, `no usable section ${name}`);
  }
  return data;
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/**
 * The inputs of valence and arousal besides n-grams: lexicon and style, each answer as a logit and as a
 * probability, and the length of the text.
 */
export function affectInputs(dense: Float32Array, answers: Float32Array, length: number): Float32Array {
  const inputs = [...dense, ...answers.map((x) => x / 4), ...answers.map(logistic), Math.log(1 + length) / 6];
  return Float32Array.from(inputs);
}
