import { basename, dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  append,
  decodeBytes,
  ensureFolder,
  openFile,
  readBytes,
  readBytesFrom,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
  writeNew,
} from '../base/fs/index.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { folderInGit } from '../base/git/place.ts';
import { isMadeHere, markAsMade } from '../base/trust/index.ts';
import { readJournal } from './journal.ts';
import type { SessionPaths } from './workspace.ts';

/**
 * The second copy of a journal, in the repository's own folder: `git clean -xfd`, `git stash -a` and a checkout of a
 * branch that has such files take ignored files away without a word. It has the same bytes, and is written after the
 * journal, so that a kill leaves it behind and never ahead. Outside a repository there is none.
 */
export class SecondCopy {
  readonly #paths: SessionPaths;
  readonly #root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly path: string | undefined;

  constructor(paths: SessionPaths, root: string, env: NodeJS.ProcessEnv) {
    const folder = folderInGit(root);
    this.path = folder && join(folder, basename(paths.dir) + FORMAT);
    this.#paths = paths;
    this.#root = root;
    this.#env = env;
  }

  /** Whether it counts instead of the journal: something took that away, or put an older one or git's in its place. */
  get isAhead(): boolean {
    const { path } = this;
    const { journal } = this.#paths;
    const kept = path === undefined ? 0 : getFileSize(path);
    const present = getFileSize(journal);
    if (path === undefined || kept === 0) return false;
    if (present === 0 || readTail(journal, kept).equals(readTail(path, present))) return kept > present;

    if (kept > present && isEmpty(journal)) return true;
    const bytes = attempt(() => readBytes(journal, 'journal'));
    return bytes !== undefined && isLeftByGit(journal, bytes);
  }

  /**
   * Brings it up to date with the journal. Where it cannot be written, such as in a sandbox, there is none.
   * @param before size of the journal before the last change
   */
  keep(before: number): void {
    const { path } = this;
    const { journal } = this.#paths;
    if (path === undefined) return;

    attempt(() => {
      const size = getFileSize(path);
      if (size > 0 && size === before) {
        append(path, 'journal', () => decodeBytes(readFrom(journal, before)), within(path));
        return;
      }

      const folder = dirname(path);
      ensureFolder(folder, 0o700, within(path));
      if (isMadeHere(this.#root, this.#env)) markAsMade(folder, this.#root, this.#env);
      const how = { mode: 0o600, ...within(path) };
      const bytes = readBytes(journal, 'journal') ?? Buffer.alloc(0);
      // Another journal took the place of ours, of which git has no trace left.
      if (size > 0 && !bytes.includes(readTail(path, size)))
        writeAtomically(path.slice(0, -FORMAT.length) + REPLACED, readBytes(path, 'journal') ?? '', how);
      writeAtomically(path, bytes, how);
    });
  }

  /** Writes the journal anew, if this is ahead of it, and those of other sessions that are gone with it. */
  restore(): boolean {
    const { path, isAhead } = this;
    if (path === undefined || !isAhead) return false;

    const { journal, sessions } = this.#paths;
    writeAtomically(journal, readBytes(path, 'journal', within(path)) ?? '');

    for (const name of tryList(dirname(path)).filter((each) => each.endsWith(FORMAT))) {
      const target = join(sessions, name.slice(0, -FORMAT.length), basename(journal));
      const other = join(dirname(path), name);
      if (other === path || tryStat(target) !== undefined) continue;

      attempt(() => {
        ensureFolder(dirname(target));
        writeNew(target, decodeBytes(readBytes(other, 'journal', within(other)) ?? Buffer.alloc(0)));
      });
    }

    return true;
  }

  drop(): void {
    if (this.path !== undefined) tryRemove(this.path);
  }
}

const FORMAT = '.jsonl';
const REPLACED = '.replaced';

const within = (copy: string): { within: string } => ({ within: dirname(dirname(dirname(copy))) });

const getFileSize = (path: string): number => tryStat(path)?.size ?? 0;

function isEmpty(journal: string): boolean {
  const content = attempt(() => readJournal(journal));
  return content !== undefined && content.revisions.length + content.bases.length === 0;
}

function readFrom(path: string, from: number): Buffer {
  const file = openFile(path, 'journal');
  if (file === undefined) return Buffer.alloc(0);

  try {
    return readBytesFrom(file.fd, from, file.stats.size - from);
  } finally {
    file.close();
  }
}

/** Bytes that no two journals share: the last line has an id and a time. */
const TAIL = 256;

/** The last bytes that a file has in common with another one of a size. */
function readTail(path: string, size: number): Buffer {
  const end = Math.min(size, getFileSize(path));
  const from = Math.max(0, end - TAIL);
  return (attempt(() => readFrom(path, from)) ?? Buffer.alloc(0)).subarray(0, end - from);
}
