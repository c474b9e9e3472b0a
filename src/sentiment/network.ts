import { KeyTable } from './keys.ts';
import { broken, type Pack } from './pack.ts';

/** A shared hidden layer over hashed features, and the heads that read it. */
export interface Layers {
  width: number;
  heads: readonly string[];
  hidden(sparse: ReadonlyMap<number, number>, dense: Float32Array): Float32Array;
  /** All heads, before any logistic function. */
  answer(hidden: Float32Array, dense: Float32Array): Float32Array;
}

/** Slope of the rectifier below 0. */
export const LEAK = 0.1;

/** The layers of a pack of kind `mood`; rows are int8 with one scale a column. */
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
  const table = new KeyTable(want(sections, 'keys', Uint8Array, undefined, where), features);
  const denseCount = headDense.length / Math.max(1, names.length);

  return {
    width,
    heads: names,
    hidden(sparse, dense) {
      const sums = new Float32Array(width);
      for (const [key, value] of sparse) {
        const row = table.rowOf(key);
        if (row < 0) continue;
        const at = row * width;
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (rows[at + k] ?? 0);
      }
      for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) * (scales[k] ?? 0) + (bias[k] ?? 0);
      for (let d = 0; d < denseCount; d++) {
        const value = dense[d] ?? 0;
        if (value === 0) continue;
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (denseHidden[d * width + k] ?? 0);
      }
      return sums;
    },
    answer(hidden, dense) {
      const answers = new Float32Array(names.length);
      for (let h = 0; h < names.length; h++) {
        let sum = 0;
        for (let k = 0; k < width; k++) sum += leak(hidden[k] ?? 0) * (headHidden[h * width + k] ?? 0);
        for (let d = 0; d < denseCount; d++) sum += (dense[d] ?? 0) * (headDense[h * denseCount + d] ?? 0);
        answers[h] = sum;
      }
      return answers;
    },
  };
}

/** A section of the type and length that is needed. */
export function want<T extends Uint8Array | Int8Array | Float32Array>(
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

export function leak(x: number): number {
  return x > 0 ? x : LEAK * x;
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
