import { refused } from '../base/errors.ts';
import type { EntryIndex, IndexedEntry, PastEntry } from './index-file.ts';

/** Versions kept per name. */
const MOST_VERSIONS = 5;
/** Bytes that all past versions of a session may take together; the oldest are removed first. */
export const MOST_PAST_BYTES = 64 * 1024 * 1024;

/**
 * The past versions after a change of the index: those from before, and what the change overwrote or deleted.
 */
export function pastOf(index: EntryIndex, before: readonly IndexedEntry[], now: string): PastEntry[] {
  const named = new Set(index.entries.map(({ file }) => file));
  const gone = before
    .filter(({ file, readOnly }) => !named.has(file) && !readOnly)
    .map((entry): PastEntry => ({ ...entry, until: now }));
  const versions = new Map<string, number>();
  let bytes = 0;
  const kept = [...index.past, ...gone].reverse().filter((past) => {
    if (named.has(past.file)) return false;
    const count = (versions.get(past.name) ?? 0) + 1;
    if (count > MOST_VERSIONS || bytes + past.bytes > MOST_PAST_BYTES) return false;
    versions.set(past.name, count);
    bytes += past.bytes;
    return true;
  });
  return kept.reverse();
}

/**
 * Restores a past version of a name; the current content becomes the newest past version.
 * @param back how many versions back
 * @throws ScratchpadError `refused` if there is no such version
 */
export function bringBack(index: EntryIndex, name: string, back = 1): IndexedEntry {
  const versions = index.past.filter((past) => past.name === name);
  const found = versions.at(-back);
  if (!found && versions.length > 0) {
    throw refused('so many versions are not kept: nothing was changed', {
      expected: `a number from 1 to ${versions.length}`,
      found: String(back),
    });
  }
  if (!found) {
    const names = [...new Set(index.past.map((past) => past.name))];
    throw refused('no earlier version of that entry is kept: nothing was changed', {
      expected:
        names.length === 0 ? 'an entry that was overwritten or deleted' : `one of ${names.join(', ')}`,
      found: name,
    });
  }
  const { until: _, ...entry } = found;
  index.past = index.past.filter((past) => past !== found);
  index.entries = [...index.entries.filter((other) => other.name !== name), entry];
  return entry;
}
