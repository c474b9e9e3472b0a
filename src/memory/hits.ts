import { linesOf } from './build.ts';
import { Distinct } from './distinct.ts';
import { headingsAbove, passageText, type ReadResult, readStored, sameStamp } from './read.ts';
import type { PassagePlace, Segment } from './segment.ts';
import { allowedRoots } from './sources.ts';
import type { MemoryHit, MemoryOptions, Ranked, Reason } from './types.ts';

interface ReadFile {
  /** Undefined if the file is no longer readable. */
  lines: string[] | undefined;
  stamp: { size: number; mtime: number; ctime: number } | undefined;
}

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

  /**
   * The first `limit` valid hits. A passage of a changed file is left out, and the file is added to `outdated`.
   *
   * @param isFresh true for a segment read from its files in this search
   */
  take(ranked: readonly Ranked[], limit: number, isFresh: (segment: Segment) => boolean): MemoryHit[] {
    const distinct = new Distinct(this.#options.alreadyShown);
    const hits: MemoryHit[] = [];
    for (const each of ranked) {
      if (hits.length >= limit) break;
      const hit = this.read(each, isFresh);
      if (hit !== undefined && distinct.add(hit.text)) hits.push(hit);
    }
    return hits;
  }

  /** The passage at a place, if its lines are unchanged. */
  at(path: string, place: PassagePlace, score: number): MemoryHit | undefined {
    const { lines } = this.#file(path);
    const text = lines === undefined ? undefined : passageText(lines, place);
    if (lines === undefined || text === undefined) return undefined;
    const { line, startLine, endLine } = place;
    return hitOf({ path, line, startLine, endLine, text, score }, lines, () => []);
  }

  /** The passage in the current file; undefined, with the file added to `outdated`, if it has changed. */
  read(ranked: Ranked, isFresh: (segment: Segment) => boolean): MemoryHit | undefined {
    const { segment } = ranked.view;
    const file = segment.file(ranked.file);
    const fresh = isFresh(segment);
    const { path } = file;
    const { lines, stamp } = this.#file(path);
    const same = fresh || (stamp !== undefined && sameStamp(file, stamp));
    const place = segment.place(ranked.passage);
    const text = lines === undefined || !same ? undefined : passageText(lines, place);
    if (lines === undefined || text === undefined) {
      if (!fresh) this.outdated.add(path);
      return undefined;
    }
    const { line, startLine, endLine } = place;
    const { score } = ranked;
    return hitOf({ path, line, startLine, endLine, text, score }, lines, () => ranked.why);
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

/**
 * The titles above a line and the parts of its score are computed on demand, because most callers do not need them.
 */
function hitOf(
  { path, line, startLine, endLine, text, score }: Omit<MemoryHit, 'headings' | 'why'>,
  lines: readonly string[],
  explain: () => Reason[],
): MemoryHit {
  let titles: string[] | undefined;
  let reasons: Reason[] | undefined;
  return {
    path,
    line,
    startLine,
    endLine,
    text,
    score,
    get headings() {
      titles ??= headingsAbove(lines, startLine);
      return titles;
    },
    set headings(value) {
      titles = value;
    },
    get why() {
      reasons ??= explain();
      return reasons;
    },
    set why(value) {
      reasons = value;
    },
  };
}
