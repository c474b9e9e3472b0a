import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
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
