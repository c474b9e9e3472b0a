import type { Grams } from './features.ts';
import { broken, type Pack, rowOf, type SectionData } from './pack.ts';

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
  const keys = {
    starts: want(sections, 'starts', Uint16Array, undefined, where),
    lows: want(sections, 'lows', Uint16Array, features, where),
  };
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
          const row = rowOf(keys, hash);
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

/** A section, after checking its type and length. */
export function want<T extends SectionData>(
  sections: Pack['sections'],
  name: string,
  type: new (length: number) => T,
  length: number | undefined,
  where: string,
): T {
  const data = sections.get(name);
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
