import { basename, dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  append,
  decodeBytes,
  ensureFolder,
  isInside,
  readBytes,
  readPart,
  resolveRealPath,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
  writeNew,
} from '../base/fs/index.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { findFolderInGit } from '../base/git/place.ts';
import { isMadeHere, isMarked, markFolder } from '../base/trust/index.ts';
import { readJournal } from './journal.ts';
import type { SessionPaths } from './workspace.ts';

/** Why a journal is read from its second copy, as a warning. */
export const RESTORED = {
  gone: 'the journal was gone, as after git clean or git stash: it comes back from its copy in the folder of git, which has no entries',
  foreign:
    "another scratchpad's journal lies in the place of yours: yours is read from its copy in the folder of git",
};

/**
 * The second copy of a journal, in the repository's own folder, because `git clean -xfd`, `git stash -a` and a checkout of
 * a branch with such files remove ignored files silently. It has the same bytes, and is written after the journal, so
 * that after a kill it is behind and never ahead. Outside a repository there is none.
 */
export class SecondCopy {
  readonly #paths: SessionPaths;
  readonly #root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly path: string | undefined;

  constructor(paths: SessionPaths, root: string, env: NodeJS.ProcessEnv) {
    const folder = findFolderInGit(root);
    this.path = folder && join(folder, basename(paths.dir) + FORMAT);
    this.#paths = paths;
    this.#root = root;
    this.#env = env;
  }

  /**
   * Why the journal is read from its copy, if it is: `gone` if the journal was removed or is an older one, `foreign` if it
   * is another scratchpad's, which has no line in common with ours.
   */
  get restores(): keyof typeof RESTORED | undefined {
    const { path } = this;
    const { journal } = this.#paths;
    const copySize = path === undefined ? 0 : getFileSize(path);
    const journalSize = getFileSize(journal);
    if (path === undefined || copySize === 0 || !isInPlace(path)) return undefined;

    const hasSameEnd = journalSize > 0 && readTail(journal, copySize).equals(readTail(path, journalSize));
    if (hasSameEnd && journalSize >= copySize) return undefined;

    const isCopyOurs = isMarked(dirname(path), this.#root, this.#env, COPIED);
    const isJournalGone = hasSameEnd || journalSize === 0 || isEmpty(journal);
    if (isJournalGone) return isCopyOurs || !isMadeHere(this.#root, this.#env) ? 'gone' : undefined;

    const [copied, current] = [path, journal].map((file) => attempt(() => readBytes(file, 'journal')));
    if (copied === undefined || current === undefined) return undefined;
    // The journal was compacted, or the copy could not be written, such as in a sandbox.
    if (current.includes(getLastLine(copied))) return undefined;
    if (copied.includes(getLastLine(current))) return 'gone';

    return isCopyOurs || isLeftByGit(journal, current) ? 'foreign' : undefined;
  }

  /** Whether it could not be written. The journal must not be compacted then: its older changes show whose copy it is. */
  get isBehind(): boolean {
    const { path } = this;
    const size = path === undefined ? 0 : getFileSize(path);
    return size > 0 && size !== getFileSize(this.#paths.journal);
  }

  /**
   * Brings the copy up to date with the journal. Where it cannot be written, such as in a sandbox, there is none.
   * @param sizeBefore of the journal before the last change
   */
  update(sizeBefore: number): void {
    const { path } = this;
    const { journal } = this.#paths;
    if (path === undefined) return;

    attempt(() => {
      const folder = dirname(path);
      if (sizeBefore > 0 && getFileSize(path) === sizeBefore) {
        append(path, 'journal', () => decodeBytes(readPart(journal, 'journal', sizeBefore)), within(path));
        return;
      }

      ensureFolder(folder, 0o700, within(path));
      if (isMadeHere(this.#root, this.#env)) markFolder(folder, this.#root, this.#env);
      markFolder(folder, this.#root, this.#env, COPIED);
      writeAtomically(path, readBytes(journal, 'journal') ?? '', { mode: 0o600, ...within(path) });
    });
  }

  /** Restores the journal, and the journals of other sessions that are gone with it. */
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
/** The mark of a folder of copies that were made here, not unpacked. */
const COPIED = 'copied';

const within = (copy: string): { within: string } => ({ within: dirname(dirname(dirname(copy))) });

const getFileSize = (path: string): number => tryStat(path)?.size ?? 0;

/** Whether a copy lies in this repository, and is no link into another one. */
function isInPlace(copy: string): boolean {
  const [top, real] = [within(copy).within, copy].map(resolveRealPath);
  return top !== undefined && real !== undefined && isInside(top, real);
}

function isEmpty(journal: string): boolean {
  const content = attempt(() => readJournal(journal));
  return content !== undefined && content.revisions.length + content.bases.length === 0;
}

/** The last whole line of a journal, whose id and time no other line has. */
function getLastLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return bytes.subarray(bytes.subarray(0, end).lastIndexOf(10) + 1, end + 1);
}

/** Bytes that hold the last line of a journal, whose id and time no other has. */
const TAIL = 256;

/** The last bytes of a file, or of its beginning if that is longer than another file. */
function readTail(path: string, otherSize: number): Buffer {
  const end = Math.min(otherSize, getFileSize(path));
  const from = Math.max(0, end - TAIL);
  return (attempt(() => readPart(path, 'journal', from)) ?? Buffer.alloc(0)).subarray(0, end - from);
}
