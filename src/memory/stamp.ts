import type { SourceFile } from './segment.ts';

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
