import { LONGEST_BLOCK, type Passage } from './passages.ts';

/** The passages that contain a term, ascending, with its weight in quarters of a mention. */
export interface Postings {
  ids: Uint32Array;
  units: Uint8Array;
}

/** A full mention in a passage's own words counts this many units; one in a title above it counts one. */
export const UNITS_BODY = 4;

export const FLAG_TITLE = 1;
export const FLAG_QUESTION = 2;

export interface Stamp {
  size: number;
  /** Times of the last change of the text and of the file itself, in milliseconds; -1 if too recent to trust. */
  mtime: number;
  ctime: number;
}

export interface SourceFile extends Stamp {
  /** Relative to the workspace, forward slashes; absolute for a file elsewhere, added by the config. */
  path: string;
}

/** A passage's block, the number of the passage in it, and a check value of its lines when they were read. */
export interface PassagePlace {
  startLine: number;
  endLine: number;
  piece: number;
  check: number;
}

/** All of a segment that a search reads whole. */
export interface SegmentHead {
  /** Paths of the files, in this order, in one text; where each ends. */
  paths: string;
  pathEnds: Uint32Array;
  stamps: Float64Array;
  /** Day number (days since 1970-01-01) in each file's name, -1 for none. */
  days: Int32Array;
  /** First passage of each file, and finally the number of passages. */
  starts: Uint32Array;
  fileLengths: Uint32Array;
  flags: Uint8Array;
  /** All terms, sorted, in one text; where each ends; how many passages contain it. */
  terms: string;
  termEnds: Uint32Array;
  holders: Uint32Array;
  /** For each term the place of its postings in the body, and their check value. */
  postings: Uint32Array;
  checks: Uint32Array;
  /** Where the body has the places of the passages: four words each. */
  places: number;
}

/** The bytes that a search reads in parts: postings, then places. */
export interface Body {
  /** @param check value of the bytes, if there is one */
  read(from: number, length: number, check?: number): Uint8Array;
}

const PLACE_BYTES = 16;

/**
 * A searchable set of files, in memory or in an index file. Passages are numbered across all files in order, so that
 * neighbours in a file are neighbours here.
 */
export class Segment {
  readonly passages: number;
  readonly files: number;
  readonly head: SegmentHead;
  readonly #body: Body;
  readonly #postings = new Map<string, Postings | undefined>();

  constructor(head: SegmentHead, body: Body) {
    this.head = head;
    this.#body = body;
    this.passages = head.starts.at(-1) ?? 0;
    this.files = head.days.length;
  }

  path(file: number): string {
    return partOf(this.head.paths, this.head.pathEnds, file);
  }

  /** The number of the file with this path, -1 if there is none. */
  fileNumber(path: string): number {
    return find(this.head.paths, this.head.pathEnds, path);
  }

  file(file: number): SourceFile {
    const [size = 0, mtime = 0, ctime = 0] = this.head.stamps.subarray(file * 3, file * 3 + 3);
    return { path: this.path(file), size, mtime, ctime };
  }

  place(passage: number): PassagePlace {
    const bytes = this.#body.read(this.head.places + passage * PLACE_BYTES, PLACE_BYTES);
    const [startLine = 0, endLine = 0, piece = 0, check = 0] = wordsIn(bytes, 4);
    return { startLine, endLine, piece, check };
  }

  /** How many passages contain a term: all that is needed for most words of a query. */
  holders(term: string): number {
    return this.head.holders[this.#termNumber(term)] ?? 0;
  }

  postings(term: string): Postings | undefined {
    if (!this.#postings.has(term)) this.#postings.set(term, this.#readPostings(this.#termNumber(term)));
    return this.#postings.get(term);
  }

  #readPostings(number: number): Postings | undefined {
    const { holders, postings, checks } = this.head;
    const count = holders[number];
    if (count === undefined) return undefined;
    const bytes = this.#body.read(postings[number] ?? 0, count * 5, checks[number]);
    return { ids: wordsIn(bytes, count), units: bytes.subarray(count * 4) };
  }

  #termNumber(term: string): number {
    return find(this.head.terms, this.head.termEnds, term);
  }
}

/** The number of a part among sorted parts of one text, -1 if it is not there. */
function find(text: string, ends: Uint32Array, part: string): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = partOf(text, ends, middle);
    if (found === part) return middle;
    if (found < part) low = middle + 1;
    else high = middle;
  }
  return -1;
}

function partOf(text: string, ends: Uint32Array, number: number): string {
  return text.slice(ends[number - 1] ?? 0, ends[number]);
}

function wordsIn(bytes: Uint8Array, count: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, count);
}

/**
 * The file that contains a passage, searching from one that is not after it.
 *
 * @param starts the first passage of each file, and the number of passages
 */
export function fileFrom(starts: Uint32Array, from: number, passage: number): number {
  let file = from;
  while (file + 1 < starts.length && passage >= (starts[file + 1] ?? 0)) file++;
  return file;
}

/** The first place in ascending numbers with at least this value. */
export function lowerBound(ids: Uint32Array, value: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Check value (FNV-1a, 32 bits) over the lines of a passage's block. */
export function checkOf(lines: readonly string[], passage: Pick<Passage, 'startLine' | 'endLine'>): number {
  let hash = 0x811c9dc5;
  for (let i = passage.startLine - 1; i < passage.endLine; i++) {
    const line = (lines[i] ?? '').slice(0, LONGEST_BLOCK);
    for (let k = 0; k < line.length; k++) hash = Math.imul(hash ^ line.charCodeAt(k), 0x01000193);
    hash = Math.imul(hash ^ 10, 0x01000193);
  }
  return hash >>> 0;
}

export interface SegmentView {
  segment: Segment;
  dead?: ReadonlySet<number>;
  /** True if it was read from its files in this search. */
  isFresh?: boolean;
}

/** Robertson's inverse document frequency in nats, kept above zero as in Lucene. */
export function inverseFrequency(total: number, holders: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

/** In a memory with more passages than this, a term in more than this share of them is common. */
export const LARGE = 8192;
export const COMMON = 1 / 64;

/** Sizes of all segments together, dead files left out. */
export class Collection {
  readonly views: readonly SegmentView[];
  readonly passages: number = 0;
  readonly files: number = 0;
  readonly meanFileLength: number;

  constructor(views: readonly SegmentView[]) {
    this.views = views;
    let length = 0;
    for (const { segment, dead } of views) {
      this.passages += segment.passages;
      this.files += segment.files;
      for (const each of segment.head.fileLengths) length += each;
      for (const file of dead ?? []) {
        const { starts, fileLengths } = segment.head;
        this.passages -= (starts[file + 1] ?? 0) - (starts[file] ?? 0);
        this.files--;
        length -= fileLengths[file] ?? 0;
      }
    }
    this.meanFileLength = Math.max(1, length / Math.max(1, this.files));
  }

  holders(term: string): number {
    return this.views.reduce((sum, view) => sum + holdersOf(view, term), 0);
  }

  /** Whether so many passages of a large memory contain a term that it finds none of them by itself. */
  isCommon(term: string): boolean {
    return this.passages > LARGE && this.holders(term) > this.passages * COMMON;
  }

  /** Inverse frequency of a term among passages; a term in no passage has the highest. */
  idf(term: string): number {
    return inverseFrequency(this.passages, this.holders(term));
  }
}

function holdersOf({ segment, dead }: SegmentView, term: string): number {
  let holders = segment.holders(term);
  if (holders === 0 || dead === undefined || dead.size === 0) return holders;
  const ids = segment.postings(term)?.ids ?? new Uint32Array();
  for (const file of dead) {
    const [start, end] = [segment.head.starts[file] ?? 0, segment.head.starts[file + 1] ?? 0];
    holders -= lowerBound(ids, end) - lowerBound(ids, start);
  }
  return holders;
}
