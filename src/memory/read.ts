import { resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { decodeText, isInside, openFile, readWhole, resolveRealPath } from '../base/fs/index.ts';
import { type Passage, parsePassages, splitPieces } from './passages.ts';
import { computeCheck, type PassagePlace, type SourceFile, type Stamp } from './segment.ts';
import { BINARY, GONE, listAllowedRoots, NOT_A_FILE, OUTSIDE, TOO_LARGE, UNREADABLE } from './sources.ts';
import { extractWords } from './terms.ts';
import type { MemoryHit, MemoryOptions, RankedPassage } from './types.ts';

/** A file's text, or the reason why it is left out. */
export type ReadResult = (Stamp & { text: string }) | { reason: string };

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

/** A file's text cut into lines the way every part here counts them: LF ends a line, a CR before it goes. */
export function splitLines(text: string): string[] {
  const lines = (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).split('\n');
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

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
export function trustTime(time: number, now: number): number {
  return time > now - RACY ? -1 : time;
}

export function makeStamp(path: string, { size, mtime, ctime }: Stamp, now: number = Date.now()): SourceFile {
  return { path, size, mtime: trustTime(mtime, now), ctime: trustTime(ctime, now) };
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}

type ReadFile = Stamp & { lines: string[]; passages?: Passage[] };

export class HitReader {
  readonly #options: MemoryOptions;
  readonly #roots: readonly string[];
  readonly #files = new Map<string, ReadFile | undefined>();
  /** Whether a file was met that differs from the index. */
  isOutdated = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#roots = listAllowedRoots(options.workspace, options.include);
  }

  /** The first `limit` valid hits. A passage of a changed file is left out. */
  take(ranked: readonly RankedPassage[], limit: number): MemoryHit[] {
    const distinct = new Distinct(this.#options.alreadyShown);
    const hits: MemoryHit[] = [];

    for (const each of ranked) {
      if (hits.length >= limit) break;
      const passage = this.read(each);
      if (passage !== undefined && distinct.add(passage.text)) hits.push(passage);
    }

    return hits;
  }

  /** The passage at a place, if its lines are unchanged. */
  at(path: string, place: PassagePlace, score: number): MemoryHit | undefined {
    const file = this.#readFile(path);
    return file && readPassage(path, file, place, score);
  }

  /** The passage in the current file; undefined if that has changed. */
  read({ view, file: number, passage, score }: RankedPassage): MemoryHit | undefined {
    const { segment, isFresh = false } = view;
    const stamp = segment.file(number);
    const file = this.#readFile(stamp.path);
    const isSame = isFresh || (file !== undefined && isSameStamp(stamp, file));
    const found = file && isSame ? readPassage(stamp.path, file, segment.place(passage), score) : undefined;

    if (found === undefined && !isFresh) this.isOutdated = true;

    return found;
  }

  linesOf(path: string): readonly string[] {
    return this.#readFile(path)?.lines ?? [];
  }

  /** Undefined if it is not readable any more. */
  #readFile(path: string): ReadFile | undefined {
    if (!this.#files.has(path)) {
      const read = readStored(this.#options.workspace, path, this.#roots);
      this.#files.set(path, 'text' in read ? { ...read, lines: splitLines(read.text) } : undefined);
    }

    return this.#files.get(path);
  }
}

/** The passage at a place; undefined if its lines have changed. */
function readPassage(
  path: string,
  file: ReadFile,
  { startLine, endLine, piece, check }: PassagePlace,
  score: number,
): MemoryHit | undefined {
  const { lines } = file;
  if (endLine > lines.length || computeCheck(lines, { startLine, endLine }) !== check) return undefined;

  const found = splitPieces(lines.slice(startLine - 1, endLine))[piece];
  if (found === undefined) return undefined;

  const { text, line } = found;
  file.passages ??= parsePassages(lines);
  const headings = [...(file.passages.find((each) => each.startLine === startLine)?.headings ?? [])];

  return { path, line: startLine + line, startLine, endLine, text, score, headings };
}

/** Two passages that share this fraction of their words count as the same. */
const SAME = 0.8;

export class Distinct {
  readonly #said: ReadonlySet<string>[] = [];

  /** @param shown lines the reader already has */
  constructor(shown: readonly string[] = []) {
    for (const line of shown) {
      const words = new Set(extractWords(line));
      if (words.size > 0) this.#said.push(words);
    }
  }

  add(text: string): boolean {
    const words = new Set(extractWords(text));
    for (const earlier of this.#said) {
      let shared = 0;
      for (const word of words) if (earlier.has(word)) shared++;
      // Checked both ways: part of a shown line is a repeat, and so is a line with one more word.
      if (shared >= SAME * words.size && (shared >= SAME * earlier.size || words.size <= earlier.size))
        return false;
    }

    this.#said.push(words);

    return true;
  }
}
