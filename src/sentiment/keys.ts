import { finish } from '../text/hash.ts';

/** Bits of a feature's number: enough that the few ten thousand kept features rarely collide. */
export const HASH_BITS = 22;

/** Keys with the same upper bits are adjacent; this many lower bits remain to be searched. */
export const BUCKET_BITS = 10;
export const BUCKETS = 1 << (HASH_BITS - BUCKET_BITS);

/** Feature numbers as stored in a file, used without unpacking. */
export interface PackedKeys {
  /** The first row of each bucket of 1,024 numbers, and the end of the last one. */
  starts: Uint16Array;
  /** The lower bits of each key, by row. */
  lows: Uint16Array;
}

/** The row of a key; -1 if there is none. */
export function rowOf({ starts, lows }: PackedKeys, key: number): number {
  const bucket = key >>> BUCKET_BITS;
  const low = key & ((1 << BUCKET_BITS) - 1);
  const end = starts[bucket + 1] ?? 0;
  for (let row = starts[bucket] ?? 0; row < end; row++) if (lows[row] === low) return row;
  return -1;
}

/** The number of the feature with this hash. */
export function keyOf(hash: number): number {
  return finish(hash) & ((1 << HASH_BITS) - 1);
}
