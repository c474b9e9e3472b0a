import { ScratchpadError } from '../errors.ts';

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
    const { name, type, length } = (entry ?? {}) as Record<string, unknown>;
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
  return new ScratchpadError('environment', 'The sentiment model cannot be read', {
    expected: 'a model file of this version',
    found,
    where,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
  });
}
