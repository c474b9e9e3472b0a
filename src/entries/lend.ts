import { join } from 'node:path';
import { exists, linkOrCopy } from '../base/fs/index.ts';
import type { FileEntries } from './file-entries.ts';
import type { IndexedEntry } from './index-file.ts';
import { noEntry } from './refusals.ts';

export interface LendOptions {
  /** Which entries; all if not given. */
  names?: readonly string[];
  /** The session that lends them: they are read-only then. If not given they are copies. */
  lentBy?: string;
}

/**
 * Gives another session entries of this one. Contents never change, so both sessions may name the same file
 * (a hard link): nothing is copied, and later changes in one session do not affect the other.
 * @throws ScratchpadError `refused` if an entry does not exist; nothing is given then
 */
export async function giveEntries(
  from: FileEntries,
  to: FileEntries,
  options: LendOptions = {},
): Promise<number> {
  const { entries } = from.files.index();
  const { names = entries.map(({ name }) => name), lentBy } = options;
  const given = names.map((name) => {
    const entry = entries.find((candidate) => candidate.name === name);
    if (!entry) throw noEntry(name, entries);
    return entry;
  });
  if (given.length === 0) return 0;
  await to.files.change((index) => {
    const linked = given.map(({ owner: _, ...entry }): IndexedEntry => {
      link(join(from.files.dir, entry.file), join(to.files.dir, entry.file));
      return lentBy === undefined ? entry : { ...entry, origin: `lent by ${lentBy}`, readOnly: true };
    });
    index.entries = [...index.entries.filter(({ name }) => !names.includes(name)), ...linked];
  });
  return given.length;
}

function link(source: string, target: string): void {
  if (!exists(target)) linkOrCopy(source, target);
}
