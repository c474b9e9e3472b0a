import { flagsOf } from './cues.ts';
import { dayOfPath } from './dates.ts';
import { type Passage, passagesOf } from './passages.ts';
import {
  checkOf,
  FLAG_TITLE,
  type PassagePlace,
  type Postings,
  type Segment,
  type SourceFile,
  UNITS_BODY,
} from './segment.ts';
import { stem } from './stem.ts';
import { AUTHOR_MARK, authorOf, termsOf } from './terms.ts';
import { tokenize } from './tokenize.ts';
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
  /** Word as written (lower case) to term number; -1 for a stopword. Saves stemming a word twice. */
  readonly #words = new Map<string, number>();
  #hasAuthors = false;
  readonly #terms = new Map<string, number>();
  /** Postings in the order they arise: term, passage, units. */
  readonly #events = new Events();
  /** For each term: the last passage it was seen in plus one, and that posting's place among the events. */
  #lastPassage = new Uint32Array(4096);
  #lastEvent = new Uint32Array(4096);

  get passages(): number {
    return this.#places.length;
  }

  /** Reads one file's text into the segment. */
  add(file: Omit<SourceFile, 'day'>, text: string): void {
    this.#starts.push(this.#places.length);
    this.#files.push({ ...file, day: dayOfPath(file.path) });
    const lines = linesOf(text);
    const context = pathTerms(file.path);
    let check = 0;
    let block = 0;
    for (const passage of passagesOf(lines)) {
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
    let length = 0;
    tokenize(passage.text, (word) => {
      const term = this.#termOfWord(word);
      if (term < 0) return;
      length += UNITS_BODY;
      this.#count(term, id, UNITS_BODY);
    });
    for (const term of pathContext) this.#count(this.#term(term), id, 1);
    for (const heading of passage.headings) {
      tokenize(heading, (word) => {
        const term = this.#termOfWord(word);
        if (term < 0) return;
        length += 1;
        this.#count(term, id, 1);
      });
    }
    const author = authorOf(passage.text);
    if (author !== undefined) {
      this.#hasAuthors = true;
      for (const term of termsOf(author)) this.#count(this.#term(AUTHOR_MARK + term), id, UNITS_BODY);
    }
    this.#lengths.push(Math.min(65535, Math.round(length / UNITS_BODY)));
    this.#flags.push((passage.title ? FLAG_TITLE : 0) | flagsOf(passage.text));
  }

  #termOfWord(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const term = STOPWORDS.has(word) ? -1 : this.#term(stem(word));
    this.#words.set(word, term);
    return term;
  }

  #term(term: string): number {
    let id = this.#terms.get(term);
    if (id === undefined) {
      id = this.#terms.size;
      this.#terms.set(term, id);
      if (id === this.#lastPassage.length) {
        this.#lastPassage = doubled(this.#lastPassage);
        this.#lastEvent = doubled(this.#lastEvent);
      }
    }
    return id;
  }

  #count(term: number, passage: number, units: number): void {
    if (this.#lastPassage[term] === passage + 1) this.#events.more(this.#lastEvent[term] ?? 0, units);
    else {
      this.#lastPassage[term] = passage + 1;
      this.#lastEvent[term] = this.#events.push(term, passage, units);
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
      ...this.#events.sorted(this.#terms.size),
      holders(term) {
        const id = this.terms.get(term);
        return id === undefined ? 0 : (this.offsets[id + 1] ?? 0) - (this.offsets[id] ?? 0);
      },
      postings(term) {
        const id = this.terms.get(term);
        if (id === undefined) return undefined;
        const [from, to] = [this.offsets[id] ?? 0, this.offsets[id + 1] ?? 0];
        return { ids: this.ids.subarray(from, to), units: this.units.subarray(from, to) };
      },
      file: (file) => this.#files[file] ?? { path: '', size: 0, mtime: 0, ctime: 0, day: -1 },
      place: (passage) => this.#places[passage] ?? { line: 0, startLine: 0, endLine: 0, piece: 0, check: 0 },
    };
  }
}

/** A segment in memory, open to the writer of the index file. */
export interface BuiltSegment extends Segment, Postings {
  /** Term to its number; `offsets[number]` is where its postings begin. */
  terms: ReadonlyMap<string, number>;
  offsets: Uint32Array;
}

/** Three growing columns. */
class Events {
  #term = new Uint32Array(4096);
  #passage = new Uint32Array(4096);
  #units = new Uint8Array(4096);
  #size = 0;

  push(term: number, passage: number, units: number): number {
    if (this.#size === this.#term.length) this.#grow();
    this.#term[this.#size] = term;
    this.#passage[this.#size] = passage;
    this.#units[this.#size] = units;
    return this.#size++;
  }

  more(event: number, units: number): void {
    this.#units[event] = Math.min(255, (this.#units[event] ?? 0) + units);
  }

  #grow(): void {
    const units = new Uint8Array(this.#size * 2);
    units.set(this.#units);
    this.#term = doubled(this.#term);
    this.#passage = doubled(this.#passage);
    this.#units = units;
  }

  /** Counting sort by term; within a term passages stay ascending. */
  sorted(terms: number): { offsets: Uint32Array; ids: Uint32Array; units: Uint8Array } {
    const offsets = new Uint32Array(terms + 1);
    for (let i = 0; i < this.#size; i++) {
      const next = (this.#term[i] ?? 0) + 1;
      offsets[next] = (offsets[next] ?? 0) + 1;
    }
    for (let t = 0; t < terms; t++) offsets[t + 1] = (offsets[t + 1] ?? 0) + (offsets[t] ?? 0);
    const next = offsets.slice();
    const ids = new Uint32Array(this.#size);
    const units = new Uint8Array(this.#size);
    for (let i = 0; i < this.#size; i++) {
      const term = this.#term[i] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      ids[at] = this.#passage[i] ?? 0;
      units[at] = this.#units[i] ?? 0;
    }
    return { offsets, ids, units };
  }
}

/** Twice as long, what it held at its beginning. */
function doubled(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(values.length * 2);
  longer.set(values);
  return longer;
}

/** Words of a path that may name a subject: `memory/projects/alpha-2026-01-02.md` gives `project`, `alpha`. */
function pathTerms(path: string): string[] {
  const bare = path.replace(/\.[^./]*$/, '').replace(/^memory\//i, '');
  return termsOf(bare.replace(/\d{4}-?\d{2}-?\d{2}/g, ' ')).filter((term) => !/^\d*$/.test(term));
}
