import { rollText } from '../../src/base/text/hash.ts';
import type { Grams } from '../../src/sentiment/features.ts';
import {
  BUCKET_BITS,
  BUCKETS,
  MAGIC,
  type Pack,
  type PackedKeys,
  type PackedLexicon,
  pad,
  SCALE,
  type SectionData,
  type SectionType,
  TYPES,
} from '../../src/sentiment/pack.ts';

/** The values of all n-grams by their hash. */
export function valuesOf(grams: readonly Grams[]): Map<number, number> {
  const values = new Map<number, number>();
  for (const { hashes, value } of grams) {
    for (const hash of hashes) values.set(hash, (values.get(hash) ?? 0) + value);
  }
  return values;
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

/** @throws Error when two words have the same hash */
export function packLexicon(lexicon: ReadonlyMap<string, number>): PackedLexicon {
  const rated = new Map<number, number>();
  for (const [word, rating] of lexicon) {
    const hash = rollText(word) >>> 0;
    if (rated.has(hash)) throw new Error(`the hash of ${word} is taken`);
    rated.set(hash, Math.round(rating * SCALE));
  }
  const hashes = Uint32Array.from(rated.keys()).sort();
  return { hashes, ratings: Int8Array.from(hashes, (hash) => rated.get(hash) ?? 0) };
}

/** The bytes of a pack, as {@link unpack} reads them. */
export function pack({ header, sections }: Pack): Uint8Array {
  const list = [...sections].map(([name, data]) => ({ name, type: typeOf(data), length: data.length }));
  const text = new TextEncoder().encode(JSON.stringify({ ...header, sections: list }));
  let size = pad(8 + text.length);
  for (const data of sections.values()) size = pad(size + data.byteLength);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, text.length, true);
  bytes.set(text, 8);
  let offset = pad(8 + text.length);
  for (const data of sections.values()) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    offset = pad(offset + data.byteLength);
  }
  return bytes;
}

function typeOf(data: SectionData): SectionType {
  const name = (Object.keys(TYPES) as SectionType[]).find((type) => data instanceof TYPES[type]);
  return name ?? 'u8';
}
