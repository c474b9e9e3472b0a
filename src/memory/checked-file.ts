import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { bytesAt, type OpenFile, openFile, writeAtomically } from '../base/fs/index.ts';
import type { Body } from './segment.ts';

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const FORMAT = 0x53504d04;
const WORDS = 4;

/** A file beside the memory has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

/**
 * Writes four words (format, length of the head, CRC-32 of the head and of the body), then the head, a value as
 * `node:v8` serializes it, then the body.
 */
export function writeChecked(path: string, head: unknown, body: Uint8Array = new Uint8Array()): void {
  const bytes = serialize(head);
  const words = Uint32Array.of(FORMAT, bytes.length, crc32(bytes), crc32(body));
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
    this.head = deserialize(this.#read(WORDS * 4, length, check)) as Head;
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
    if (check !== undefined && crc32(bytes) !== check) throw new BrokenIndex('damaged');
    return bytes;
  }
}
