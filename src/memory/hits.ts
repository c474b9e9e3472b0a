import { linesOf } from './build.ts';
import { headingsAbove, passageAt, type ReadResult, readStored, sameStamp } from './read.ts';
import type { PassagePlace, Stamp } from './segment.ts';
import { allowedRoots } from './sources.ts';
import { wordsOf } from './terms.ts';
import type { MemoryHit, MemoryOptions, Ranked } from './types.ts';

interface ReadFile {
  /** Undefined if the file is no longer readable. */
  lines: string[] | undefined;
  stamp: Stamp | undefined;
}

/** A hit without the parts of its score, which take longer to explain than the ranking: most are only looked at. */
type FoundPassage = Omit<MemoryHit, 'why'>;

/** Turns ranked passages into hits, read from the current files. */
export class HitReader {
  readonly #options: MemoryOptions;
  readonly #roots: readonly string[];
  readonly #files = new Map<string, ReadFile>();
  /** Files that differ from the index. */
  readonly outdated = new Set<string>();

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#roots = allowedRoots(options.workspace, options.include);
  }

  /** The first `limit` valid hits. A passage of a changed file is left out, and the file is added to `outdated`. */
  take(ranked: readonly Ranked[], limit: number): MemoryHit[] {
    const distinct = new Distinct(this.#options.alreadyShown);
    const hits: MemoryHit[] = [];
    for (const each of ranked) {
      if (hits.length >= limit) break;
      const passage = this.read(each);
      if (passage !== undefined && distinct.add(passage.text)) hits.push({ ...passage, why: each.why });
    }
    return hits;
  }

  /** The passage at a place, if its lines are unchanged. */
  at(path: string, place: PassagePlace, score: number): MemoryHit | undefined {
    const { lines } = this.#file(path);
    const passage = lines && passageIn(path, lines, place, score);
    return passage && { ...passage, why: [] };
  }

  /** The passage in the current file; undefined, with the file added to `outdated`, if it has changed. */
  read(ranked: Ranked): FoundPassage | undefined {
    const { segment, isFresh = false } = ranked.view;
    const file = segment.file(ranked.file);
    const { path } = file;
    const { lines, stamp } = this.#file(path);
    const same = isFresh || (stamp !== undefined && sameStamp(file, stamp));
    const passage =
      lines && same ? passageIn(path, lines, segment.place(ranked.passage), ranked.score) : undefined;
    if (passage === undefined && !isFresh) this.outdated.add(path);
    return passage;
  }

  /** The file lines of a hit. */
  linesOf(path: string): readonly string[] {
    return this.#file(path).lines ?? [];
  }

  #file(path: string): ReadFile {
    let known = this.#files.get(path);
    if (known === undefined) {
      const read: ReadResult = readStored(this.#options.workspace, path, this.#roots);
      known =
        'text' in read ? { lines: linesOf(read.text), stamp: read } : { lines: undefined, stamp: undefined };
      this.#files.set(path, known);
    }
    return known;
  }
}

/** The passage at a place; undefined if its lines have changed. */
function passageIn(
  path: string,
  lines: readonly string[],
  place: PassagePlace,
  score: number,
): FoundPassage | undefined {
  const found = passageAt(lines, place);
  if (found === undefined) return undefined;
  const { startLine, endLine } = place;
  const line = startLine + found.line;
  return {
    path,
    line,
    startLine,
    endLine,
    text: found.text,
    score,
    headings: headingsAbove(lines, startLine),
  };
}

/** Two passages that share this fraction of their words count as the same. */
const SAME = 0.8;

/** Remembers lines, to keep a list free of repeats. */
export class Distinct {
  readonly #said: ReadonlySet<string>[] = [];

  /** @param shown lines the reader already has */
  constructor(shown: readonly string[] = []) {
    for (const line of shown) {
      const words = new Set(wordsOf(line));
      if (words.size > 0) this.#said.push(words);
    }
  }

  /** True if the text says something new, which is then remembered. */
  add(text: string): boolean {
    const words = new Set(wordsOf(text));
    for (const said of this.#said) {
      let shared = 0;
      for (const word of words) if (said.has(word)) shared++;
      // Checked both ways: part of a shown line is a repeat, and so is a line with one more word.
      if (shared >= SAME * words.size && (shared >= SAME * said.size || words.size <= said.size))
        return false;
    }
    this.#said.push(words);
    return true;
  }
}
