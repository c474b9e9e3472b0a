import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasCode } from '../errors.ts';
import { LONGEST_TITLE, piecesOf } from './passages.ts';
import { checkOf, type PassagePlace } from './segment.ts';
import {
  BINARY,
  GONE,
  isInside,
  LARGEST_FILE,
  NOT_A_FILE,
  OUTSIDE,
  realPathOf,
  TOO_LARGE,
  UNREADABLE,
} from './sources.ts';

/** A file's text, or why it is left out. */
export type ReadResult = { text: string; size: number; mtime: number; ctime: number } | { reason: string };

/** Bytes looked at for a NUL, the mark of a binary file. */
const SNIFF = 8192;

/** Reads a memory file whose links are already resolved; follows no further link and never blocks on a pipe. */
export function readSource(real: string): ReadResult {
  let handle: number;
  try {
    handle = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { reason: GONE };
    return { reason: hasCode(error, 'ELOOP', 'EMLINK') ? OUTSIDE : UNREADABLE };
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { reason: NOT_A_FILE };
    if (stat.size > LARGEST_FILE) return { reason: TOO_LARGE };
    const bytes = Buffer.allocUnsafe(stat.size);
    let read = 0;
    while (read < bytes.length) {
      const more = readSync(handle, bytes, read, bytes.length - read, read);
      if (more === 0) break;
      read += more;
    }
    const whole = bytes.subarray(0, read);
    if (whole.subarray(0, SNIFF).includes(0)) return { reason: BINARY };
    return { text: whole.toString('utf8'), size: stat.size, mtime: stat.mtimeMs, ctime: stat.ctimeMs };
  } catch {
    return { reason: UNREADABLE };
  } finally {
    closeSync(handle);
  }
}

/** Reads a file known by its stored path, if it still lies where it may. */
export function readStored(workspace: string, path: string, allowed: readonly string[]): ReadResult {
  const real = realPathOf(resolve(workspace, path));
  if (real === undefined) return { reason: GONE };
  if (!allowed.some((root) => isInside(root, real))) return { reason: OUTSIDE };
  return readSource(real);
}

/** The text of a passage, or undefined when its lines are not what they were. */
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
