import { join } from 'node:path';
import { tryList, tryStat } from '../base/fs/index.ts';
import { sessionPaths } from '../session/workspace.ts';
import { EntryFiles } from './entry-files.ts';
import { type EntryIndex, INDEX_FILE, type IndexedEntry } from './index-file.ts';

/** How long and how much of the stored outputs to keep. */
export interface KeptLimits {
  /** Maximum age in milliseconds; 0 means no limit. */
  ageMs: number;
  /** Maximum total of a workspace in bytes; 0 means no limit. */
  bytes: number;
}

export interface PrunedEntry {
  name: string;
  bytes: number;
  updated: string;
}

/** The form of automatic names: an output that somebody named or renamed is never removed. */
const AUTOMATIC = /_\d+$/;
const ORIGIN = /^(?:failed )?command: |^tool output: /;

/**
 * Removes outputs with automatic names in all sessions of a workspace: first those over the age, then the
 * oldest until the rest fits the size.
 */
export async function pruneOutputs(
  root: string,
  limits: KeptLimits,
  now: number,
  dryRun = false,
): Promise<PrunedEntry[]> {
  const sessions = join(sessionPaths(root, 'any').sessions);
  const all: { files: EntryFiles; entry: IndexedEntry }[] = [];
  for (const folder of tryList(sessions)) {
    const dir = join(sessions, folder);
    if (!tryStat(join(dir, 'entries', INDEX_FILE))) continue;
    const files = new EntryFiles(
      sessionPaths(root, 'any', undefined, dir),
      () => now,
      () => undefined,
    );
    for (const entry of files.index().entries)
      if (AUTOMATIC.test(entry.name) && ORIGIN.test(entry.origin)) all.push({ files, entry });
  }
  // Compared by code units: loading the language's collation takes longer than everything else here.
  all.sort(({ entry: a }, { entry: b }) => Number(a.updated < b.updated) - Number(a.updated > b.updated));
  let bytes = 0;
  const gone = all.filter(({ entry }) => {
    bytes += entry.bytes;
    const old = limits.ageMs > 0 && now - Date.parse(entry.updated) > limits.ageMs;
    return old || (limits.bytes > 0 && bytes > limits.bytes);
  });
  if (!dryRun) {
    for (const files of new Set(gone.map((each) => each.files))) {
      const names = new Set(gone.filter((each) => each.files === files).map(({ entry }) => entry.file));
      // Permanently: past versions of removed outputs would take the same space.
      const without = (index: EntryIndex): void => {
        index.entries = index.entries.filter(({ file }) => !names.has(file));
      };
      await files.change(without, { contained: true });
    }
  }
  return gone.map(({ entry: { name, bytes: size, updated } }) => ({ name, bytes: size, updated }));
}
