import { finish } from '../text/hash.ts';

/** Bits of a feature's number: wide enough that the few ten thousand kept features rarely meet. */
export const HASH_BITS = 22;

/** Keys that share their upper bits stand together; this many lower bits are left to look through. */
export const BUCKET_BITS = 10;
export const BUCKETS = 1 << (HASH_BITS - BUCKET_BITS);

/** Feature numbers as they lie in a file: used where they are, nothing is unpacked. */
export interface PackedKeys {
  /** Where each bucket of 1,024 numbers begins among the rows, and where the last one ends. */
  starts: Uint16Array;
  /** The lower bits of each key, by row. */
  lows: Uint16Array;
}

/** The row of a key, -1 when it has none. */
export function rowOf({ starts, lows }: PackedKeys, key: number): number {
  const bucket = key >>> BUCKET_BITS;
  const low = key & ((1 << BUCKET_BITS) - 1);
  const end = starts[bucket + 1] ?? 0;
  for (let row = starts[bucket] ?? 0; row < end; row++) if (lows[row] === low) return row;
  return -1;
}

/** The number of a feature with this hash. */
export function keyOf(hash: number): number {
  return finish(hash) & ((1 << HASH_BITS) - 1);
}
