import { checkBytes, hashText } from '../../base/text/hash.ts';
import type { BuiltSegment } from '../build.ts';
import { UNITS_BODY } from '../segment.ts';
import {
  BUCKET_TERMS,
  BUCKET_WORDS,
  HEADER,
  HEADER_WORDS,
  headerCheck,
  type IndexMeta,
  MAGIC,
  PLACE_WORDS,
  statsLayout,
  TOKENIZER,
  VERSION,
} from './format.ts';

/** Prefix that turns a path into a term for its file. */
export const PATH_MARK = '/';

export interface Identity {
  /** Random number of this file. */
  id: number;
  /** For a delta: the id of the base it belongs to; 0 for a base. */
  base: number;
  /** Hash of the sources (folders added by the config). */
  sources: number;
}

/** The bytes of an index file, in parts to be written one after another. */
export function encodeIndex(segment: BuiltSegment, meta: IndexMeta, identity: Identity): Uint8Array[] {
  const { passages, files } = segment;
  const { id } = identity;
  const { records, offsets, postings, buckets } = encodeTerms(segment, id);
  const fileRecords = encodeFiles(segment, id);
  const layout = statsLayout(passages, files, buckets);
  const stats = new Uint8Array(layout.end);
  const put = (
    at: number,
    values: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number },
  ): void => stats.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
  put(layout.starts, segment.starts);
  put(layout.days, segment.days);
  put(layout.fileLengths, segment.fileLengths);
  put(layout.fileOffsets, fileRecords.offsets);
  put(layout.bucketOffsets, offsets);
  put(layout.lengths, segment.lengths);
  put(layout.flags, segment.flags);

  const metaBytes = Buffer.from(`${JSON.stringify({ ...meta, authors: segment.hasAuthors })}\n`);
  const pad = Buffer.alloc((4 - (metaBytes.length % 4)) % 4, 32);
  const places = encodePlaces(segment, id);

  const header = new Uint32Array(HEADER_WORDS);
  const parts: [number, Uint8Array][] = [
    [HEADER.stats, Buffer.concat([stats, stats])],
    [HEADER.meta, Buffer.concat([metaBytes, pad])],
    [HEADER.places, places],
    [HEADER.fileRecords, fileRecords.bytes],
    [HEADER.bucketRecords, records],
    [HEADER.postings, postings],
  ];
  let at = HEADER_WORDS * 4;
  for (const [word, bytes] of parts) {
    header[word] = at;
    at += bytes.byteLength;
  }
  header[HEADER.magic] = MAGIC;
  header[HEADER.version] = VERSION;
  header[HEADER.tokenizer] = TOKENIZER;
  header[HEADER.sources] = identity.sources;
  header[HEADER.id] = id;
  header[HEADER.base] = identity.base;
  header[HEADER.bytes] = at;
  header[HEADER.passages] = passages;
  header[HEADER.files] = files;
  header[HEADER.length] = segment.length;
  header[HEADER.buckets] = buckets;
  header[HEADER.statsBytes] = stats.byteLength;
  header[HEADER.metaBytes] = metaBytes.length;
  header[HEADER.metaCheck] = checkBytes(metaBytes, id);
  header[HEADER.fileRecordsCheck] = checkBytes(fileRecords.bytes, id);
  header[HEADER.bodyCheck] = parts.reduce((check, [, bytes]) => checkBytes(bytes, check), id);
  header[HEADER.check] = headerCheck(header);
  return [new Uint8Array(header.buffer), ...parts.map(([, bytes]) => bytes)];
}

function encodePlaces(segment: BuiltSegment, id: number): Uint8Array {
  const words = new Uint32Array(segment.passages * PLACE_WORDS);
  for (let passage = 0; passage < segment.passages; passage++) {
    const { line, startLine, endLine, piece, check } = segment.place(passage);
    const at = passage * PLACE_WORDS;
    words.set([line, startLine, endLine, piece, check], at);
    words[at + 5] = checkBytes(new Uint8Array(words.buffer, at * 4, 20), id ^ passage);
  }
  return new Uint8Array(words.buffer);
}

/** A record: check (4 bytes), size, mtime, ctime (8 bytes each), path. */
function encodeFiles(segment: BuiltSegment, id: number): { bytes: Uint8Array; offsets: Uint32Array } {
  const offsets = new Uint32Array(segment.files + 1);
  const records: Buffer[] = [];
  let at = 0;
  for (let file = 0; file < segment.files; file++) {
    const { path, size, mtime, ctime } = segment.file(file);
    const name = Buffer.from(path);
    const record = Buffer.alloc((28 + name.length + 3) & ~3);
    record.writeDoubleLE(size, 4);
    record.writeDoubleLE(mtime, 12);
    record.writeDoubleLE(ctime, 20);
    name.copy(record, 28);
    record.writeUInt32LE(checkBytes(record.subarray(4), id ^ file), 0);
    offsets[file] = at;
    records.push(record);
    at += record.length;
  }
  offsets[segment.files] = at;
  return { bytes: Buffer.concat(records), offsets };
}

interface EncodedTerms {
  records: Uint8Array;
  /** Byte offset of each bucket among the records, and finally the end. */
  offsets: Uint32Array;
  postings: Uint8Array;
  buckets: number;
}

function encodeTerms(segment: BuiltSegment, id: number): EncodedTerms {
  const paths = new Map<string, number>();
  for (let file = 0; file < segment.files; file++) paths.set(PATH_MARK + segment.file(file).path, file);
  const count = segment.terms.size + paths.size;
  let buckets = 1;
  while (buckets * BUCKET_TERMS < count) buckets *= 2;

  const out = new Bytes(64 * 1024);
  const entries = new Uint32Array(count * BUCKET_WORDS);
  const sizes = new Uint32Array(buckets);
  let entry = 0;
  const addEntry = (term: string, from: number, holders: number): void => {
    const hash = hashText(term);
    const bytes = out.since(from);
    entries.set(
      [hash, hashText(term, id), from, bytes.length, holders, checkBytes(bytes, hash)],
      entry * BUCKET_WORDS,
    );
    const bucket = hash & (buckets - 1);
    sizes[bucket] = (sizes[bucket] ?? 0) + 1;
    entry++;
  };
  for (const [term, { ids, units }] of segment.terms) {
    const from = out.align();
    let last = -1;
    ids.forEach((passage, i) => {
      const odd = units[i] !== UNITS_BODY;
      out.number((passage - last) * 2 + (odd ? 1 : 0));
      if (odd) out.byte(units[i] ?? 0);
      last = passage;
    });
    addEntry(term, from, ids.length);
  }
  for (const [term, file] of paths) {
    const from = out.align();
    out.number((file + 1) * 2);
    addEntry(term, from, 1);
  }
  out.align();
  return { ...sortIntoBuckets(entries, sizes, id), postings: out.since(0), buckets };
}

function sortIntoBuckets(
  entries: Uint32Array,
  sizes: Uint32Array,
  id: number,
): { records: Uint8Array; offsets: Uint32Array } {
  const buckets = sizes.length;
  const offsets = new Uint32Array(buckets + 1);
  for (let i = 0; i < buckets; i++)
    offsets[i + 1] = (offsets[i] ?? 0) + ((sizes[i] ?? 0) * BUCKET_WORDS + 1) * 4;
  const records = new Uint32Array((offsets[buckets] ?? 0) / 4);
  const next = Uint32Array.from(offsets, (offset) => offset / 4);
  for (let at = 0; at < entries.length; at += BUCKET_WORDS) {
    const bucket = (entries[at] ?? 0) & (buckets - 1);
    records.set(entries.subarray(at, at + BUCKET_WORDS), next[bucket] ?? 0);
    next[bucket] = (next[bucket] ?? 0) + BUCKET_WORDS;
  }
  for (let i = 0; i < buckets; i++) {
    const [from, end] = [offsets[i] ?? 0, (offsets[i + 1] ?? 0) - 4];
    records[end / 4] = checkBytes(new Uint8Array(records.buffer, from, end - from), id ^ i);
  }
  return { records: new Uint8Array(records.buffer), offsets };
}

/** A growing byte buffer. */
class Bytes {
  #bytes: Uint8Array;
  #size = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array((capacity + 3) & ~3);
  }

  /** Advances to a multiple of four and returns it: checks run faster over whole words. */
  align(): number {
    this.#reserve(4);
    while (this.#size % 4 !== 0) this.#bytes[this.#size++] = 0;
    return this.#size;
  }

  /** Seven bits a byte, lowest first; the high bit says that more bytes follow. */
  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#size++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#size++] = rest;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value;
  }

  since(from: number): Uint8Array {
    return this.#bytes.subarray(from, this.#size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const grown = new Uint8Array(this.#bytes.length * 2);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
