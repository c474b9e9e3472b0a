import { HASH_BITS } from './hash.ts';

/** Keys that share their upper bits stand together; this many lower bits are left to look through. */
const BUCKET_BITS = 10;
const BUCKETS = 1 << (HASH_BITS - BUCKET_BITS);

/** Feature numbers as they lie in a file: used where they are, nothing is unpacked. */
export interface PackedKeys {
  /** Where each bucket of 1,024 numbers begins among the rows, and where the last one ends. */
  starts: Uint16Array;
  /** The lower bits of each key, by row. */
  lows: Uint16Array;
}

/** @param sorted at most 65,535 different numbers of {@link HASH_BITS} bits, ascending */
export function packKeys(sorted: ArrayLike<number>): PackedKeys {
  const starts = new Uint16Array(BUCKETS + 1).fill(sorted.length);
  const lows = new Uint16Array(sorted.length);
  let bucket = 0;
  for (let row = 0; row < sorted.length; row++) {
    const key = sorted[row] ?? 0;
    while (bucket <= key >>> BUCKET_BITS) starts[bucket++] = row;
    lows[row] = key & ((1 << BUCKET_BITS) - 1);
  }
  return { starts, lows };
}

/** The row of a key, -1 when it has none. */
export function rowOf({ starts, lows }: PackedKeys, key: number): number {
  const bucket = key >>> BUCKET_BITS;
  const low = key & ((1 << BUCKET_BITS) - 1);
  const end = starts[bucket + 1] ?? 0;
  for (let row = starts[bucket] ?? 0; row < end; row++) if (lows[row] === low) return row;
  return -1;
}
