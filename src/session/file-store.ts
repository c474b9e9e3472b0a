import { parsePad } from '../pad/document.ts';
import { draftFile, ensureDataDir, modifiedWithin, readTextFile } from './files.ts';
import type { Author } from './journal.ts';
import {
  appendRevisions,
  compactJournal,
  cutJournal,
  readJournal,
  readLastRevision,
} from './journal-file.ts';
import { keepConflict, keepOriginal, sweep } from './keepsakes.ts';
import { type Lock, withLock } from './lock.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';
import { type Medium, transact } from './transaction.ts';
import { snapshotOf, viewOf } from './view.ts';
import { checkDataDir, type SessionPaths, sessionPaths, writableTarget } from './workspace.ts';

/** An editor that saves in place empties the file and then fills it: so often and so long it is looked at again. */
const UNFINISHED_LOOKS = 8;
const UNFINISHED_PAUSE_MS = 15;
const SWEEP_CHANCE = 1 / 64;
/** What has looked unfinished for longer than this is so for good. */
const UNFINISHED_FOR_MS = 1000;

/**
 * A session's memory in `SCRATCHPAD.md` and its journal (`docs/format.md`).
 *
 * Order of a write: lock; read and adopt; write the new file beside the old one and flush it;
 * append to the journal and flush it (from here on the change is acknowledged); rename. The
 * steps themselves are in `transaction.ts`.
 */
export class FileStore implements SessionStore {
  readonly paths: SessionPaths;
  readonly #root: string;
  readonly #now: () => number;
  readonly #lockWaitMs: number | undefined;

  /** @param options `lockWaitMs`: how long a change waits for another process, if not as usual */
  constructor(
    root: string,
    session: string,
    options: { primary?: string; now?: () => number; lockWaitMs?: number } = {},
  ) {
    this.#root = root;
    this.paths = sessionPaths(root, session, options.primary);
    this.#now = options.now ?? Date.now;
    this.#lockWaitMs = options.lockWaitMs;
  }

  async read(): Promise<Snapshot> {
    const last = readLastRevision(this.paths.journal);
    const view = await viewOf(await this.#readPad(), last, () => readJournal(this.paths.journal));
    return snapshotOf(this.paths.session, view);
  }

  async change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by: Author = 'cli',
  ): Promise<Committed> {
    const { paths } = this;
    checkDataDir(this.#root, [paths.sessions, paths.dir, paths.recovered, paths.conflicts]);
    const target = writableTarget(paths.pad, this.#root);
    ensureDataDir(paths.data, paths.dir);
    return withLock(
      paths.lock,
      async (lock) => {
        // A process that is killed on its way to the lock leaves a small file too, but no lock to tell of it.
        if (lock.tookOver || Math.random() < SWEEP_CHANCE) sweep(paths);
        const done = await transact(this.#medium(target, lock), decide, by, this.#now);
        compactJournal(paths.journal, paths.session, this.#root);
        return done;
      },
      this.#lockWaitMs,
    );
  }

  async history(): Promise<History> {
    return readJournal(this.paths.journal);
  }

  #medium(target: string, lock: Lock): Medium {
    const { paths } = this;
    const root = this.#root;
    let sizeBefore: number | undefined;
    return {
      session: paths.session,
      readPad: () => this.#readPad(),
      lastRevision: () => readLastRevision(paths.journal),
      journal: () => readJournal(paths.journal),
      keepOriginal: ({ text, problems }) => keepOriginal(paths, root, text ?? '', problems),
      keepConflict: (conflict) => keepConflict(paths, root, conflict),
      prepare: (text) => {
        const draft = draftFile(target, text);
        const replace: typeof draft.replace = (expected) => {
          lock.check();
          return draft.replace(expected);
        };
        return { replace, discard: draft.discard };
      },
      append: (revisions) => {
        lock.check();
        const size = appendRevisions(paths.journal, paths.session, root, revisions);
        sizeBefore ??= size;
      },
      rollBack: () => {
        // What somebody else appended since is not ours to cut off.
        if (sizeBefore !== undefined && lock.isHeld()) cutJournal(paths.journal, sizeBefore);
      },
    };
  }

  async #readPad(): Promise<string | undefined> {
    const { pad, journal } = this.paths;
    for (let look = 0; ; look += 1) {
      const text = readTextFile(pad);
      if (look === UNFINISHED_LOOKS || !looksUnfinished(text)) return text;
      // A file that is not there may be between two renames of an editor, if there was one.
      const recent = modifiedWithin(UNFINISHED_FOR_MS, text === undefined ? journal : pad);
      if (!recent) return text;
      await new Promise((resolve) => setTimeout(resolve, UNFINISHED_PAUSE_MS));
    }
  }
}

function looksUnfinished(text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return true;
  return parsePad(text).problems.some(({ kind }) => kind.endsWith('-unclosed'));
}
