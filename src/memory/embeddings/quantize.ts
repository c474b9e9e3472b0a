/** A vector of length 1 as bytes: each number is `values[i] * scale`. */
export interface Quantized {
  scale: number;
  values: Int8Array;
}

/** Brings a vector to length 1 and its numbers to a byte each; a zero vector stays zero. */
export function quantized(vector: readonly number[]): Quantized {
  let squares = 0;
  let most = 0;
  for (const value of vector) {
    squares += value * value;
    most = Math.max(most, Math.abs(value));
  }
  const values = new Int8Array(vector.length);
  if (most === 0) return { scale: 0, values };
  for (let i = 0; i < values.length; i++) values[i] = Math.round(((vector[i] ?? 0) / most) * 127);
  return { scale: most / 127 / Math.sqrt(squares), values };
}

/** Cosine of the angle between a query and the vector at `from`. */
export function similarity(query: Quantized, all: Int8Array, from: number, scale: number): number {
  const { values } = query;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] ?? 0) * (all[from + i] ?? 0);
  return sum * scale * query.scale;
}
