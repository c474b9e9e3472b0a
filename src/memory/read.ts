import { isAbsolute, resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { decodeText, isInside, openFile, readWhole, resolveRealPath } from '../base/fs/index.ts';
import { dateOfHit, parsePathDay } from './dates.ts';
import { isLabel, type Passage, parsePassages } from './passages.ts';
import type { SourceFile, Stamp } from './segment.ts';
import { BINARY, GONE, listAllowedRoots, NOT_A_FILE, OUTSIDE, TOO_LARGE, UNREADABLE } from './sources.ts';
import { extractWords } from './terms.ts';
import type { MemoryHit, MemoryOptions, RankedPassage } from './types.ts';

type ReadResult = (Stamp & { text: string }) | { reason: string };

const REFUSALS = { link: OUTSIDE, kind: NOT_A_FILE, size: TOO_LARGE } as const;
/** How many characters are checked for a NUL, the sign of a binary file. */
const SNIFF = 8192;

/** Reads a memory file after its links were resolved; follows no further link and never blocks on a pipe. */
export function readMemoryFile(real: string): ReadResult {
  try {
    const file = openFile(real, 'memory', { resolved: true });
    if (!file) return { reason: GONE };

    try {
      const { text } = decodeText(readWhole(file, 'memory'));
      if (text.slice(0, SNIFF).includes('\0')) return { reason: BINARY };
      const { size, mtimeMs: mtime, ctimeMs: ctime } = file.stats;
      return { text, size, mtime, ctime };
    } finally {
      file.close();
    }
  } catch (error) {
    const refusal = error instanceof ScratchpadError ? error.detail.refusal : undefined;
    return { reason: refusal === undefined ? UNREADABLE : REFUSALS[refusal] };
  }
}

export const splitLines = (text: string): string[] => text.replace(/^\ufeff/, '').split(/\r\n?|\n/);

export function readStored(workspace: string, path: string, allowed: readonly string[]): ReadResult {
  const real = resolveRealPath(resolve(workspace, path));
  if (real === undefined) return { reason: GONE };
  if (!allowed.some((root) => isInside(root, real))) return { reason: OUTSIDE };
  return readMemoryFile(real);
}

/**
 * A file that changed within this many milliseconds before it was read may change again without new times, because
 * some file systems have coarse clocks. Its times are not trusted.
 */
const RACY = 100;

/** The trusted form of a file's or folder's time: -1 if it is too recent. */
export const trustTime = (time: number, now: number): number => (time > now - RACY ? -1 : time);

export function makeStamp(path: string, { size, mtime, ctime }: Stamp, now: number = Date.now()): SourceFile {
  return { path, size, mtime: trustTime(mtime, now), ctime: trustTime(ctime, now) };
}

export const isSameStamp = (a: Stamp, b: Stamp): boolean =>
  a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;

type ReadFile = Stamp & { lines: string[]; passages?: Passage[] };

/** What a line is about, by its label, first cell or first word: `Staging` of `Staging: port 5433`. */
function getName(text: string): string {
  const [label = ''] = text.replace(/^\|\s*/, '').split(/[:：=|]|\s[-–—]+\s/, 1);
  return label !== text && label.split(' ').length <= 4 ? label : (extractWords(label)[0] ?? '');
}

/** A passage or a title above it, by what it is about, and those beside it. */
export interface Sibling {
  name: string;
  others: readonly string[];
}

export class HitReader {
  readonly #options: MemoryOptions;
  readonly #roots: readonly string[];
  readonly #files = new Map<string, ReadFile | undefined>();
  isOutdated = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#roots = listAllowedRoots(options.workspace, options.include);
  }

  listSiblings({ path, text, headings }: MemoryHit): Sibling[] {
    const passages = this.#readFile(path)?.passages ?? [];
    return [...headings, getName(text)].map((name, depth) => {
      const near = passages.filter((each) =>
        headings.every((title, at) => at >= depth || each.headings[at] === title),
      );
      return { name, others: near.map((each) => each.headings[depth] ?? getName(each.text)) };
    });
  }

  at(path: string, number: number, score: number): MemoryHit | undefined {
    if (this.#isHidden(path)) return undefined;

    const file = this.#readFile(path);
    if (file === undefined) return undefined;

    file.passages ??= parsePassages(file.lines);
    const passage = file.passages[number];
    if (passage === undefined) return undefined;

    const { title: _, ...hit } = passage;

    return { path, ...hit, score };
  }

  /** The passage in the current file; undefined if that has changed. */
  read({ view, file: number, passage, score }: RankedPassage): MemoryHit | undefined {
    const { segment, isFresh = false } = view;
    const stamp = segment.file(number);
    if (this.#isHidden(stamp.path)) return undefined;

    const file = this.#readFile(stamp.path);
    const isSame = isFresh || (file !== undefined && isSameStamp(stamp, file));
    const found = isSame ? this.at(stamp.path, segment.data.numbers[passage] ?? -1, score) : undefined;

    if (found === undefined && !isFresh) this.isOutdated = true;

    return found;
  }

  linesOf(path: string): readonly string[] {
    return this.#readFile(path)?.lines ?? [];
  }

  readonly readDate = (path: string): string =>
    new Date(this.#readFile(path)?.mtime ?? 0).toISOString().slice(0, 10);

  #isHidden(path: string): boolean {
    return this.#options.isForeign === true && !isAbsolute(path);
  }

  #readFile(path: string): ReadFile | undefined {
    if (!this.#files.has(path)) {
      const read = readStored(this.#options.workspace, path, this.#roots);
      this.#files.set(path, 'text' in read ? { ...read, lines: splitLines(read.text) } : undefined);
    }

    return this.#files.get(path);
  }
}

/** Marks and words without which a line says the same; none of them negates, counts or names. */
const NOISE =
  /\*\*|["'’“”„«»`]|^\s*(?:[-*+]|\d+[.)])\s+|(?<!\S)(?:an?|the|is|are|we|also|now|der|die|das|eine?|ist|el|la|los|las|es|les?|est)(?![^\s,.:;])/g;
const CLAUSE_END = /(?<![.,:;!…])[.,:;!…]+(?=\s|$)|[。，、；：！()[\]|]|\s[-–—]\s/;

/** Clauses as `|deploy key in vault|ask ann|`: all other words, signs and their order can make another fact. */
function normalizeStatement(text: string): string {
  const clauses = text.toLowerCase().normalize('NFKC').replace(NOISE, '').split(CLAUSE_END);
  const folded = clauses.map((clause) => clause.trim().replace(/\s+/g, ' '));
  return `|${folded.filter((clause) => clause !== '').join('|')}|`;
}

/** Sorts after that of an older line; a file without a date in its name is curated, and stands above all of those. */
function getStanding({ path, headings }: MemoryHit): string {
  const date = dateOfHit({ path, headings });
  return parsePathDay(path) < 0 ? `curated ${date ?? 'undated'}` : (date ?? '');
}

/** The first hits that repeat no line: of those that say the same, the curated or newest one in the place of the first. */
export function chooseDistinct(
  hits: readonly MemoryHit[],
  limit: number,
  shown?: readonly string[],
): MemoryHit[] {
  const distinct = new Distinct(shown);
  const chosen = new Map<string, MemoryHit>();

  for (const hit of hits) {
    // A label such as `How to use:` says nothing beside other lines.
    if (chosen.size > 0 && isLabel(hit.text) && extractWords(hit.text).length === 0) continue;

    const statement = normalizeStatement(hit.text);
    const first = chosen.get(statement);
    if (first === undefined && (chosen.size >= limit || !distinct.add(hit.text))) continue;
    if (first === undefined || getStanding(hit) > getStanding(first))
      chosen.set(statement, { ...hit, score: first?.score ?? hit.score });
  }

  return [...chosen.values()];
}

export class Distinct {
  readonly #shown: readonly string[];
  readonly #statements = new Set<string>();

  /** @param shown lines the reader already has */
  constructor(shown: readonly string[] = []) {
    this.#shown = shown.map(normalizeStatement);
  }

  /** False for a line that was added before, or is whole clauses of a shown one. */
  add(text: string): boolean {
    const statement = normalizeStatement(text);
    if (this.#statements.has(statement) || this.#shown.some((line) => line.includes(statement))) return false;

    this.#statements.add(statement);
    return true;
  }
}
