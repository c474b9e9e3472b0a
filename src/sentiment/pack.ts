import { failed, type ScratchpadError } from '../base/errors.ts';
import { finish, rollText } from '../base/text/hash.ts';
import { membersOf } from '../base/text/json.ts';

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
const LARGEST = 8_000_000;

/** @throws ScratchpadError `environment` if the bytes are not a model file */
export function unpack(bytes: Uint8Array, where: string): Pack {
  if (bytes.length < 8 || bytes.length > LARGEST) throw broken(where, `${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw broken(where, 'another kind of file');
  const headerLength = view.getUint32(4, true);
  if (8 + headerLength > bytes.length) throw broken(where, 'a file that was cut short');
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + 8, headerLength).toString()) as Record<
      string,
      unknown
    >;
  } catch {
    throw broken(where, 'a broken header');
  }
  const sections = new Map<string, SectionData>();
  let offset = pad(8 + headerLength);
  for (const { name, type, length } of listed(header.sections, where)) {
    const size = length * TYPES[type].BYTES_PER_ELEMENT;
    if (offset + size > bytes.length) throw broken(where, `a file that ends within ${name}`);
    sections.set(name, section(view, bytes.byteOffset + offset, type, length));
    offset = pad(offset + size);
  }
  return { header, sections };
}

function section(view: DataView, at: number, type: SectionType, length: number): SectionData {
  const Type = TYPES[type];
  const size = length * Type.BYTES_PER_ELEMENT;
  // The offset of a Buffer from the file system need not be a multiple of four.
  if (at % Type.BYTES_PER_ELEMENT === 0) return new Type(view.buffer as ArrayBuffer, at, length);
  return new Type((view.buffer as ArrayBuffer).slice(at, at + size));
}

function isType(name: unknown): name is SectionType {
  return typeof name === 'string' && Object.hasOwn(TYPES, name);
}

export function pad(offset: number): number {
  return (offset + 3) & ~3;
}

function listed(value: unknown, where: string): { name: string; type: SectionType; length: number }[] {
  if (!Array.isArray(value)) throw broken(where, 'a header without sections');
  return value.map((entry: unknown) => {
    const { name, type, length } = membersOf(entry);
    if (
      typeof name !== 'string' ||
      !isType(type) ||
      typeof length !== 'number' ||
      !Number.isInteger(length) ||
      length < 0
    ) {
      throw broken(where, 'a section that is not described');
    }
    return { name, type, length };
  });
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
export class HashedLexicon implements Lexicon {
  private readonly packed: PackedLexicon;

  constructor(packed: PackedLexicon) {
    this.packed = packed;
  }

  get(word: string): number | undefined {
    const { hashes, ratings } = this.packed;
    const hash = rollText(word) >>> 0;
    let low = 0;
    let high = hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    return hashes[low] === hash ? (ratings[low] ?? 0) / SCALE : undefined;
  }

  has(word: string): boolean {
    return this.get(word) !== undefined;
  }
}
