import { basename, dirname, join } from 'node:path';
import { tried } from '../base/errors.ts';
import {
  append,
  bytesAt,
  decodeBytes,
  ensureFolder,
  exists,
  openFile,
  readBytes,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
  writeNew,
} from '../base/fs/index.ts';
import { folderInGit, gitPlace } from '../base/git/place.ts';
import { isMadeHere, markAsMade } from '../base/trust/index.ts';
import type { SessionPaths } from './workspace.ts';

/**
 * A second copy of the journals, in the repository's own folder: `git clean -xfd`, `git stash -a` and a checkout of a
 * branch that has such files take ignored files away without a word. It has the same bytes, and is written after the
 * journal, so that a kill leaves it behind and never ahead.
 */
const FORMAT = '.jsonl';

/** The copy of a session's journal; `undefined` outside a repository. */
export function copyOf({ dir }: Pick<SessionPaths, 'dir'>, root: string): string | undefined {
  const folder = folderInGit(root);
  return folder && join(folder, basename(dir) + FORMAT);
}

export function hasCopies(root: string): boolean {
  const folder = folderInGit(root);
  return folder !== undefined && tryList(folder).some((name) => name.endsWith(FORMAT));
}

/** Whether a repository has copies of any workspace in it. */
export function hasCopiesHere(folder: string): boolean {
  const place = gitPlace(folder);
  return place !== undefined && exists(join(place.gitDir, 'scratchpad'));
}

const within = (copy: string): { within: string } => ({ within: dirname(dirname(dirname(copy))) });

/**
 * Brings the copy up to date with the journal. Where it cannot be written, such as in a sandbox, there is none.
 * @param before size of the journal before the last change
 */
export function keepCopy(
  journal: string,
  copy: string,
  before: number,
  root: string,
  env: NodeJS.ProcessEnv,
): void {
  tried(() => {
    const size = tryStat(copy)?.size ?? 0;
    if (size > 0 && size === before) {
      append(copy, 'journal', () => decodeBytes(tailOf(journal, before)), within(copy));
      return;
    }
    const folder = dirname(copy);
    ensureFolder(folder, 0o700, within(copy));
    if (isMadeHere(root, env)) markAsMade(folder, root, env);
    writeAtomically(copy, readBytes(journal, 'journal') ?? '', { mode: 0o600, ...within(copy) });
  });
}

function tailOf(journal: string, from: number): Buffer {
  const file = openFile(journal, 'journal');
  if (file === undefined) return Buffer.alloc(0);
  try {
    return bytesAt(file.fd, from, file.stats.size - from);
  } finally {
    file.close();
  }
}

/** Whether a copy has what the journal had, and more: something took the journal away, or put an older one there. */
export function isAhead(copy: string, journal: string): boolean {
  const [kept, present] = [tryStat(copy)?.size ?? 0, tryStat(journal)?.size ?? 0];
  if (kept <= present) return false;
  if (present === 0) return true;
  const bytes = tried(() => readBytes(copy, 'journal', within(copy)));
  return (
    bytes !== undefined &&
    tried(() => readBytes(journal, 'journal'))?.equals(bytes.subarray(0, present)) === true
  );
}

/** Writes a journal anew from its copy, and those of the other sessions that are gone with it. */
export function restoreJournals(copy: string, { journal, sessions }: SessionPaths): void {
  writeAtomically(journal, readBytes(copy, 'journal', within(copy)) ?? '');
  for (const name of tryList(dirname(copy)).filter((each) => each.endsWith(FORMAT))) {
    const path = join(sessions, name.slice(0, -FORMAT.length), basename(journal));
    const other = join(dirname(copy), name);
    if (other === copy || tryStat(path) !== undefined) continue;
    tried(() => {
      ensureFolder(dirname(path));
      writeNew(path, decodeBytes(readBytes(other, 'journal', within(other)) ?? Buffer.alloc(0)));
    });
  }
}

/** Removes the copy of a session that is put away or deleted. */
export function dropCopy(paths: SessionPaths, root: string): void {
  const copy = copyOf(paths, root);
  if (copy !== undefined) tryRemove(copy);
}
