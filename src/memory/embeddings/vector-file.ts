import { type OpenFile, openFile, readAt } from '../../base/fs/index.ts';
import { checkBytes } from '../../base/text/hash.ts';
import { BrokenIndex } from '../index/format.ts';
import type { PassagePlace } from '../segment.ts';
import type { Quantized } from './quantize.ts';

/**
 * The vectors of a memory, in a file beside the index. All numbers are little-endian 32-bit words:
 *
 *     header    16 words: magic, version, bytes, rows, dimensions, size and check of meta, check of the table; the
 *               last word is a check over the others
 *     meta      JSON, see `VectorMeta`, padded to a word
 *     table     8 words a row: the passage's line, first and last line, piece, check of its lines; two hashes of the
 *               text that was sent; check of the vector
 *     scales    a 32-bit float a row
 *     vectors   a byte a number, a row after the other
 *
 * Rows of a file are adjacent, in the order of the files. The vector file is independent: the index may be rebuilt
 * without it, and rows of changed passages are skipped because their check values do not match.
 */
const MAGIC = 0x56504d53;
const VERSION = 1;
const HEADER_WORDS = 16;
const ROW_WORDS = 8;
/** How many bytes of vectors are in memory at a time. */
const CHUNK = 1024 * 1024;

export interface VectorMeta {
  /** `Embedder.id` of the vectors. */
  id: string;
  files: VectorSource[];
}

/** A file's stamp, and its number of rows. */
export interface VectorSource {
  path: string;
  size: number;
  /** -1 while some of its passages lack a vector. */
  mtime: number;
  ctime: number;
  rows: number;
}

export interface Row {
  place: PassagePlace;
  /** Hashes of the text that was sent. */
  hashes: readonly [number, number];
  vector: Quantized;
}

/** The bytes of a vector file, in parts. All vectors have the same length. */
export function encodeVectors(meta: VectorMeta, rows: readonly Row[]): Uint8Array[] {
  const dimensions = rows[0]?.vector.values.length ?? 0;
  const table = new Uint32Array(rows.length * ROW_WORDS);
  const scales = new Float32Array(rows.length);
  const vectors = new Int8Array((rows.length * dimensions + 3) & ~3);
  rows.forEach(({ place, hashes, vector }, row) => {
    const { line, startLine, endLine, piece, check } = place;
    vectors.set(vector.values, row * dimensions);
    scales[row] = vector.scale;
    table.set(
      [line, startLine, endLine, piece, check, ...hashes, vectorCheck(vector.values, row)],
      row * ROW_WORDS,
    );
  });
  const json = Buffer.from(JSON.stringify(meta));
  const metaBytes = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 32)]);
  const tableBytes = Buffer.concat([bytesOf(table), bytesOf(scales)]);
  const header = new Uint32Array(HEADER_WORDS);
  const parts = [metaBytes, tableBytes, bytesOf(vectors)];
  const size = parts.reduce((sum, part) => sum + part.length, HEADER_WORDS * 4);
  header.set([MAGIC, VERSION, size, rows.length, dimensions]);
  header.set([metaBytes.length, checkBytes(metaBytes, MAGIC), checkBytes(tableBytes, MAGIC)], 5);
  header[HEADER_WORDS - 1] = headerCheck(header);
  return [bytesOf(header), ...parts];
}

/** Undefined if there is none. Throws `BrokenIndex` if it was not written by this version. */
export function openVectors(path: string): VectorFile | undefined {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'index');
  } catch {
    throw new BrokenIndex('vectors cannot be opened');
  }
  if (!file) return undefined;
  try {
    return new VectorFile(file);
  } catch (error) {
    file.close();
    throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
  }
}

/** Everything except the vectors is in memory; they are read in pieces. */
export class VectorFile {
  readonly bytes: number;
  readonly rows: number;
  readonly dimensions: number;
  readonly meta: VectorMeta;
  readonly scales: Float32Array;
  readonly #file: OpenFile;
  readonly #table: Uint32Array;
  readonly #vectorsAt: number;

  constructor(file: OpenFile) {
    this.#file = file;
    const header = new Uint32Array(this.#read(0, HEADER_WORDS * 4).buffer);
    const [magic, version, bytes = 0, rows = 0, dimensions = 0, metaBytes = 0, metaCheck, tableCheck] =
      header;
    if (magic !== MAGIC || header[HEADER_WORDS - 1] !== headerCheck(header))
      throw new BrokenIndex('vectors: header');
    if (version !== VERSION) throw new BrokenIndex('vectors of another version');
    if (file.stats.size !== bytes) throw new BrokenIndex('vectors cut short');
    this.bytes = bytes;
    this.rows = rows;
    this.dimensions = dimensions;
    const meta = this.#read(HEADER_WORDS * 4, metaBytes);
    const table = this.#read(HEADER_WORDS * 4 + metaBytes, rows * (ROW_WORDS + 1) * 4);
    if (checkBytes(meta, MAGIC) !== metaCheck || checkBytes(table, MAGIC) !== tableCheck)
      throw new BrokenIndex('vectors: table');
    this.meta = JSON.parse(Buffer.from(meta.buffer).toString('utf8')) as VectorMeta;
    this.#table = new Uint32Array(table.buffer, 0, rows * ROW_WORDS);
    this.scales = new Float32Array(table.buffer, rows * ROW_WORDS * 4, rows);
    this.#vectorsAt = HEADER_WORDS * 4 + metaBytes + table.length;
  }

  place(row: number): PassagePlace {
    const [line = 0, startLine = 0, endLine = 0, piece = 0, check = 0] = this.#table.subarray(
      row * ROW_WORDS,
      (row + 1) * ROW_WORDS,
    );
    return { line, startLine, endLine, piece, check };
  }

  hashes(row: number): [number, number] {
    return [this.#table[row * ROW_WORDS + 5] ?? 0, this.#table[row * ROW_WORDS + 6] ?? 0];
  }

  /** One vector; throws `BrokenIndex` if its bytes have changed. */
  vector(row: number): Quantized {
    const bytes = this.#read(this.#vectorsAt + row * this.dimensions, this.dimensions);
    const values = new Int8Array(bytes.buffer);
    if (vectorCheck(values, row) !== this.#table[row * ROW_WORDS + 7])
      throw new BrokenIndex(`vectors: row ${row}`);
    return { scale: this.scales[row] ?? 0, values };
  }

  /** All vectors in pieces of whole rows, unchecked; each piece is valid only until the next one is requested. */
  *chunks(): Generator<{ first: number; vectors: Int8Array }> {
    const most = Math.max(1, Math.floor(CHUNK / Math.max(1, this.dimensions)));
    const bytes = new Uint8Array(Math.min(most, this.rows) * this.dimensions);
    for (let first = 0; first < this.rows; first += most) {
      const part = bytes.subarray(0, Math.min(most, this.rows - first) * this.dimensions);
      this.#fill(part, this.#vectorsAt + first * this.dimensions);
      yield { first, vectors: new Int8Array(part.buffer, 0, part.length) };
    }
  }

  /** Reads everything once; throws `BrokenIndex` at the first changed vector. */
  verify(): void {
    for (let row = 0; row < this.rows; row++) this.vector(row);
  }

  close(): void {
    this.#file.close();
  }

  #read(from: number, length: number): Uint8Array<ArrayBuffer> {
    if (length < 0 || length > 0x7fffffff) throw new BrokenIndex('vectors: impossible length');
    const bytes = new Uint8Array(length);
    this.#fill(bytes, from);
    return bytes;
  }

  #fill(bytes: Uint8Array, from: number): void {
    if (readAt(this.#file.fd, bytes, from) < bytes.length) throw new BrokenIndex('vectors cut short');
  }
}

/** Depends on the row: the same bytes elsewhere do not match. */
function vectorCheck(values: Int8Array, row: number): number {
  return checkBytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), MAGIC ^ row);
}

function headerCheck(header: Uint32Array): number {
  return checkBytes(new Uint8Array(header.buffer, header.byteOffset, (HEADER_WORDS - 1) * 4), MAGIC);
}

function bytesOf(values: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number }): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}
