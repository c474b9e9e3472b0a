import { checkBytes } from '../../base/text/hash.ts';

/**
 * The index file. All numbers are little-endian 32-bit words unless said otherwise.
 *
 *     header    64 words: see HEADER; the last word is a check over the others
 *     stats     read in full at every search, written twice, because comparing is native and a check is not:
 *               starts (files + 1), days, file lengths, file table offsets (files + 1), bucket offsets (buckets + 1),
 *               passage lengths (16 bit), passage flags (8 bit), padded to a word
 *     meta      JSON: folders, files left out, base files that a delta replaces
 *     places    6 words a passage: line, first and last line, piece, check of the lines, check of the record
 *     files     a record a file: check, size, times (64-bit floats), path in UTF-8; and one check over all
 *     buckets   6 words a term: two hashes, offset, bytes, count, check of its postings; then a check
 *     postings  per passage a variable length number (gap to the one before, times two, plus one
 *               when its units are not a full mention), then the units in that case (8 bit)
 *
 * A last check covers everything after the header; only a full verification (`verify`) takes the time for it.
 *
 * Each part that is read separately carries a check seeded with its place and the file's id, so that any changed
 * byte that could alter an answer is detected when it is read.
 */
export const MAGIC = 0x494d5053;
/** Changes with the layout. */
export const VERSION = 2;
/** Changes with anything that affects the terms of a passage: tokenizer, stems, stopwords, passages, flags. */
export const TOKENIZER = 3;

export const HEADER_WORDS = 64;
export const PLACE_WORDS = 6;
export const BUCKET_WORDS = 6;
/** Position of the number of passages that contain the term. */
export const BUCKET_COUNT = 4;
/** Terms that share a bucket, on average. */
export const BUCKET_TERMS = 8;

/** Word numbers of the header. */
export const HEADER = {
  magic: 0,
  version: 1,
  tokenizer: 2,
  sources: 3,
  id: 4,
  base: 5,
  bytes: 6,
  passages: 7,
  files: 8,
  length: 9,
  buckets: 10,
  stats: 11,
  statsBytes: 12,
  meta: 13,
  metaBytes: 14,
  metaCheck: 15,
  places: 16,
  fileRecords: 17,
  bucketRecords: 18,
  postings: 19,
  fileRecordsCheck: 20,
  bodyCheck: 21,
  check: HEADER_WORDS - 1,
} as const;

/** Data of an index besides its passages. */
export interface IndexMeta {
  /** Folders that were listed: path and modification time in milliseconds; -1 if it was too recent to trust. */
  folders: [string, number][];
  leftOut: [string, number][];
  /** For a delta: numbers of the base's files that it replaces or that were deleted. */
  dead: number[];
  /** Epoch milliseconds of the last full comparison with the disk. */
  checked: number;
  /** Whether any line names its author; older files without this field may have some. */
  authors?: boolean;
}

/** An index file has changed or is invalid. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

export function headerCheck(header: Uint32Array): number {
  return checkBytes(new Uint8Array(header.buffer, header.byteOffset, (HEADER_WORDS - 1) * 4), MAGIC);
}

/** Byte offsets of the arrays inside the stats part. */
export function statsLayout(
  passages: number,
  files: number,
  buckets: number,
): Record<StatsPart, number> & { end: number } {
  const days = (files + 1) * 4;
  const fileLengths = days + files * 4;
  const fileOffsets = fileLengths + files * 4;
  const bucketOffsets = fileOffsets + (files + 1) * 4;
  const lengths = bucketOffsets + (buckets + 1) * 4;
  const flags = lengths + passages * 2;
  return {
    starts: 0,
    days,
    fileLengths,
    fileOffsets,
    bucketOffsets,
    lengths,
    flags,
    end: (flags + passages + 3) & ~3,
  };
}

export type StatsPart =
  | 'starts'
  | 'days'
  | 'fileLengths'
  | 'fileOffsets'
  | 'bucketOffsets'
  | 'lengths'
  | 'flags';
