import { failed, messageOf, type ScratchpadError } from '../base/errors.ts';
import { finish, rollText } from '../base/text/hash.ts';
import type { Grams } from './features.ts';

/**
 * The container of a model file: `SPAD`, the length of a JSON header (32 bits,
 * little-endian), the header, then the sections it lists, each padded to 4
 * bytes. The header is `{kind, version, …, sections: [{name, type, length}]}`
 * with `length` in elements.
 */
export interface Pack {
  header: Record<string, unknown>;
  sections: Map<string, SectionData>;
}

/** The content of a section. */
export type SectionData = Uint8Array | Int8Array | Uint16Array | Uint32Array | Float32Array;

export const TYPES = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
} as const;
export type SectionType = keyof typeof TYPES;

export const MAGIC = 0x44415053;

/** @throws ScratchpadError `environment` if the bytes are not a model file */
export function unpack(bytes: Uint8Array, where: string): Pack {
  try {
    // A Buffer's place in memory need not be a multiple of four.
    const { buffer } = bytes.slice();
    const [magic, length = 0] = new Uint32Array(buffer, 0, 2);
    if (magic !== MAGIC) throw new Error('another kind of file');
    const header = JSON.parse(Buffer.from(buffer, 8, length).toString()) as Pack['header'];
    const sections = new Map<string, SectionData>();
    let offset = pad(8 + length);
    for (const { name, type, length: count } of header.sections as Section[]) {
      const data = new TYPES[type](buffer, offset, count);
      sections.set(name, data);
      offset = pad(offset + data.byteLength);
    }
    return { header, sections };
  } catch (error) {
    throw broken(where, messageOf(error));
  }
}

interface Section {
  name: string;
  type: SectionType;
  length: number;
}

export function pad(offset: number): number {
  return (offset + 3) & ~3;
}

/** The error for an unusable model file. */
export function broken(where: string, found: string): ScratchpadError {
  return failed('The sentiment model cannot be read', {
    expected: 'a model file of this version',
    found,
    where,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
  });
}

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
export function featureKey(hash: number): number {
  return finish(hash) & ((1 << HASH_BITS) - 1);
}

/** Valences of words, -4 to 4; a `Map` can be used as one. */
export interface Lexicon {
  get(word: string): number | undefined;
  has(word: string): boolean;
}

/**
 * A lexicon as stored in a file: 32-bit hashes of its words, ascending, and one byte per word for its valence
 * times 30.
 */
export interface PackedLexicon {
  hashes: Uint32Array;
  ratings: Int8Array;
}

export const SCALE = 30;

/**
 * Looks words up by their hash, so that nothing has to be parsed first. One in some 500,000 words outside the
 * lexicon gets the rating of another word; English has fewer.
 */
export function hashedLexicon({ hashes, ratings }: PackedLexicon): Lexicon {
  const get = (word: string): number | undefined => {
    const hash = rollText(word) >>> 0;
    let low = 0;
    let high = hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    return hashes[low] === hash ? (ratings[low] ?? 0) / SCALE : undefined;
  };
  return { get, has: (word) => get(word) !== undefined };
}

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
