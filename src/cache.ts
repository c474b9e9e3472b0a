import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from './errors.ts';

/** Path of a cache file of a workspace. Whatever lies in that folder can be deleted at any time. */
export function cachePath(root: string, name: string): string {
  return join(root, '.scratchpad', 'cache', name);
}

/** What was kept, as it was parsed: the caller checks its shape. `undefined` when there is nothing readable. */
export function readCache(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Keeps a value for other processes. A cache that cannot be written costs time, nothing else;
 * and it never makes a directory into a workspace that was none.
 */
export function writeCache(path: string, value: unknown): void {
  try {
    const temp = `${path}.${process.pid}.tmp`;
    const content = JSON.stringify(value);
    try {
      writeFileSync(temp, content, { mode: 0o600 });
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      // The folder alone may be missing; where there is no workspace this fails again.
      mkdirSync(dirname(path), { mode: 0o700 });
      writeFileSync(temp, content, { mode: 0o600 });
    }
    discard(path);
    renameSync(temp, path);
  } catch {
    // As said above.
  }
}

/** Where a file takes the place of another, ext4 writes it to the disk at once, which no cache is worth: half a millisecond. */
function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Nothing was kept yet.
  }
}

/**
 * The same for what is written at every turn: over what is there, since a new file is the dearest part of a small one,
 * on a disk that has just lost thousands a millisecond. Who reads while it is written, or after a kill, may find two
 * halves: so one mark stands at both ends.
 */
export function overwriteCache(path: string, value: unknown): void {
  const mark = `${process.pid} ${Date.now()}`;
  const content = { begun: mark, value, ended: mark };
  if (!overwritten(path, JSON.stringify(content))) writeCache(path, content);
}

/** What `overwriteCache` kept; `undefined` when there is none, or no whole one. */
export function readOverwritten(path: string): unknown {
  const kept = readCache(path) as { begun?: unknown; value?: unknown; ended?: unknown } | null | undefined;
  return typeof kept?.begun === 'string' && kept.begun === kept.ended ? kept.value : undefined;
}

/** Only where a file of its own is there, under no other name: a link could lead anywhere. */
function overwritten(path: string, content: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.nlink !== 1) return false;
    const bytes = Buffer.from(content);
    if (writeSync(file, bytes, 0, bytes.length, 0) !== bytes.length) return false;
    if (stats.size > bytes.length) ftruncateSync(file, bytes.length);
    return true;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
