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

/** Finds the row of a feature: an open-addressing table, half empty. */
export class KeyTable {
  readonly #slots: Int32Array;
  readonly #rows: Int32Array;
  readonly #mask: number;
  readonly size: number;

  /** @param packed what {@link packKeys} made; @param count how many keys it holds */
  constructor(packed: Uint8Array, count: number) {
    let capacity = 16;
    while (capacity < count * 2) capacity *= 2;
    this.#slots = new Int32Array(capacity).fill(-1);
    this.#rows = new Int32Array(capacity);
    this.#mask = capacity - 1;
    let key = 0;
    let row = 0;
    for (let i = 0; i < packed.length && row < count; row++) {
      let gap = 0;
      let shift = 0;
      let byte = packed[i++] ?? 0;
      while (byte > 127) {
        gap |= (byte & 127) << shift;
        shift += 7;
        byte = packed[i++] ?? 0;
      }
      key += gap | (byte << shift);
      this.#put(key, row);
    }
    this.size = row;
  }

  /** The row of a key, -1 when it has none. */
  rowOf(key: number): number {
    let slot = spread(key) & this.#mask;
    for (;;) {
      const found = this.#slots[slot];
      if (found === key) return this.#rows[slot] ?? -1;
      if (found === -1 || found === undefined) return -1;
      slot = (slot + 1) & this.#mask;
    }
  }

  #put(key: number, row: number): void {
    let slot = spread(key) & this.#mask;
    while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = key;
    this.#rows[slot] = row;
  }
}

function spread(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 8;
}
