import { dirname, join } from 'node:path';
import { DATA_DIR, ensureFolder, exists, tryReadJson, writeAtomically } from './index.ts';

/** Path of a cache file of a workspace. Whatever lies in that folder can be deleted at any time. */
export function cachePath(root: string, name: string): string {
  return join(root, DATA_DIR, 'cache', name);
}

/** What was kept, as it was parsed: the caller checks its shape. `undefined` when there is nothing readable. */
export function readCache(path: string): unknown {
  return tryReadJson(path, 'cache');
}

/**
 * Keeps a value for other processes. A cache that cannot be written costs time, nothing else;
 * and it never makes a directory into a workspace that was none.
 */
export function writeCache(path: string, value: unknown): void {
  const folder = dirname(path);
  try {
    if (!exists(folder)) {
      if (!exists(dirname(folder))) return;
      ensureFolder(folder);
    }
    writeAtomically(path, JSON.stringify(value), { durable: false });
  } catch {
    // As said above.
  }
}
