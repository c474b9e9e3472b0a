import { join } from 'node:path';
import { tryList, tryStat } from '../fs/index.ts';
import { sessionPaths } from '../session/workspace.ts';
import { EntryFiles } from './entry-files.ts';
import { type EntryIndex, INDEX_FILE, type IndexedEntry } from './index-file.ts';

/** How long and how much of kept outputs stays. */
export interface KeptLimits {
  /** Milliseconds since an output was kept; 0: for ever. */
  ageMs: number;
  /** Bytes of all of them in a workspace; 0: any number. */
  bytes: number;
}

/** An output that went. */
export interface PrunedEntry {
  name: string;
  bytes: number;
  updated: string;
}

/** Names that outputs are kept under by themselves: one that was renamed, or named, is somebody's and stays. */
const AUTOMATIC = /_\d+$/;
const ORIGIN = /^(?:failed )?command: |^tool output: /;

/**
 * Removes outputs that were kept by themselves, in all sessions of a workspace: those past the age, then the oldest
 * until the rest is within the size.
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
  // By characters: in the order of a language, the first comparison costs as much as all the rest.
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
      // For good: what is kept of deleted entries would be as large.
      const without = (index: EntryIndex): void => {
        index.entries = index.entries.filter(({ file }) => !names.has(file));
      };
      await files.change(without, { contained: true });
    }
  }
  return gone.map(({ entry: { name, bytes: size, updated } }) => ({ name, bytes: size, updated }));
}
