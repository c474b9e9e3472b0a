import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
    try {
      mkdirSync(dirname(path), { mode: 0o700 });
    } catch {
      // There already; or no workspace, which the write below finds out.
    }
    const temp = `${path}.${process.pid}.tmp`;
    writeFileSync(temp, JSON.stringify(value), { mode: 0o600 });
    renameSync(temp, path);
  } catch {
    // As said above.
  }
}
