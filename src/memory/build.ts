import { parsePathDay } from './dates.ts';
import { isPointer } from './notes.ts';
import { type Passage, parsePassages } from './passages.ts';
import { makeStamp, readMemoryFile, splitLines } from './read.ts';
import {
  FLAG_DATED,
  FLAG_NUMBER,
  FLAG_QUESTION,
  FLAG_TITLE,
  Segment,
  type SegmentData,
  type SourceFile,
  type Texts,
  UNITS_BODY,
} from './segment.ts';
import { countLeftOut, type LeftOut, listSources, type MemoryFile } from './sources.ts';
import { AUTHOR_MARK, extractTerms, extractWords, parseAuthor, stem } from './terms.ts';

/** A question mark at the end; a remark in parentheses may follow it. */
const ASKS = /[?？][\s"'”’)]*(?:\[[^\]]*\]\s*)?$/;

interface TermCount {
  number: number;
  /** The last passage that holds it, and the place of that in the list of mentions. */
  passage: number;
  at: number;
}

class SegmentBuilder {
  readonly #files: SourceFile[] = [];
  readonly #starts: number[] = [];
  readonly #numbers: number[] = [];
  readonly #lengths: number[] = [];
  readonly #flags: number[] = [];
  readonly #terms = new Map<string, TermCount>();
  /** The term of each word as written (lower case), none for a stopword: a word is stemmed once. */
  readonly #words = new Map<string, TermCount | undefined>();
  /** In the order of the text: term, passage and units of each mention in a passage. */
  readonly #mentioned: number[] = [];
  readonly #passages: number[] = [];
  readonly #units: number[] = [];

  /** Reads one file's text into the segment; files in the order of their paths. */
  add(file: SourceFile, real: string, text: string): void {
    this.#starts.push(this.#lengths.length);
    this.#files.push(file);
    const lines = splitLines(text);

    for (const [number, passage] of parsePassages(lines).entries())
      if (!isPointer(file.path, real, lines[passage.startLine - 1])) this.#addPassage(passage, number);
  }

  #addPassage(passage: Passage, number: number): void {
    const id = this.#lengths.length;
    this.#numbers.push(number);
    const length = this.#countWords(passage.text, id, UNITS_BODY);
    for (const heading of passage.headings) this.#countWords(heading, id, 1);
    for (const term of extractTerms(parseAuthor(passage.text) ?? ''))
      this.#countTerm(this.#getTerm(AUTHOR_MARK + term), id, UNITS_BODY);
    this.#lengths.push(Math.min(65535, Math.round(length / UNITS_BODY)));
    this.#flags.push(
      (passage.title ? FLAG_TITLE : 0) |
        (ASKS.test(passage.text) ? FLAG_QUESTION : 0) |
        (/\d/.test(passage.text) ? FLAG_NUMBER : 0) |
        (passage.headings.some((heading) => parsePathDay(heading) >= 0) ? FLAG_DATED : 0),
    );
  }

  #countWords(text: string, passage: number, units: number): number {
    let sum = 0;
    for (const word of extractWords(text)) {
      const term = this.#words.get(word) ?? this.#getTerm(stem(word));
      this.#words.set(word, term);
      this.#countTerm(term, passage, units);
      sum += units;
    }

    return sum;
  }

  #getTerm(text: string): TermCount {
    const term = this.#terms.get(text) ?? { number: this.#terms.size, passage: -1, at: 0 };
    if (term.passage < 0) this.#terms.set(text, term);
    return term;
  }

  #countTerm(term: TermCount, passage: number, units: number): void {
    if (term.passage === passage) {
      this.#units[term.at] = addUnits(this.#units[term.at] ?? 0, units);
      return;
    }

    term.passage = passage;
    term.at = this.#units.length;
    this.#mentioned.push(term.number);
    this.#passages.push(passage);
    this.#units.push(units);
  }

  build(): Segment {
    const starts = Uint32Array.from([...this.#starts, this.#lengths.length]);
    const getLength = (_: SourceFile, file: number): number =>
      this.#lengths.slice(starts[file], starts[file + 1]).reduce((sum, length) => sum + length, 0);
    const fileOf = new Uint32Array(this.#lengths.length);

    for (const file of this.#files.keys()) fileOf.fill(file, starts[file], starts[file + 1]);

    return new Segment({
      paths: packTexts(this.#files.map(({ path }) => path)),
      stamps: Float64Array.from(this.#files.flatMap(({ size, mtime, ctime }) => [size, mtime, ctime])),
      days: Int32Array.from(this.#files, ({ path }) => parsePathDay(path)),
      starts,
      fileLengths: Uint32Array.from(this.#files, getLength),
      fileOf,
      flags: Uint8Array.from(this.#flags),
      numbers: Uint32Array.from(this.#numbers),
      ...this.#buildPostings(),
    });
  }

  #buildPostings(): Pick<SegmentData, 'terms' | 'postings' | 'ids' | 'units'> {
    const terms = [...this.#terms.keys()].sort();
    const numbers = terms.map((term) => this.#terms.get(term)?.number ?? 0);
    const counts = new Uint32Array(terms.length);

    for (const term of this.#mentioned) counts[term] = (counts[term] ?? 0) + 1;
    const postings = Uint32Array.of(0, ...sumEnds(numbers.map((number) => counts[number] ?? 0)));
    const places = new Uint32Array(terms.length);

    for (const [rank, number] of numbers.entries()) places[number] = postings[rank] ?? 0;
    const order = new Uint32Array(this.#mentioned.length);
    for (const [at, term] of this.#mentioned.entries()) {
      const place = places[term] ?? 0;
      order[place] = at;
      places[term] = place + 1;
    }

    return {
      terms: packTexts(terms),
      postings,
      ids: Uint32Array.from(order, (at) => this.#passages[at] ?? 0),
      units: Uint8Array.from(order, (at) => this.#units[at] ?? 0),
    };
  }
}

/** Adds a mention; each half of the byte ends at 15. */
function addUnits(held: number, units: number): number {
  const most = units === UNITS_BODY ? 0xf0 : 0x0f;
  return (held & most) === most ? held : held + units;
}

function packTexts(sorted: readonly string[]): Texts {
  return { text: sorted.join(''), ends: sumEnds(sorted.map(({ length }) => length)) };
}

function sumEnds(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lengths, (length) => {
    end += length;
    return end;
  });
}

export interface ScanResult {
  segment: Segment;
  leftOut: LeftOut;
  folders: Map<string, number>;
  started: number;
}

export const NOT_YET = 'not indexed yet';
/** Files read before the loop yields, so that a timer can fire. */
const BATCH = 64;

export async function scan(options: {
  workspace: string;
  include?: readonly string[] | undefined;
  /** If there are more files than this, only the newest are read; the others count as left out. */
  mostFiles?: number | undefined;
}): Promise<ScanResult> {
  const started = Date.now();
  const { sources: all, leftOut, folders } = listSources(options.workspace, options.include);
  const { mostFiles = all.length } = options;
  const newest = all.length <= mostFiles ? all : [...all].sort((x, y) => y.mtime - x.mtime);
  const sources = sortSources(newest.slice(0, mostFiles));

  for (let i = sources.length; i < all.length; i++) countLeftOut(leftOut, NOT_YET);
  const builder = new SegmentBuilder();

  for (const [number, source] of sources.entries()) {
    addFile(builder, source, leftOut);
    if (number % BATCH === BATCH - 1) await new Promise((next) => setImmediate(next));
  }

  return { segment: builder.build(), leftOut, folders, started };
}

const sortSources = (sources: readonly MemoryFile[]): readonly MemoryFile[] =>
  [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));

/** Adds a file; one that is left out without passages, so that it is not taken for new. */
function addFile(builder: SegmentBuilder, { path, real, ...listed }: MemoryFile, leftOut: LeftOut): void {
  const read = readMemoryFile(real);
  const isRead = 'text' in read;
  if (!isRead) countLeftOut(leftOut, read.reason);
  builder.add(makeStamp(path, isRead ? read : listed), real, isRead ? read.text : '');
}

export function readSegment(sources: readonly MemoryFile[]): Segment {
  const builder = new SegmentBuilder();
  for (const source of sortSources(sources)) addFile(builder, source, new Map());
  return builder.build();
}
