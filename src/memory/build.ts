import { stem } from '../base/text/stem.ts';
import { flagsOf } from './cues.ts';
import { dayOfPath } from './dates.ts';
import { notesOf, type Passage } from './passages.ts';
import {
  checkOf,
  FLAG_TITLE,
  type PassagePlace,
  type Segment,
  type SourceFile,
  UNITS_BODY,
} from './segment.ts';
import { AUTHOR_MARK, authorOf, termsOf, tokenize } from './terms.ts';
import { STOPWORDS } from './words.ts';

/** A file's text cut into lines the way every part here counts them: LF ends a line, a CR before it goes. */
export function linesOf(text: string): string[] {
  const lines = (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).split('\n');
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

/** Collects files and turns them into a segment in memory. */
export class SegmentBuilder {
  readonly #files: SourceFile[] = [];
  readonly #starts: number[] = [];
  readonly #places: PassagePlace[] = [];
  readonly #lengths: number[] = [];
  readonly #flags: number[] = [];
  /** Word as written (lower case) to its term; `undefined` for a stopword. Avoids stemming a word twice. */
  readonly #words = new Map<string, string | undefined>();
  readonly #terms = new Map<string, TermPostings>();
  #hasAuthors = false;

  /** Reads one file's text into the segment. */
  add(file: Omit<SourceFile, 'day'>, text: string): void {
    this.#starts.push(this.#places.length);
    this.#files.push({ ...file, day: dayOfPath(file.path) });
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
    const id = this.#places.length;
    const { line, startLine, endLine, piece } = passage;
    this.#places.push({ line, startLine, endLine, piece, check });
    let length = this.#countWords(passage.text, id, UNITS_BODY);
    for (const term of pathContext) this.#count(term, id, 1);
    for (const heading of passage.headings) length += this.#countWords(heading, id, 1);
    const author = authorOf(passage.text);
    if (author !== undefined) {
      this.#hasAuthors = true;
      for (const term of termsOf(author)) this.#count(AUTHOR_MARK + term, id, UNITS_BODY);
    }
    this.#lengths.push(Math.min(65535, Math.round(length / UNITS_BODY)));
    this.#flags.push((passage.title ? FLAG_TITLE : 0) | flagsOf(passage.text));
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

  #fileLengths(lengths: Uint16Array): Uint32Array {
    const out = new Uint32Array(this.#files.length);
    for (let file = 0; file < out.length; file++) {
      const end = this.#starts[file + 1] ?? lengths.length;
      let sum = 0;
      for (let passage = this.#starts[file] ?? 0; passage < end; passage++) sum += lengths[passage] ?? 0;
      out[file] = sum;
    }
    return out;
  }

  /** The segment of everything added so far. */
  build(): BuiltSegment {
    const lengths = Uint16Array.from(this.#lengths);
    return {
      passages: this.#places.length,
      files: this.#files.length,
      length: lengths.reduce((sum, each) => sum + each, 0),
      lengths,
      flags: Uint8Array.from(this.#flags),
      starts: Uint32Array.from([...this.#starts, this.#places.length]),
      days: Int32Array.from(this.#files, (file) => file.day),
      fileLengths: this.#fileLengths(lengths),
      hasAuthors: this.#hasAuthors,
      terms: this.#terms,
      holders: (term) => this.#terms.get(term)?.ids.length ?? 0,
      postings: (term) => {
        const found = this.#terms.get(term);
        return found && { ids: Uint32Array.from(found.ids), units: Uint8Array.from(found.units) };
      },
      file: (file) => this.#files[file] ?? { path: '', size: 0, mtime: 0, ctime: 0, day: -1 },
      place: (passage) => this.#places[passage] ?? { line: 0, startLine: 0, endLine: 0, piece: 0, check: 0 },
    };
  }
}

/** The passages that contain a term, ascending, with its weight in each. */
interface TermPostings {
  ids: number[];
  units: number[];
}

/** A segment in memory, open to the writer of the index file. */
export interface BuiltSegment extends Segment {
  terms: ReadonlyMap<string, Readonly<TermPostings>>;
}

/** Words in a path that may name a subject: `memory/projects/alpha-2026-01-02.md` gives `project`, `alpha`. */
function pathTerms(path: string): string[] {
  const bare = path.replace(/\.[^./]*$/, '').replace(/^memory\//i, '');
  return termsOf(bare.replace(/\d{4}-?\d{2}-?\d{2}/g, ' ')).filter((term) => !/^\d*$/.test(term));
}
