import { ScratchpadError } from '../errors.ts';
import type { EntryIndex, IndexedEntry, PastEntry } from './index-file.ts';
import { readOnly } from './refusals.ts';

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
 * @throws ScratchpadError `refused` when nothing of that name is kept
 */
export function bringBack(index: EntryIndex, name: string): IndexedEntry {
  const found = index.past.findLast((past) => past.name === name);
  if (!found) {
    const names = [...new Set(index.past.map((past) => past.name))];
    throw new ScratchpadError('refused', 'no earlier version of that entry is kept: nothing was changed', {
      expected:
        names.length === 0 ? 'an entry that was overwritten or deleted' : `one of ${names.join(', ')}`,
      found: name,
    });
  }
  const present = index.entries.find((entry) => entry.name === name);
  if (present?.readOnly) throw readOnly(present);
  const { until: _, ...entry } = found;
  index.past = index.past.filter((past) => past !== found);
  index.entries = [...index.entries.filter((other) => other.name !== name), entry];
  return entry;
}
