import { type OpenFile, openFile, readAt } from '../../base/fs/index.ts';
import { checkBytes, hashText } from '../../base/text/hash.ts';
import type { PassagePlace, Postings, Segment, SourceFile } from '../segment.ts';
import { UNITS_BODY } from '../segment.ts';
import { PATH_MARK } from './encode.ts';
import {
  BrokenIndex,
  BUCKET_COUNT,
  BUCKET_WORDS,
  HEADER,
  HEADER_WORDS,
  headerCheck,
  type IndexMeta,
  MAGIC,
  PLACE_WORDS,
  type StatsPart,
  statsLayout,
  TOKENIZER,
  VERSION,
} from './format.ts';

/**
 * Opens an index file: a header, then one read for the statistics; everything else is read when asked for. Undefined
 * if there is none. Throws `BrokenIndex` if it was not written by this version.
 */
export function openIndex(path: string): IndexFile | undefined {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'index');
  } catch {
    throw new BrokenIndex('cannot be opened');
  }
  if (!file) return undefined;
  try {
    return new IndexFile(file);
  } catch (error) {
    file.close();
    throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
  }
}

/** A segment with parts read from its file on demand, each checked. */
export class IndexFile implements Segment {
  readonly id: number;
  /** Id of the base this delta belongs to; 0 for a base. */
  readonly base: number;
  /** Hash of the sources it was made from. */
  readonly sources: number;
  readonly bytes: number;
  readonly passages: number;
  readonly files: number;
  readonly length: number;
  readonly lengths: Uint16Array;
  readonly flags: Uint8Array;
  readonly starts: Uint32Array;
  readonly days: Int32Array;
  readonly fileLengths: Uint32Array;
  readonly #file: OpenFile;
  readonly #header: Uint32Array;
  readonly #fileOffsets: Uint32Array;
  readonly #bucketOffsets: Uint32Array;
  readonly #entries = new Map<string, Uint32Array | undefined>();
  readonly #postings = new Map<string, Postings | undefined>();
  #meta: IndexMeta | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
    const header = new Uint32Array(this.#read(0, HEADER_WORDS * 4).buffer);
    this.#header = header;
    const word = (at: number): number => header[at] ?? 0;
    if (word(HEADER.magic) !== MAGIC) throw new BrokenIndex('not an index');
    if (word(HEADER.check) !== headerCheck(header)) throw new BrokenIndex('header');
    if (word(HEADER.version) !== VERSION || word(HEADER.tokenizer) !== TOKENIZER)
      throw new BrokenIndex('of another version');
    this.bytes = word(HEADER.bytes);
    if (file.stats.size !== this.bytes) throw new BrokenIndex('cut short');
    this.id = word(HEADER.id);
    this.base = word(HEADER.base);
    this.sources = word(HEADER.sources);
    this.passages = word(HEADER.passages);
    this.files = word(HEADER.files);
    this.length = word(HEADER.length);
    const size = word(HEADER.statsBytes);
    const stats = this.#read(word(HEADER.stats), size * 2);
    if (Buffer.compare(stats.subarray(0, size), stats.subarray(size)) !== 0)
      throw new BrokenIndex('statistics');
    const buckets = word(HEADER.buckets);
    const layout = statsLayout(this.passages, this.files, buckets);
    const words = (part: StatsPart, count: number): Uint32Array =>
      new Uint32Array(stats.buffer, layout[part], count);
    this.starts = words('starts', this.files + 1);
    this.days = new Int32Array(stats.buffer, layout.days, this.files);
    this.fileLengths = words('fileLengths', this.files);
    this.#fileOffsets = words('fileOffsets', this.files + 1);
    this.#bucketOffsets = words('bucketOffsets', buckets + 1);
    this.lengths = new Uint16Array(stats.buffer, layout.lengths, this.passages);
    this.flags = new Uint8Array(stats.buffer, layout.flags, this.passages);
  }

  get meta(): IndexMeta {
    if (this.#meta === undefined) {
      const bytes = this.#read(this.#header[HEADER.meta] ?? 0, this.#header[HEADER.metaBytes] ?? 0);
      if (checkBytes(bytes, this.id) !== this.#header[HEADER.metaCheck]) throw new BrokenIndex('meta');
      this.#meta = JSON.parse(bytes.toString()) as IndexMeta;
    }
    return this.#meta;
  }

  get hasAuthors(): boolean {
    return this.meta.authors !== false;
  }

  holders(term: string): number {
    return this.#entryOf(term)?.[BUCKET_COUNT] ?? 0;
  }

  postings(term: string): Postings | undefined {
    if (!this.#postings.has(term)) {
      const entry = this.#entryOf(term);
      this.#postings.set(term, entry && this.#decode(entry));
    }
    return this.#postings.get(term);
  }

  #entryOf(term: string): Uint32Array | undefined {
    if (!this.#entries.has(term)) this.#entries.set(term, this.#find(term));
    return this.#entries.get(term);
  }

  /** The number of the file with this path, -1 if it is not in the index. */
  fileNumber(path: string): number {
    return this.postings(PATH_MARK + path)?.ids[0] ?? -1;
  }

  file(file: number): SourceFile {
    const from = this.#fileOffsets[file] ?? 0;
    const length = (this.#fileOffsets[file + 1] ?? 0) - from;
    const record = this.#read(this.#part(HEADER.fileRecords) + from, length);
    if (checkBytes(record.subarray(4), this.id ^ file) !== new DataView(record.buffer).getUint32(0, true)) {
      throw new BrokenIndex('file record');
    }
    return this.#fileRecord(file, record, 0, length);
  }

  /** Every file, by its number; one read. */
  allFiles(): SourceFile[] {
    const bytes = this.#read(this.#part(HEADER.fileRecords), this.#fileOffsets[this.files] ?? 0);
    if (checkBytes(bytes, this.id) !== this.#part(HEADER.fileRecordsCheck)) throw new BrokenIndex('files');
    const out: SourceFile[] = [];
    for (let file = 0; file < this.files; file++) {
      out.push(this.#fileRecord(file, bytes, this.#fileOffsets[file] ?? 0, this.#fileOffsets[file + 1] ?? 0));
    }
    return out;
  }

  #fileRecord(file: number, records: Buffer, from: number, to: number): SourceFile {
    let end = to;
    while (end > from + 28 && records[end - 1] === 0) end--;
    return {
      path: records.toString('utf8', from + 28, end),
      size: records.readDoubleLE(from + 4),
      mtime: records.readDoubleLE(from + 12),
      ctime: records.readDoubleLE(from + 20),
      day: this.days[file] ?? -1,
    };
  }

  place(passage: number): PassagePlace {
    const record = this.#read(this.#part(HEADER.places) + passage * PLACE_WORDS * 4, PLACE_WORDS * 4);
    const [line = 0, startLine = 0, endLine = 0, piece = 0, check = 0, own] = new Uint32Array(record.buffer);
    if (checkBytes(record.subarray(0, 20), this.id ^ passage) !== own) throw new BrokenIndex('place');
    return { line, startLine, endLine, piece, check };
  }

  close(): void {
    this.#file.close();
  }

  /** Reads everything once; throws `BrokenIndex` at the first changed part. */
  verify(): void {
    const { stats, meta, places, fileRecords, bucketRecords, postings, bytes } = HEADER;
    const starts = [stats, meta, places, fileRecords, bucketRecords, postings, bytes].map((at) =>
      this.#part(at),
    );
    let check = this.id;
    for (let part = 0; part + 1 < starts.length; part++) {
      const from = starts[part] ?? 0;
      check = checkBytes(this.#read(from, (starts[part + 1] ?? 0) - from), check);
    }
    if (check !== this.#part(HEADER.bodyCheck)) throw new BrokenIndex('damaged');
    void this.meta;
    this.allFiles();
    for (let passage = 0; passage < this.passages; passage++) this.place(passage);
    for (let bucket = 0; bucket + 1 < this.#bucketOffsets.length; bucket++) {
      const entries = this.#bucket(bucket);
      for (let at = 0; at < entries.length; at += BUCKET_WORDS)
        this.#decode(entries.subarray(at, at + BUCKET_WORDS));
    }
  }

  #find(term: string): Uint32Array | undefined {
    const hash = hashText(term);
    const second = hashText(term, this.id);
    const entries = this.#bucket(hash & (this.#bucketOffsets.length - 2));
    for (let at = 0; at < entries.length; at += BUCKET_WORDS) {
      if (entries[at] === hash && entries[at + 1] === second) return entries.subarray(at, at + BUCKET_WORDS);
    }
    return undefined;
  }

  #bucket(bucket: number): Uint32Array {
    const from = this.#bucketOffsets[bucket] ?? 0;
    const bytes = this.#read(
      this.#part(HEADER.bucketRecords) + from,
      (this.#bucketOffsets[bucket + 1] ?? 0) - from,
    );
    const words = new Uint32Array(bytes.buffer);
    const last = words.length - 1;
    if (checkBytes(bytes.subarray(0, last * 4), this.id ^ bucket) !== words[last])
      throw new BrokenIndex('terms');
    return words.subarray(0, last);
  }

  #decode(entry: Uint32Array): Postings {
    const [hash = 0, , offset = 0, length = 0, count = 0, check] = entry;
    const bytes = this.#read(this.#part(HEADER.postings) + offset, length);
    if (checkBytes(bytes, hash) !== check) throw new BrokenIndex('postings');
    const ids = new Uint32Array(count);
    const units = new Uint8Array(count);
    let passage = -1;
    let at = 0;
    for (let i = 0; i < count; i++) {
      let value = bytes[at] ?? 0;
      at++;
      if (value >= 0x80) {
        value &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++] ?? 0;
          value |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      passage += value >>> 1;
      ids[i] = passage;
      units[i] = (value & 1) === 0 ? UNITS_BODY : (bytes[at++] ?? 0);
    }
    return { ids, units };
  }

  #part(word: number): number {
    return this.#header[word] ?? 0;
  }

  /** Exactly these bytes, at the start of a separate buffer. */
  #read(from: number, length: number): Buffer<ArrayBuffer> {
    if (length < 0 || length > 0x7fffffff) throw new BrokenIndex('impossible length');
    const bytes = Buffer.allocUnsafeSlow(length);
    if (readAt(this.#file.fd, bytes, from) < length) throw new BrokenIndex('cut short');
    return bytes;
  }
}
