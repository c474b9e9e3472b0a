import { join } from 'node:path';
import { exists, linkOrCopy, tryList, tryStat } from '../base/fs/index.ts';
import { hasSessionEnded } from '../session/actor.ts';
import { getSessionPaths } from '../session/workspace.ts';
import { FileEntries } from './file-entries.ts';
import { INDEX_FILE, requireEntry } from './index-file.ts';
import type { EntryIndex, IndexedEntry } from './types.ts';

/** The sessions of a workspace that have, or had, entries: the folder of each, and when its entries last changed. */
export function listAllEntries(
  root: string,
  now?: () => number,
): { dir: string; entries: FileEntries; at: number }[] {
  const { sessions } = getSessionPaths(root, 'any');
  return tryList(sessions).flatMap((folder) => {
    const dir = join(sessions, folder);
    const entries = new FileEntries(getSessionPaths(root, 'any', undefined, dir), { now });
    const at = tryStat(join(entries.dir, INDEX_FILE))?.mtimeMs;
    return at === undefined ? [] : [{ dir, at, entries }];
  });
}

interface OutputLimits {
  /** Maximum age in milliseconds; 0 means no limit. */
  ageMs: number;
  /** Maximum total of the outputs in a workspace, in bytes; 0 means no limit. */
  bytes: number;
}

const AUTOMATIC_NAME = /_\d+$/;
const OUTPUT_ORIGIN = /^command: |^tool output: /;

/**
 * Removes entries that are over the age: outputs with automatic names, and entries of agents whose session has ended. Then
 * removes the oldest outputs until the rest fits the size. Entries that were renamed, or written by a person, stay.
 */
export async function pruneEntries(root: string, limits: OutputLimits, now: number): Promise<void> {
  const { data } = getSessionPaths(root, 'any');
  const hasEnded = (owner: string | undefined): boolean =>
    owner !== undefined && hasSessionEnded(data, owner, now);
  const isOutput = ({ name, origin }: IndexedEntry): boolean =>
    AUTOMATIC_NAME.test(name) && OUTPUT_ORIGIN.test(origin);
  const candidates = listAllEntries(root, () => now).flatMap(({ entries }) =>
    entries
      .index()
      .entries.filter((entry) => entry.kept !== true && (isOutput(entry) || hasEnded(entry.owner)))
      .map((entry) => ({ entries, entry, isOutput: isOutput(entry) })),
  );

  // Newest first, by code units: loading the language's collation takes longer than everything else here.
  candidates.sort(
    ({ entry: a }, { entry: b }) => Number(a.updated < b.updated) - Number(a.updated > b.updated),
  );
  let bytes = 0;
  const gone = candidates.filter(({ entry, isOutput }) => {
    if (isOutput) bytes += entry.bytes;
    const isOld = limits.ageMs > 0 && now - Date.parse(entry.updated) > limits.ageMs;
    return isOld || (isOutput && limits.bytes > 0 && bytes > limits.bytes);
  });

  for (const entries of new Set(gone.map((each) => each.entries))) {
    const files = new Set(gone.filter((each) => each.entries === entries).map(({ entry }) => entry.file));
    // Past versions would take the same space.
    const removeOwn = (index: EntryIndex): void => {
      index.entries = index.entries.filter(({ file }) => !files.has(file));
    };
    await entries.change(removeOwn, { withoutPast: true });
  }
}

export interface LendOptions {
  names?: readonly string[];
  /** The session that lends them read-only; without it they are copies. */
  lentBy?: string;
}

/**
 * Gives another session entries of this one. Content files never change, so both sessions can have the same file (a hard
 * link): nothing is copied, and later changes in one session do not affect the other.
 * @throws ScratchpadError `refused` if an entry does not exist; no entry is given then
 */
export async function giveEntries(
  from: FileEntries,
  to: FileEntries,
  { names, lentBy }: LendOptions = {},
): Promise<void> {
  const source = from.index();
  const wanted = names?.map((name) => requireEntry(source, name)) ?? source.entries;
  if (wanted.length === 0) return;

  await to.change((index) => {
    const linked = wanted.map(({ owner: _, kept: __, ...entry }): IndexedEntry => {
      const target = join(to.dir, entry.file);
      if (!exists(target)) linkOrCopy(join(from.dir, entry.file), target);
      return lentBy === undefined ? entry : { ...entry, origin: `lent by ${lentBy}`, readOnly: true };
    });

    const linkedNames = new Set(linked.map(({ name }) => name));
    index.entries = [...index.entries.filter(({ name }) => !linkedNames.has(name)), ...linked];
  });
}
