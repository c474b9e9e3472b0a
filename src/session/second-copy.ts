import { basename, dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  append,
  decodeBytes,
  ensureFolder,
  isInside,
  openFile,
  readBytes,
  readBytesFrom,
  resolveRealPath,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
  writeNew,
} from '../base/fs/index.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { folderInGit } from '../base/git/place.ts';
import { isMadeHere, isMarked, markFolder } from '../base/trust/index.ts';
import { readJournal } from './journal.ts';
import type { SessionPaths } from './workspace.ts';

/** Why a journal is read from its second copy, as a warning. */
export const RESTORED = {
  gone: 'the journal was gone, as after git clean or git stash: it comes back from its copy in the folder of git',
  foreign:
    "another scratchpad's journal lies in the place of yours: yours is read from its copy in the folder of git",
};

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

  /**
   * Why it counts instead of the journal: `gone` if that was taken away or is an older one, `foreign` if it is another
   * scratchpad's, which has no line in common with ours.
   */
  get restores(): keyof typeof RESTORED | undefined {
    const { path } = this;
    const { journal } = this.#paths;
    const copySize = path === undefined ? 0 : getFileSize(path);
    const journalSize = getFileSize(journal);
    if (path === undefined || copySize === 0 || !isInPlace(path)) return undefined;

    const hasSameEnd = journalSize > 0 && readTail(journal, copySize).equals(readTail(path, journalSize));
    if (hasSameEnd && journalSize >= copySize) return undefined;

    const isOurs = isMarked(dirname(path), this.#root, this.#env, COPIED);
    if (hasSameEnd || journalSize === 0 || isEmpty(journal))
      return isOurs || !isMadeHere(this.#root, this.#env) ? 'gone' : undefined;

    const [ours, theirs] = [path, journal].map((file) => attempt(() => readBytes(file, 'journal')));
    // A compacted journal, or a copy that a sandbox kept from being written.
    if (ours === undefined || theirs === undefined || theirs.includes(getLastLine(ours))) return undefined;
    if (ours.includes(getLastLine(theirs))) return 'gone';
    return isOurs || isLeftByGit(journal, theirs) ? 'foreign' : undefined;
  }

  /** Whether it could not be written: the journal must keep its older changes then, which show whose copy it is. */
  get isBehind(): boolean {
    const { path } = this;
    const size = path === undefined ? 0 : getFileSize(path);
    return size > 0 && size !== getFileSize(this.#paths.journal);
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
      const folder = dirname(path);
      const size = getFileSize(path);
      if (size > 0 && size === before) {
        append(path, 'journal', () => decodeBytes(readFrom(journal, before)), within(path));
        return;
      }

      ensureFolder(folder, 0o700, within(path));
      if (isMadeHere(this.#root, this.#env)) markFolder(folder, this.#root, this.#env);
      markFolder(folder, this.#root, this.#env, COPIED);
      writeAtomically(path, readBytes(journal, 'journal') ?? '', { mode: 0o600, ...within(path) });
    });
  }

  /** Writes the journal anew, if this counts instead, and those of other sessions that are gone with it. */
  restore(): void {
    const { path } = this;
    if (path === undefined || this.restores === undefined) return;

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
  }

  drop(): void {
    if (this.path !== undefined) tryRemove(this.path);
  }
}

const FORMAT = '.jsonl';
/** A mark in the folder of the copies: they were made here, not unpacked. */
const COPIED = 'copied';

const within = (copy: string): { within: string } => ({ within: dirname(dirname(dirname(copy))) });

const getFileSize = (path: string): number => tryStat(path)?.size ?? 0;

/** Whether it is no link to the copy of another repository. */
function isInPlace(copy: string): boolean {
  const [top, real] = [within(copy).within, copy].map(resolveRealPath);
  return top !== undefined && real !== undefined && isInside(top, real);
}

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

/** The last whole line of a journal: its id and time are in no other. */
function getLastLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return bytes.subarray(bytes.subarray(0, end).lastIndexOf(10) + 1, end + 1);
}

/** In bytes: no two journals share their last line, which has an id and a time. */
const TAIL = 256;

/** The last bytes that a file has in common with another one of a size. */
function readTail(path: string, size: number): Buffer {
  const end = Math.min(size, getFileSize(path));
  const from = Math.max(0, end - TAIL);
  return (attempt(() => readFrom(path, from)) ?? Buffer.alloc(0)).subarray(0, end - from);
}
