import { resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { isInside, openFile, readWhole, realPathOf } from '../base/fs/index.ts';
import { LONGEST_TITLE, piecesOf } from './passages.ts';
import { checkOf, type PassagePlace, type SourceFile, type Stamp } from './segment.ts';
import { BINARY, GONE, NOT_A_FILE, OUTSIDE, TOO_LARGE, UNREADABLE } from './sources.ts';

/** A file's text, or the reason why it is left out. */
export type ReadResult = (Stamp & { text: string }) | { reason: string };

const REFUSALS = { link: OUTSIDE, kind: NOT_A_FILE, size: TOO_LARGE } as const;
/** How many bytes are checked for a NUL, the sign of a binary file. */
const SNIFF = 8192;

/** Reads a memory file after its links were resolved; follows no further link and never blocks on a pipe. */
export function readMemoryFile(real: string): ReadResult {
  try {
    const file = openFile(real, 'memory', { resolved: true });
    if (!file) return { reason: GONE };
    try {
      const bytes = readWhole(file, 'memory');
      if (bytes.subarray(0, SNIFF).includes(0)) return { reason: BINARY };
      const { size, mtimeMs: mtime, ctimeMs: ctime } = file.stats;
      return { text: bytes.toString('utf8'), size, mtime, ctime };
    } finally {
      file.close();
    }
  } catch (error) {
    const refusal = error instanceof ScratchpadError ? error.detail.refusal : undefined;
    return { reason: refusal === undefined ? UNREADABLE : REFUSALS[refusal] };
  }
}

/** Reads a file by its stored path, if its place is still allowed. */
export function readStored(workspace: string, path: string, allowed: readonly string[]): ReadResult {
  const real = realPathOf(resolve(workspace, path));
  if (real === undefined) return { reason: GONE };
  if (!allowed.some((root) => isInside(root, real))) return { reason: OUTSIDE };
  return readMemoryFile(real);
}

/** The text of a passage and its 0-based line in the block, or undefined if the lines have changed. */
export function passageAt(
  lines: readonly string[],
  { startLine, endLine, piece, check }: PassagePlace,
): { text: string; line: number } | undefined {
  if (endLine > lines.length || checkOf(lines, { startLine, endLine }) !== check) return undefined;
  return piecesOf(lines.slice(startLine - 1, endLine))[piece];
}

/** The titles above a line, outermost first. */
export function headingsAbove(lines: readonly string[], line: number): string[] {
  const titles: string[] = [];
  let level = 7;
  for (let i = line - 2; i >= 0 && level > 1; i--) {
    const match = /^ {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/.exec(lines[i] ?? '');
    const rank = match?.[1]?.length ?? 7;
    if (rank >= level) continue;
    level = rank;
    titles.unshift((match?.[2] ?? '').slice(0, LONGEST_TITLE));
  }
  return titles;
}

/**
 * A file that changed within this many milliseconds before it was read may change again without new times, because
 * some file systems have coarse clocks. Its times are not trusted.
 */
const RACY = 100;

/** The trusted form of a file's or folder's time: -1 if it is too recent. */
export function trusted(time: number, now: number): number {
  return time > now - RACY ? -1 : time;
}

/** The stamp of a file that was just read. */
export function stampOf(path: string, { size, mtime, ctime }: Stamp, now: number = Date.now()): SourceFile {
  return { path, size, mtime: trusted(mtime, now), ctime: trusted(ctime, now) };
}

/** Whether a file on disk matches the stamp. */
export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}
