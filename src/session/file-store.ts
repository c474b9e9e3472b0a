import { attempt } from '../base/errors.ts';
import {
  DATA_DIR,
  encodeBytes,
  ensureFolder,
  exists,
  type Lock,
  PAD_FILE,
  sweepTemporary,
  tryReadText,
  tryStat,
  withLock,
} from '../base/fs/index.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { findGitPlace, formerNames } from '../base/git/place.ts';
import { claim, judgeProvenance, mayWrite, sealText } from '../base/trust/index.ts';
import { parsePad } from '../pad/document.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { detectActor, hasSessionEnded, listForkOrigins } from './actor.ts';
import { composeFile, draftPad } from './compose.ts';
import { keepCopies, sweepSession } from './copies.ts';
import {
  type Author,
  appendRevisions,
  compactJournal,
  cutJournal,
  type Revision,
  readJournal,
} from './journal.ts';
import {
  filterHistory,
  makeSinglePlanScope,
  type PlanKey,
  type PlanScope,
  planScope,
  readFolderKey,
} from './plans.ts';
import { isKeptBeside, isTracked, keepBeside } from './reconcile.ts';
import { SecondCopy } from './second-copy.ts';
import { type KeptState, keepState, readKeptState, withStamp } from './state-file.ts';
import type {
  Change,
  CommitResult,
  FileStoreOptions,
  History,
  PadStore,
  SessionStore,
  Snapshot,
} from './store.ts';

import {
  assertWritable,
  buildView,
  healDocument,
  makeSnapshot,
  type PadView,
  RESTORED,
  readSettledPad,
} from './view.ts';
import {
  DEFAULT_PRIMARY,
  foreignWorkspace,
  getSessionPaths,
  nameWorktreeSession,
  replacedByGit,
  type SessionPaths,
  tellCommit,
  type Workspace,
} from './workspace.ts';

export type { FileStoreOptions } from './store.ts';

type Decide = Parameters<SessionStore['change']>[0];

/** If a person keeps saving while we write, each version is merged, up to a limit. */
const ATTEMPTS = 20;
const KEEPS_CHANGING =
  'the file keeps being saved by another program: it will show the change after the next command';

export class FileStore implements PadStore {
  /** The folder of its state and entries; of a linked work tree, one of its own. */
  readonly paths: SessionPaths;
  readonly #pad: SessionPaths;
  readonly #root: string;
  readonly #options: FileStoreOptions;
  readonly #now: () => number;
  readonly #env: NodeJS.ProcessEnv;
  readonly #isShared: boolean;
  /** None of a session that is not in its place yet. */
  readonly #copy: SecondCopy | undefined;

  constructor(root: string, session: string, options: FileStoreOptions = {}) {
    const { primary = DEFAULT_PRIMARY, folder, worktree } = options;
    this.#isShared = session === primary;
    this.#root = root;
    this.#pad = getSessionPaths(root, session, primary, folder);
    this.paths =
      worktree === undefined
        ? this.#pad
        : { ...getSessionPaths(root, nameWorktreeSession(worktree), primary), pad: this.#pad.pad };
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#env = options.env ?? process.env;
    if (folder === undefined) this.#copy = new SecondCopy(this.#pad, root, this.#env);
  }

  async read(): Promise<Snapshot> {
    return this.#makeSnapshot(await this.#readView());
  }

  async #readView(text?: string): Promise<PadView> {
    const file = text ?? (await readSettledPad(this.#pad, this.#root));
    const copy = this.#copy?.isAhead ? this.#copy.path : undefined;
    const journal = readJournal(copy ?? this.#pad.journal);
    const isRestored = copy !== undefined;
    const view = { ...(await buildView(file, journal, this.#pad)), isRestored };
    // The primary pad is judged with its workspace.
    const isEdited = file !== undefined && !this.#isShared && view.reconciled.adoptions.length > 0;
    if (!isEdited || !isLeftByGit(this.#pad.pad, encodeBytes(file))) return view;

    return { ...(await buildView(undefined, journal, this.#pad)), text: file, isRestored, isReplaced: true };
  }

  /** The state that was assembled here, as long as the file says. */
  #kept({ stamp }: PadView): KeptState | undefined {
    const state = readKeptState(this.paths, this.#env);
    return state && withStamp(state, stamp);
  }

  #makeSnapshot(view: PadView, scope = this.#getScope(view), state = this.#kept(view)): Snapshot {
    const { session } = this.paths;
    return makeSnapshot(session, view, state, scope, { savedAt: this.savedAt(), branch: this.here?.branch });
  }

  /** The key of a plan that this caller makes; none in a pad that belongs to one session. */
  get here(): PlanKey | undefined {
    if (!this.#isShared || this.#options.only !== undefined) return undefined;
    const { worktree, ...place } = readFolderKey(this.#options.cwd ?? this.#root);
    const session = this.#options.as?.session ?? detectActor(this.#env).session;
    const isElsewhere = worktree !== undefined && worktree !== this.#home;
    return { ...place, worktree: isElsewhere ? worktree : undefined, session };
  }

  /** Git's name of the linked work tree that the pad itself is in: no other work tree, as seen from there. */
  get #home(): string | undefined {
    return findGitPlace(this.#root)?.linked;
  }

  #isTracked({ document }: PadView): boolean {
    return this.#options.tracked === true || (document !== undefined && isTracked(document));
  }

  /** How this caller sees the plans. In a file that git tracks they have no branch, because git keeps one for each. */
  #getScope(view: PadView): PlanScope {
    const { only, as } = this.#options;
    if (!this.#isShared || only !== undefined) return makeSinglePlanScope(only ?? '');
    const { data } = this.#pad;
    const { here } = this;
    const now = this.#now();
    const forked = here?.session === undefined ? [] : listForkOrigins(data, here.session);
    const branch = this.#isTracked(view) ? undefined : here?.branch;
    const hasEnded = (id: string, lastSign: number): boolean => hasSessionEnded(data, id, now, lastSign);
    const git = branch === undefined ? undefined : findGitPlace(this.#options.cwd ?? this.#root);
    const formerBranches = git && formerNames(git);
    return planScope({ ...here, forkedFrom: forked, ...as, branch, formerBranches, now, hasEnded });
  }

  change(decide: Decide, by: Author = this.#options.by ?? 'cli'): Promise<CommitResult> {
    return this.#commit(decide, by);
  }

  async #commit(decide: Decide, by: Author, state?: KeptState): Promise<CommitResult> {
    const { primary, tracked } = this.#options;
    const paths = this.#pad;
    const isNew = tryStat(paths.journal) === undefined && tryStat(paths.pad) === undefined;
    if (!mayWrite(this.#root, this.#env)) throw foreignWorkspace(this.#root);
    // A stranger's text would become ours, and stay when git takes the file away again.
    const provenance = judgeProvenance(this.#root, this.#env);
    if (provenance.isReplaced) throw replacedByGit(this.#pad.pad);
    const deciding = isNew ? await this.#decideFirst(decide) : decide;
    // Loaded before anything is written: what fails after the change is there must not be said to have failed.
    const { excludeFromGit } = isNew ? await import('../base/git/exclude.ts') : {};
    // Marked by this caller's environment, which need not be that of the process.
    if (isNew) {
      ensureFolder(paths.data);
      claim(this.#root, this.#env, { creates: true });
    }
    for (const { dir } of new Set([paths, this.paths])) ensureFolder(dir);
    const done = await withLock(
      paths.lock,
      async (lock) => {
        if (lock.tookOver) sweepSession(paths);
        sweepTemporary(paths.data);
        const isRestored = this.#copy?.restore();
        const done = await this.#runTransaction(lock, deciding, by, state);
        const isWritten = tryReadText(paths.pad, 'pad') === done.document.text;
        if (provenance.spaces === 'own' && this.#isShared && isWritten)
          sealText(this.#root, done.document.text, this.#env);
        if (state) this.keepState(state);
        if (isTracked(done.document)) await keepBeside(paths, done);
        compactJournal(paths, this.#root);
        return isRestored ? { ...done, notices: [RESTORED, ...done.notices] } : done;
      },
      this.#options.lockWaitMs,
    );
    // Of a file that is kept out of git a checkout overwrites what it likes: never a pad that git tracks elsewhere.
    const main = excludeFromGit && getSessionPaths(this.#root, primary ?? DEFAULT_PRIMARY, primary);
    if (main && !tracked && !isKeptBeside(main)) excludeFromGit(this.#root, [PAD_FILE, `${DATA_DIR}/`]);
    if (done.revisions.length > 0) tellCommit(paths);
    return done;
  }

  /** Checks before creating anything: a refused change leaves no empty session behind. */
  async #decideFirst(decide: Decide): Promise<Decide> {
    this.#options.mayMake?.();
    const before = await this.read();
    const changes = await decide(before);
    return (now) => (now.exists ? decide(now) : changes);
  }

  /**
   * One change. The new file is prepared before the journal is written, so that a full disk stops the change before
   * it begins, and replaces the old one afterwards. A kill in between leaves the journal ahead, and the next command
   * renders from it. If a person saves meanwhile, their text is merged, and the change continues with it.
   */
  async #runTransaction(lock: Lock, decide: Decide, by: Author, state?: KeptState): Promise<CommitResult> {
    const revisions: Revision[] = [];
    const notices = new Set<string>();
    let changes: readonly Change[] | undefined;
    let sizeBefore: number | undefined;
    /** A person's text that was briefly in the file, and the text that replaced it. */
    let overwritten: { text: string; by: string } | undefined;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const onDisk = overwritten?.by ?? (await readSettledPad(this.#pad, this.#root));
        const view = await this.#readView(overwritten?.text ?? onDisk);
        overwritten = undefined;
        assertWritable(view, this.#pad.pad);
        const scope = this.#getScope(view);
        const keptState = this.#kept(view);
        changes ??= await decide(this.#makeSnapshot(view, scope, keptState));
        for (const notice of keepCopies(this.#pad, this.#root, view)) notices.add(notice);
        const { reconciled, journal } = view;
        const composed = composeFile({
          session: this.#pad.session,
          document: await healDocument(view),
          ...{ changes, reconciled, by, scope },
          // The file has the state of the main work tree.
          ...(this.paths === this.#pad && { kept: keptState, state }),
          last: journal.revisions.at(-1),
          actor: detectActor(this.#env),
          tracked: this.#options.tracked,
          now: this.#now(),
        });
        // Where a checkout took the file away, an empty one would only stand in the way of the next checkout.
        const nothing = reconciled.takenAway && SPACE_NAMES.every((space) => composed.spaces[space] === '');
        const isDue = composed.text !== onDisk && !nothing;
        const prepared = isDue ? draftPad(this.#pad.pad, this.#root, composed.text) : undefined;
        try {
          if (composed.revisions.length > 0) {
            lock.check();
            const { journal, session } = this.#pad;
            const size = appendRevisions(journal, session, this.#root, composed.revisions);
            sizeBefore ??= size;
            this.#copy?.keep(size);
          }
        } catch (error) {
          prepared?.discard();
          throw error;
        }
        revisions.push(...composed.revisions);
        lock.check();
        const result = (await prepared?.replace(onDisk)) ?? { done: true };
        if (result.overwritten !== undefined) overwritten = { text: result.overwritten, by: composed.text };
        const again = !result.done || overwritten !== undefined;
        // Text that is no longer in the file must be merged, however often.
        if (again && (attempt < ATTEMPTS || overwritten)) {
          // They are journalled by now.
          changes = [];
          continue;
        }
        if (again) notices.add(KEEPS_CHANGING);
        const seen = scope.see(composed.plans, composed.shown);
        return {
          session: this.paths.session,
          exists: true,
          document: parsePad(composed.text),
          spaces: { ...composed.spaces, plan: seen.plan?.content ?? '' },
          seen,
          revision: composed.revision,
          revisions,
          notices: [...notices],
        };
      }
    } catch (error) {
      // Do not cut off what somebody else has appended since.
      if (sizeBefore !== undefined && lock.isHeld())
        for (const path of [this.#pad.journal, this.#copy?.path])
          if (path !== undefined) cutJournal(path, sizeBefore);
      throw error;
    }
  }

  keepState(state: KeptState): boolean {
    return attempt(() => this.#keepState(state)) ?? false;
  }

  #keepState(state: KeptState): boolean {
    // A journal without revisions says only that an older tool's session was looked for.
    if (!exists(this.#pad.pad) && readJournal(this.#pad.journal).revisions.length === 0) return false;
    if (this.paths !== this.#pad && exists(this.#pad.dir)) ensureFolder(this.paths.dir);
    return keepState(this.paths, state, this.#env);
  }

  async writeState(state?: KeptState): Promise<readonly string[]> {
    if (state === undefined) {
      const [there, { state: kept, document }] = [tryReadText(this.#pad.pad, 'pad'), await this.read()];
      const isDue = kept !== undefined && there !== undefined && document.text !== there;
      if (!isDue || this.paths !== this.#pad) return [];
    }
    return (await this.#commit(() => [], this.#options.by ?? 'cli', state)).notices;
  }

  async history(): Promise<History> {
    const view = await this.#readView();
    const { plans, shown } = view.reconciled;
    return filterHistory(view.journal, this.#getScope(view).target('', plans, shown).id);
  }

  async planIds(): Promise<string[]> {
    return [...(await this.#readView()).reconciled.plans.keys()];
  }

  savedAt(): number | undefined {
    return tryStat(this.#pad.pad)?.mtimeMs;
  }
}

/** The store that a caller sees: a linked work tree has plans, state and entries of its own. */
export function openStore(
  { root, worktree }: Pick<Workspace, 'root' | 'worktree'>,
  asked: string | undefined,
  { primarySession: primary }: { primarySession: string },
  options: FileStoreOptions,
): FileStore {
  const apart = asked === undefined ? worktree : undefined;
  return new FileStore(root, asked ?? primary, { primary, ...options, worktree: apart });
}
