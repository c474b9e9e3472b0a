import { resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { isInside, openFile, readWhole, realPathOf } from '../base/fs/index.ts';
import { LONGEST_TITLE, piecesOf } from './passages.ts';
import { checkOf, type PassagePlace, type SourceFile } from './segment.ts';
import { BINARY, GONE, NOT_A_FILE, OUTSIDE, TOO_LARGE, UNREADABLE } from './sources.ts';

/** A file's text, or the reason why it is left out. */
export type ReadResult = { text: string; size: number; mtime: number; ctime: number } | { reason: string };

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

/** The text of a passage, or undefined if its lines have changed. */
export function passageText(lines: readonly string[], place: PassagePlace): string | undefined {
  if (place.endLine > lines.length || checkOf(lines, place) !== place.check) return undefined;
  return piecesOf(lines.slice(place.startLine - 1, place.endLine))[place.piece]?.text;
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
export function stampOf(
  path: string,
  { size, mtime, ctime }: { size: number; mtime: number; ctime: number },
  now: number = Date.now(),
): Omit<SourceFile, 'day'> {
  return { path, size, mtime: trusted(mtime, now), ctime: trusted(ctime, now) };
}

/** Whether a file on disk matches the stamp. */
export function sameStamp(
  a: { size: number; mtime: number; ctime: number },
  b: { size: number; mtime: number; ctime: number },
): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}
