import { readBytes, writeAtomically } from '../base/fs/index.ts';

/*
 * A file with a value that can be used where it was read: its typed arrays are views of the file's bytes. Node's own
 * serializer would load streams with it, which costs a search three milliseconds.
 *
 * Format and check (32 bits each), the length of the JSON, the JSON, then the arrays, each at a multiple of eight bytes.
 * In the JSON an array is `{ "array": [type, offset, length] }`.
 */

const FORMAT = 0x53504d0b;
const HEAD = 16;
const TYPES = { Float64Array, Int32Array, Uint32Array, Uint16Array, Int8Array, Uint8Array };
type TypedArray = InstanceType<(typeof TYPES)[keyof typeof TYPES]>;

/** The file has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

const align = (length: number): number => Math.ceil(length / 8) * 8;

export function writeValue(path: string, value: unknown): void {
  const arrays: { array: TypedArray; offset: number }[] = [];
  let offset = 0;
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (!ArrayBuffer.isView(each)) return each;

    const array = each as TypedArray;
    arrays.push({ array, offset });
    const place = [array.constructor.name, offset, array.length];
    offset += align(array.byteLength);

    return { array: place };
  });
  const start = align(HEAD + Buffer.byteLength(json));
  const bytes = Buffer.alloc(start + offset);

  bytes.writeUInt32LE(FORMAT, 0);
  bytes.writeUInt32LE(Buffer.byteLength(json), 8);
  bytes.write(json, HEAD);

  for (const { array, offset: from } of arrays)
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), start + from);

  bytes.writeUInt32LE(computeCheck(bytes), 4);
  writeAtomically(path, bytes, { durable: false });
}

/**
 * The value in a file; undefined if there is none.
 * @param isOurs whether it is a file of this package, whose check value takes longer than its use
 * @throws BrokenIndex
 */
export function readValue(path: string, isOurs = false): unknown {
  try {
    const bytes = readBytes(path, 'index');
    return bytes && parseValue(bytes, isOurs);
  } catch (error) {
    throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
  }
}

function parseValue(read: Buffer, isOurs: boolean): unknown {
  if (read.readUInt32LE(0) !== FORMAT) throw new BrokenIndex('of another version');

  // A short file is read into a place that it shares with others.
  const bytes = read.byteOffset % 8 === 0 ? read : Buffer.from(Uint8Array.from(read).buffer);
  if (bytes.length % 8 !== 0 || (!isOurs && bytes.readUInt32LE(4) !== computeCheck(bytes)))
    throw new BrokenIndex('damaged');

  const length = bytes.readUInt32LE(8);
  const start = bytes.byteOffset + align(HEAD + length);

  return JSON.parse(bytes.toString('utf8', HEAD, HEAD + length), (_, each) => {
    const [type, offset, size] = each?.array ?? [];
    const Type = TYPES[type as keyof typeof TYPES];
    return Type === undefined ? each : new Type(bytes.buffer as ArrayBuffer, start + offset, size);
  });
}

/** A value over all bytes but the first eight, in steps of four (after FNV-1a). */
function computeCheck({ buffer, byteOffset, length }: Buffer): number {
  const words = new Uint32Array(buffer, byteOffset + 8, (length - 8) / 4);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
