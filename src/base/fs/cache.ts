import { dirname, join } from 'node:path';
import { DATA_DIR, ensureFolder, exists, tryReadJson, writeAtomically } from './index.ts';

/** Path of a workspace's cache file. Everything in that folder may be deleted at any time. */
export function cachePath(root: string, name: string): string {
  return join(root, DATA_DIR, 'cache', name);
}

/** A cached value as parsed; the caller checks its shape. `undefined` if nothing can be read. */
export function readCache(path: string): unknown {
  return tryReadJson(path, 'cache');
}

/**
 * Caches a value for other processes. Failing to write costs only time; and it never turns a directory into a
 * workspace.
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
    // Failing is harmless, as the function's comment says.
  }
}
