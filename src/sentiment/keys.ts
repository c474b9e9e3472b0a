/** Sorted feature numbers as differences, 7 bits a byte, the lowest first. */
export function packKeys(sorted: ArrayLike<number>): Uint8Array {
  const bytes: number[] = [];
  let last = 0;
  for (let i = 0; i < sorted.length; i++) {
    let gap = (sorted[i] ?? 0) - last;
    last = sorted[i] ?? 0;
    while (gap > 127) {
      bytes.push((gap & 127) | 128);
      gap >>>= 7;
    }
    bytes.push(gap);
  }
  return Uint8Array.from(bytes);
}

/** Keys that share their upper bits stand together; this many lower bits are left to look through. */
const BUCKET_BITS = 10;

/**
 * Finds the row of a feature. The keys are unpacked into a sorted array with
 * the start of each bucket of 1,024 numbers, a handful of keys each: a hash
 * table would take ten times as long to fill in a fresh process.
 */
export class KeyTable {
  readonly keys: Int32Array;
  readonly starts: Int32Array;

  /** @param packed what {@link packKeys} made; @param count how many keys it holds */
  constructor(packed: Uint8Array, count: number) {
    this.keys = unpackKeys(packed, count);
    this.starts = startsOf(this.keys);
  }

  /** The row of a key, -1 when it has none. */
  rowOf(key: number): number {
    const { keys, starts } = this;
    const bucket = key >>> BUCKET_BITS;
    const end = starts[bucket + 1] ?? 0;
    for (let row = starts[bucket] ?? 0; row < end; row++) if (keys[row] === key) return row;
    return -1;
  }
}

function unpackKeys(packed: Uint8Array, count: number): Int32Array {
  const keys = new Int32Array(count);
  let key = 0;
  let row = 0;
  let gap = 0;
  let shift = 0;
  // Indexed: an iterator costs milliseconds before it is compiled.
  for (let i = 0; i < packed.length; i++) {
    const byte = packed[i] ?? 0;
    gap |= (byte & 127) << shift;
    if (byte > 127) shift += 7;
    else {
      key += gap;
      keys[row++] = key;
      gap = 0;
      shift = 0;
    }
  }
  return keys;
}

function startsOf(keys: Int32Array): Int32Array {
  const last = keys.length === 0 ? 0 : (keys[keys.length - 1] ?? 0);
  const starts = new Int32Array((last >>> BUCKET_BITS) + 2).fill(keys.length);
  let bucket = 0;
  for (let row = 0; row < keys.length; row++) {
    const own = (keys[row] ?? 0) >>> BUCKET_BITS;
    while (bucket <= own) starts[bucket++] = row;
  }
  return starts;
}
