import type { Features } from './features.ts';
import { broken, type Pack, type PackedKeys, rowOf, type SectionData } from './pack.ts';

/** A shared hidden layer over hashed features, and its output heads. */
export interface Layers {
  width: number;
  heads: readonly string[];
  hidden(features: Features): Float32Array;
  /** Logits of all heads, or of those with these numbers; the others stay 0. */
  answer(hidden: Float32Array, dense: Float32Array, only?: readonly number[]): Float32Array;
}

/** Slope of the rectifier below 0. */
const LEAK = 0.1;

/** The layers in a pack of kind `mood`; rows are int8 with one scale per column. */
export function layersOf({ header, sections }: Pack, where: string): Layers {
  const { width, features, heads } = header;
  if (typeof width !== 'number' || typeof features !== 'number' || !Array.isArray(heads)) {
    throw broken(where, 'a header without width, features and heads');
  }
  const names = heads.map(String);
  const rows = want(sections, 'rows', Int8Array, features * width, where);
  const scales = want(sections, 'scales', Float32Array, width, where);
  const bias = want(sections, 'hiddenBias', Float32Array, width, where);
  const headHidden = want(sections, 'headHidden', Float32Array, names.length * width, where);
  const headDense = sections.get('headDense');
  const denseHidden = sections.get('denseHidden');
  if (!(headDense instanceof Float32Array) || !(denseHidden instanceof Float32Array))
    throw broken(where, 'no dense weights');
  const keys = keysOf(sections, features, where);
  const all = [...names.keys()];
  const denseCount = headDense.length / Math.max(1, names.length);

  return {
    width,
    heads: names,
    hidden({ grams, dense }) {
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
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (counts[k] ?? 0);
      }
      for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) * (scales[k] ?? 0) + (bias[k] ?? 0);
      for (let d = 0; d < denseCount; d++) {
        const value = dense[d] ?? 0;
        if (value === 0) continue;
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (denseHidden[d * width + k] ?? 0);
      }
      return sums;
    },
    answer(hidden, dense, only = all) {
      const answers = new Float32Array(names.length);
      const leaked = Float64Array.from(hidden, leak);
      const felt = [...dense.keys()].filter((d) => dense[d] !== 0);
      for (const h of only) {
        let sum = 0;
        for (let k = 0; k < width; k++) sum += (leaked[k] ?? 0) * (headHidden[h * width + k] ?? 0);
        for (const d of felt) sum += (dense[d] ?? 0) * (headDense[h * denseCount + d] ?? 0);
        answers[h] = sum;
      }
      return answers;
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

/** The keys of a pack's features. */
export function keysOf(sections: Pack['sections'], features: number, where: string): PackedKeys {
  const starts = want(sections, 'starts', Uint16Array, undefined, where);
  return { starts, lows: want(sections, 'lows', Uint16Array, features, where) };
}

export function leak(x: number): number {
  return x > 0 ? x : LEAK * x;
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
