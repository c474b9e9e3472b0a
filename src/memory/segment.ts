import { findFirst } from '../base/text/strings.ts';

/** The passages that contain a term, ascending, with its mentions: in the words themselves, and in the titles above. */
export interface Postings {
  ids: Uint32Array;
  units: Uint8Array;
}

/** A mention in a passage's own words is one of the upper half of a byte; one in a title above it one of the lower. */
export const UNITS_BODY = 16;

export const FLAG_TITLE = 1;
export const FLAG_QUESTION = 2;
export const FLAG_NUMBER = 4;
/** Stands under a title with a date, as in a journal. */
export const FLAG_DATED = 8;

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

/** Sorted texts as one, with the end of each: a hundred thousand strings would take long to load. */
export interface Texts {
  text: string;
  ends: Uint32Array;
}

/** All of a segment, as it is stored. Passages are numbered across all files, so that neighbours are neighbours here. */
export interface SegmentData {
  paths: Texts;
  stamps: Float64Array;
  /** Day number (days since 1970-01-01) in each file's name, -1 for none. */
  days: Int32Array;
  /** First passage of each file, and finally the number of passages. */
  starts: Uint32Array;
  fileLengths: Uint32Array;
  /** Of each passage: its file, its flags, and its number among all passages of that file. */
  fileOf: Uint32Array;
  flags: Uint8Array;
  numbers: Uint32Array;
  terms: Texts;
  /** Where each term's postings begin, and finally their number. */
  postings: Uint32Array;
  ids: Uint32Array;
  units: Uint8Array;
}

export class Segment {
  readonly data: SegmentData;
  readonly passages: number;
  readonly files: number;

  constructor(data: SegmentData) {
    this.data = data;
    this.passages = data.flags.length;
    this.files = data.days.length;
  }

  path(file: number): string {
    return getText(this.data.paths, file);
  }

  fileNumber(path: string): number {
    return findText(this.data.paths, path);
  }

  file(file: number): SourceFile {
    const [size = 0, mtime = 0, ctime = 0] = this.data.stamps.subarray(file * 3, file * 3 + 3);
    return { path: this.path(file), size, mtime, ctime };
  }

  postings(term: string): Postings {
    const { terms, postings, ids, units } = this.data;
    const at = findText(terms, term);
    const [from = 0, to = 0] = at < 0 ? [] : postings.subarray(at, at + 2);
    return { ids: ids.subarray(from, to), units: units.subarray(from, to) };
  }

  termsBeginning(start: string): string[] {
    const { terms } = this.data;
    const found: string[] = [];
    let at = findFirst(terms.ends.length, (number) => getText(terms, number) >= start);

    for (; at < terms.ends.length; at++) {
      const term = getText(terms, at);
      if (!term.startsWith(start)) break;
      found.push(term);
    }

    return found;
  }

  termsWith(part: string): string[] {
    const { text, ends } = this.data.terms;
    const found: string[] = [];

    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      const number = findFirst(ends.length, (each) => (ends[each] ?? 0) > at);
      const start = ends[number - 1] ?? 0;
      if (at > start && at + part.length <= (ends[number] ?? 0)) found.push(text.slice(start, ends[number]));
    }

    return found;
  }

  passagesOf(file: number): [from: number, to: number] {
    return [this.data.starts[file] ?? 0, this.data.starts[file + 1] ?? 0];
  }
}

export const getText = ({ text, ends }: Texts, number: number): string =>
  text.slice(ends[number - 1] ?? 0, ends[number]);

/** The number of a text among sorted ones, -1 if it is not there. */
export function findText(texts: Texts, wanted: string): number {
  const place = findFirst(texts.ends.length, (number) => getText(texts, number) >= wanted);
  return getText(texts, place) === wanted && place < texts.ends.length ? place : -1;
}

const lowerBound = (ids: Uint32Array, value: number): number =>
  findFirst(ids.length, (place) => (ids[place] ?? 0) >= value);

export interface SegmentView {
  segment: Segment;
  dead?: ReadonlySet<number>;
  isFresh?: boolean;
}

/** Robertson's inverse document frequency in nats, kept above zero as in Lucene. */
export const computeIdf = (total: number, holders: number): number =>
  Math.log(1 + (total - holders + 0.5) / (holders + 0.5));

/** In a memory with more passages than this, a term in more than this share of them is common. */
const LARGE = 8192;
const COMMON = 1 / 64;

export class Collection {
  readonly views: readonly SegmentView[];
  readonly passages: number = 0;
  readonly files: number = 0;
  readonly meanFileLength: number;
  readonly #holders = new Map<string, number>();

  constructor(views: readonly SegmentView[]) {
    this.views = views;
    let length = 0;
    for (const { segment, dead } of views) {
      this.passages += segment.passages;
      this.files += segment.files - (dead?.size ?? 0);
      for (const each of segment.data.fileLengths) length += each;

      for (const file of dead ?? []) {
        const [from, to] = segment.passagesOf(file);
        this.passages -= to - from;
        length -= segment.data.fileLengths[file] ?? 0;
      }
    }

    this.meanFileLength = Math.max(1, length / Math.max(1, this.files));
  }

  holders(term: string): number {
    const holders =
      this.#holders.get(term) ?? this.views.reduce((sum, view) => sum + countHolders(view, term), 0);
    this.#holders.set(term, holders);
    return holders;
  }

  /** Whether so many passages of a large memory contain a term that it finds none of them by itself. */
  isCommon(term: string): boolean {
    return this.passages > LARGE && this.holders(term) > this.passages * COMMON;
  }

  /** Inverse frequency of a term among passages; a term in no passage has the highest. */
  idf(term: string): number {
    return computeIdf(this.passages, this.holders(term));
  }
}

function countHolders({ segment, dead }: SegmentView, term: string): number {
  const { ids } = segment.postings(term);
  let holders = ids.length;
  if (holders === 0) return 0;

  for (const file of dead ?? []) {
    const [from, to] = segment.passagesOf(file);
    holders -= lowerBound(ids, to) - lowerBound(ids, from);
  }

  return holders;
}
