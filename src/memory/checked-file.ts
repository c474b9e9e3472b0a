import { bytesAt, type OpenFile, openFile, writeAtomically } from '../base/fs/index.ts';
import { checkBytes } from '../base/text/hash.ts';
import type { Body } from './segment.ts';

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const FORMAT = 0x53504d05;
const WORDS = 4;

/** A file beside the memory has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint16Array, Uint8Array, Int8Array };
type ArrayName = keyof typeof ARRAYS;
/** Each array begins at a multiple of its elements' size. */
const ALIGNED = 8;

/**
 * A value as JSON, whose typed arrays stand behind it: the length of the JSON in a word of eight bytes, the JSON, the
 * arrays. `node:v8` would do as well, but loading it costs each search 4 ms.
 */
function packed(value: unknown): Buffer {
  const arrays: Uint8Array[] = [];
  let at = 0;
  const json = JSON.stringify(value, (_, one: unknown) => {
    if (!ArrayBuffer.isView(one)) return one;
    const { buffer, byteOffset, byteLength: bytes } = one;
    const entry = { array: one.constructor.name, at, bytes };
    const padded = Math.ceil(bytes / ALIGNED) * ALIGNED;
    arrays.push(new Uint8Array(buffer, byteOffset, bytes), new Uint8Array(padded - bytes));
    at += padded;
    return entry;
  });
  const text = Buffer.from(json);
  const length = Math.ceil(text.length / ALIGNED) * ALIGNED;
  const head = Buffer.alloc(ALIGNED + length, ' ');
  head.writeDoubleLE(length, 0);
  text.copy(head, ALIGNED);
  return Buffer.concat([head, ...arrays]);
}

function unpacked(bytes: Buffer): unknown {
  const length = bytes.readDoubleLE(0);
  const arrays = new Uint8Array(bytes.subarray(ALIGNED + length)).buffer;
  return JSON.parse(bytes.toString('utf8', ALIGNED, ALIGNED + length), (_, one: unknown) => {
    if (one === null) return undefined;
    const { array, at, bytes: size } = one as { array?: ArrayName; at?: number; bytes?: number };
    if (array === undefined || at === undefined || size === undefined) return one;
    const Kind = ARRAYS[array];
    return new Kind(arrays, at, size / Kind.BYTES_PER_ELEMENT);
  }) as unknown;
}

/**
 * Writes four words (format, length of the head, check values of the head and of the body), then the head as `packed`
 * writes it, then the body.
 */
export function writeChecked(path: string, head: unknown, body: Uint8Array = new Uint8Array()): void {
  const bytes = packed(head);
  const words = Uint32Array.of(FORMAT, bytes.length, checkBytes(bytes), checkBytes(body));
  writeAtomically(path, Buffer.concat([new Uint8Array(words.buffer), bytes, body]), { durable: false });
}

/** A file of `writeChecked`: the head is in memory and sound, the body is read in parts. */
export class CheckedFile<Head> implements Body {
  readonly head: Head;
  readonly bytes: number;
  /** Differs from that of any other content. */
  readonly id: number;
  readonly #file: OpenFile;
  readonly #bodyAt: number;
  readonly #bodyCheck: number;

  /**
   * Undefined if there is none.
   * @throws BrokenIndex
   */
  static open<Head>(path: string): CheckedFile<Head> | undefined {
    let file: OpenFile | undefined;
    try {
      file = openFile(path, 'index');
      return file && new CheckedFile<Head>(file);
    } catch (error) {
      file?.close();
      throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
    }
  }

  private constructor(file: OpenFile) {
    this.#file = file;
    this.bytes = file.stats.size;
    const start = bytesAt(file.fd, 0, WORDS * 4);
    if (start.length < WORDS * 4) throw new BrokenIndex('cut short');
    const [format, length = 0, check = 0, bodyCheck = 0] = new Uint32Array(
      start.buffer,
      start.byteOffset,
      WORDS,
    );
    if (format !== FORMAT) throw new BrokenIndex('of another version');
    this.#bodyAt = WORDS * 4 + length;
    this.#bodyCheck = bodyCheck;
    this.id = check;
    this.head = unpacked(this.#read(WORDS * 4, length, check)) as Head;
  }

  read(from: number, length: number, check?: number): Uint8Array {
    return this.#read(this.#bodyAt + from, length, check);
  }

  /**
   * Reads the whole body once.
   * @throws BrokenIndex
   */
  verify(): void {
    this.#read(this.#bodyAt, this.bytes - this.#bodyAt, this.#bodyCheck);
  }

  close(): void {
    this.#file.close();
  }

  #read(from: number, length: number, check?: number): Buffer {
    if (from + length > this.bytes) throw new BrokenIndex('cut short');
    const bytes = bytesAt(this.#file.fd, from, length);
    if (bytes.length < length) throw new BrokenIndex('cut short');
    if (check !== undefined && checkBytes(bytes) !== check) throw new BrokenIndex('damaged');
    return bytes;
  }
}
