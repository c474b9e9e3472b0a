import { stem } from '../base/text/stem.ts';
import { dayOfPath } from './dates.ts';
import { notesOf, type Passage } from './passages.ts';
import { linesOf, readMemoryFile, stampOf } from './read.ts';
import {
  checkOf,
  FLAG_QUESTION,
  FLAG_TITLE,
  Segment,
  type SegmentData,
  type SourceFile,
  type Texts,
  UNITS_BODY,
} from './segment.ts';
import { type LeftOut, leaveOut, listSources, type MemoryFile } from './sources.ts';
import { AUTHOR_MARK, authorOf, STOPWORDS, termsOf, tokenize } from './terms.ts';

/** A question mark at the end; a remark in parentheses may follow it. */
const ASKS = /[?？][\s"'”’)]*(?:\[[^\]]*\]\s*)?$/;

class SegmentBuilder {
  readonly #files: SourceFile[] = [];
  readonly #starts: number[] = [];
  /** First and last line, piece and check of each passage. */
  readonly #places: number[] = [];
  readonly #lengths: number[] = [];
  readonly #flags: number[] = [];
  /** Word as written (lower case) to its term; `undefined` for a stopword. Avoids stemming a word twice. */
  readonly #words = new Map<string, string | undefined>();
  readonly #terms = new Map<string, { ids: number[]; units: number[] }>();

  /** Reads one file's text into the segment; files in the order of their paths. */
  add(file: SourceFile, text: string): void {
    this.#starts.push(this.#lengths.length);
    this.#files.push(file);
    const lines = linesOf(text);
    const context = pathTerms(file.path);
    let check = 0;
    let block = 0;
    for (const passage of notesOf(file.path, lines)) {
      // All pieces of a block share its check.
      if (passage.startLine !== block) check = checkOf(lines, passage);
      block = passage.startLine;
      this.#addPassage(passage, context, check);
    }
  }

  #addPassage(passage: Passage, pathContext: readonly string[], check: number): void {
    const id = this.#lengths.length;
    const { startLine, endLine, piece } = passage;
    this.#places.push(startLine, endLine, piece, check);
    let length = this.#countWords(passage.text, id, UNITS_BODY);
    for (const term of pathContext) this.#count(term, id, 1);
    for (const heading of passage.headings) length += this.#countWords(heading, id, 1);
    for (const term of termsOf(authorOf(passage.text) ?? '')) this.#count(AUTHOR_MARK + term, id, UNITS_BODY);
    this.#lengths.push(Math.min(65535, Math.round(length / UNITS_BODY)));
    this.#flags.push((passage.title ? FLAG_TITLE : 0) | (ASKS.test(passage.text) ? FLAG_QUESTION : 0));
  }

  /** Counts each word of a text in a passage, and returns the sum of their units. */
  #countWords(text: string, passage: number, units: number): number {
    let sum = 0;
    for (const word of tokenize(text)) {
      if (!this.#words.has(word)) this.#words.set(word, STOPWORDS.has(word) ? undefined : stem(word));
      const term = this.#words.get(word);
      if (term === undefined) continue;
      this.#count(term, passage, units);
      sum += units;
    }
    return sum;
  }

  #count(term: string, passage: number, units: number): void {
    const postings = this.#terms.get(term) ?? { ids: [], units: [] };
    if (postings.ids.length === 0) this.#terms.set(term, postings);
    const last = postings.ids.length - 1;
    if (postings.ids[last] === passage)
      postings.units[last] = Math.min(255, (postings.units[last] ?? 0) + units);
    else {
      postings.ids.push(passage);
      postings.units.push(units);
    }
  }

  build(): Segment {
    const terms = [...this.#terms.keys()].sort();
    const postings = terms.map((term) => this.#terms.get(term) ?? { ids: [], units: [] });
    const starts = Uint32Array.from([...this.#starts, this.#lengths.length]);
    const lengthOf = (_: SourceFile, file: number): number =>
      this.#lengths.slice(starts[file], starts[file + 1]).reduce((sum, length) => sum + length, 0);
    const data: SegmentData = {
      paths: textsOf(this.#files.map(({ path }) => path)),
      stamps: Float64Array.from(this.#files.flatMap(({ size, mtime, ctime }) => [size, mtime, ctime])),
      days: Int32Array.from(this.#files, ({ path }) => dayOfPath(path)),
      starts,
      fileLengths: Uint32Array.from(this.#files, lengthOf),
      fileOf: new Uint32Array(this.#lengths.length),
      flags: Uint8Array.from(this.#flags),
      places: Uint32Array.from(this.#places),
      terms: textsOf(terms),
      postings: Uint32Array.from([0, ...endsOf(postings.map(({ ids }) => ids.length))]),
      ids: Uint32Array.from(postings.flatMap(({ ids }) => ids)),
      units: Uint8Array.from(postings.flatMap(({ units }) => units)),
    };
    for (const file of this.#files.keys()) data.fileOf.fill(file, starts[file], starts[file + 1]);
    return new Segment(data);
  }
}

function textsOf(sorted: readonly string[]): Texts {
  return { text: sorted.join(''), ends: endsOf(sorted.map(({ length }) => length)) };
}

/** Where each of some parts ends. */
function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lengths, (length) => {
    end += length;
    return end;
  });
}

/** Words in a path that may name a subject: `memory/projects/alpha-2026-01-02.md` gives `project`, `alpha`. */
function pathTerms(path: string): string[] {
  const bare = path.replace(/\.[^./]*$/, '').replace(/^memory\//i, '');
  return termsOf(bare.replace(/\d{4}-?\d{2}-?\d{2}/g, ' ')).filter((term) => !/^\d*$/.test(term));
}

export interface Scanned {
  segment: Segment;
  leftOut: LeftOut;
  folders: Map<string, number>;
  /** Epoch milliseconds before the first file was listed. */
  started: number;
}

/** The reason for a file that a first search has no time for; the index under construction includes it. */
export const NOT_YET = 'not indexed yet';
/** Files read between two checks of the signal; the loop yields there, so that a timer can fire. */
const BATCH = 64;

/**
 * Reads every memory file into a segment in memory. When the signal fires, remaining files are left out and counted.
 */
export async function scan(options: {
  workspace: string;
  include?: readonly string[];
  signal?: AbortSignal;
  onFile?: (done: number, total: number) => void;
  /** If there are more files than this, only the newest are read; the others count as left out. */
  mostFiles?: number;
}): Promise<Scanned> {
  const started = Date.now();
  const { sources: all, leftOut, folders } = listSources(options.workspace, options.include);
  const { mostFiles = all.length } = options;
  const newest = all.length <= mostFiles ? all : [...all].sort((x, y) => y.mtime - x.mtime);
  const sources = inOrder(newest.slice(0, mostFiles));
  for (let i = sources.length; i < all.length; i++) leaveOut(leftOut, NOT_YET);
  const builder = new SegmentBuilder();
  let done = 0;
  for (const source of sources) {
    if (options.signal?.aborted === true) {
      leaveOut(leftOut, 'out of time');
      continue;
    }
    addTo(builder, source, leftOut);
    options.onFile?.(++done, sources.length);
    if (done % BATCH === 0) await new Promise((next) => setImmediate(next));
  }
  return { segment: builder.build(), leftOut, folders, started };
}

function inOrder(sources: readonly MemoryFile[]): readonly MemoryFile[] {
  return [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Adds a file; one that is left out without passages, so that it is not taken for new. */
function addTo(builder: SegmentBuilder, { path, real, ...listed }: MemoryFile, leftOut: LeftOut): void {
  const read = readMemoryFile(real);
  const isRead = 'text' in read;
  if (!isRead) leaveOut(leftOut, read.reason);
  builder.add(stampOf(path, isRead ? read : listed), isRead ? read.text : '');
}

export function readSegment(sources: readonly MemoryFile[]): Segment {
  const builder = new SegmentBuilder();
  for (const source of inOrder(sources)) addTo(builder, source, new Map());
  return builder.build();
}
