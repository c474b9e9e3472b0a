import { ScratchpadError } from '../errors.ts';
import type { EntryIndex, IndexedEntry, PastEntry } from './index-file.ts';

/** Versions kept of a name. */
const MOST_VERSIONS = 5;
/** Bytes that all of them may take together in a session; the oldest go first. */
export const MOST_PAST_BYTES = 64 * 1024 * 1024;

/** What a change of the index leaves behind: what was kept before, and what it overwrote or deleted. */
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
 * Puts what a name held before in its place again; what it holds now is kept as the newest version.
 * @param back how many versions back
 * @throws ScratchpadError `refused` when nothing of that name is kept, or not so much
 */
export function bringBack(index: EntryIndex, name: string, back = 1): IndexedEntry {
  const versions = index.past.filter((past) => past.name === name);
  const found = versions.at(-back);
  if (!found && versions.length > 0) {
    throw new ScratchpadError('refused', 'so many versions are not kept: nothing was changed', {
      expected: `a number from 1 to ${versions.length}`,
      found: String(back),
    });
  }
  if (!found) {
    const names = [...new Set(index.past.map((past) => past.name))];
    throw new ScratchpadError('refused', 'no earlier version of that entry is kept: nothing was changed', {
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
