import { attempt, refusal } from '../base/errors.ts';
import {
  ensureFolder,
  exists,
  type Lock,
  type Replacement,
  sweepTemporary,
  tryReadText,
  tryStat,
  withLock,
} from '../base/fs/index.ts';
import { forgetGitPlaces } from '../base/git/place.ts';
import { judgeProvenance, mayWrite, sealText } from '../base/trust/index.ts';
import { parsePad } from '../pad/document.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { detectActor } from './actor.ts';
import { composeFile, draftPad } from './compose.ts';
import { keepCopies, restoreJournal, sweepSession } from './copies.ts';
import { beginPad } from './first-pad.ts';
import {
  type Author,
  appendRevisions,
  compactJournal,
  cutJournal,
  type Revision,
  readJournal,
} from './journal.ts';
import type { PlanKey } from './plan-key.ts';
import { findPlaces, type PlanPlaces, readCallerKey } from './plan-places.ts';
import { choosePlanToChange, filterHistory, findUndonePlan, findVisiblePlan } from './plans.ts';
import { isTracked, writeTrackedRecord } from './reconcile.ts';
import { SecondCopy } from './second-copy.ts';
import { applyAdoptions, makeSnapshot } from './snapshot.ts';
import { type KeptState, keepState, readKeptState, withStamp } from './state-file.ts';
import type { Change, CommitResult, Decide, FileStoreOptions, History, PadStore, Snapshot } from './store.ts';
import {
  assertWritable,
  buildView,
  healDocument,
  isStrange,
  listPendingEdits,
  type PadView,
  readSettledPad,
} from './view.ts';
import {
  DEFAULT_PRIMARY,
  getSessionPaths,
  nameWorktreeSession,
  refuseForeignWorkspace,
  refuseGitReplacement,
  type SessionPaths,
  tellCommit,
  type Workspace,
} from './workspace.ts';

/** How often to merge and try again while a person keeps saving the file. */
const MOST_ATTEMPTS = 20;
const BUSY = 'the file keeps being saved by another program: it will show the change after the next command';

interface Transaction {
  lock: Lock;
  decide: Decide;
  by: Author;
  state: KeptState | undefined;
  isApproved: boolean;
  /** The changes that are still to be journalled; `undefined` before they were decided. */
  changes?: readonly Change[];
  revisions: Revision[];
  notices: Set<string>;
  sizeBefore?: number;
}

export class FileStore implements PadStore {
  /** Paths of the state and the entries; a linked work tree has its own. */
  readonly paths: SessionPaths;
  /** Paths of the pad and its journal, which a linked work tree shares with the main one. */
  readonly #padPaths: SessionPaths;
  readonly #root: string;
  readonly #options: FileStoreOptions;
  readonly #env: NodeJS.ProcessEnv;
  /** Whether it is the workspace's primary pad, which all sessions share. */
  readonly #isShared: boolean;
  /** `undefined` while a session is created in a temporary folder. */
  readonly #copy: SecondCopy | undefined;

  constructor(root: string, session: string, options: FileStoreOptions = {}) {
    const { primary = DEFAULT_PRIMARY, folder, worktree } = options;
    this.#isShared = session === primary;
    this.#root = root;
    this.#padPaths = getSessionPaths(root, session, primary, folder);
    this.paths =
      worktree === undefined
        ? this.#padPaths
        : { ...getSessionPaths(root, nameWorktreeSession(worktree), primary), pad: this.#padPaths.pad };
    this.#options = options;
    this.#env = options.env ?? process.env;
    if (folder === undefined) this.#copy = new SecondCopy(this.#padPaths, root, this.#env);
  }

  async read(): Promise<Snapshot> {
    return this.#makeSnapshot(await this.#readView());
  }

  async #readView(text?: string): Promise<PadView> {
    const file = text ?? (await readSettledPad(this.#padPaths, this.#root));
    const restores = this.#copy?.restores;
    // A copy that has a reason to be read has a path.
    const journal = readJournal((restores && this.#copy?.path) ?? this.#padPaths.journal);
    const view = { ...(await buildView(file, journal, this.#padPaths)), restores };
    if (!isStrange(view, this.#padPaths, this.#isShared ? this.#root : undefined, this.#env)) return view;

    const journalView = await buildView(undefined, journal, this.#padPaths);
    return { ...journalView, text: file, restores, isReplaced: true };
  }

  /** The state that was assembled here last, with the lifetime that the file gives it. */
  #readState({ stamp }: PadView): KeptState | undefined {
    const state = readKeptState(this.paths, this.#env);
    return state && withStamp(state, stamp);
  }

  #makeSnapshot(view: PadView, places = this.#findPlaces(view), state = this.#readState(view)): Snapshot {
    const facts = { savedAt: this.savedAt(), branch: this.here?.branch };
    return makeSnapshot(this.paths.session, view, state, places, facts);
  }

  get here(): PlanKey | undefined {
    return this.#isShared ? readCallerKey(this.#root, this.#options) : undefined;
  }

  #findPlaces({ document }: PadView): PlanPlaces {
    const tracked = this.#options.tracked === true || (document !== undefined && isTracked(document));
    return findPlaces(this.#root, this.#padPaths.data, this.#options, this.here, tracked);
  }

  /** @param state to be rendered into the file with the change */
  async change(
    decide: Decide,
    by: Author = this.#options.by ?? 'cli',
    state?: KeptState,
  ): Promise<CommitResult> {
    const paths = this.#padPaths;
    if (!mayWrite(this.#root, this.#env)) throw refuseForeignWorkspace(this.#root);

    // A stranger's text would become ours, and stay when git takes the file away again.
    const provenance = judgeProvenance(this.#root, this.#env);
    if (provenance.isReplaced) throw refuseGitReplacement(paths.pad);

    const isNew = !exists(paths.journal) && !exists(paths.pad);
    const decideNow = isNew ? await this.#decideFirst(decide) : decide;
    const excludeFromGit = isNew ? await beginPad(this.#root, this.#options, this.#env) : undefined;
    for (const { dir } of new Set([paths, this.paths])) ensureFolder(dir);

    const request = { decide: decideNow, by, state, isApproved: provenance.spaces === 'own' };
    const commit = (lock: Lock): Promise<CommitResult> =>
      this.#changeLocked({ ...request, lock, revisions: [], notices: new Set() });
    const result = await withLock(paths.lock, commit, this.#options.lockWaitMs);

    excludeFromGit?.();
    if (result.revisions.length > 0) tellCommit(paths);

    return result;
  }

  async #changeLocked(transaction: Transaction): Promise<CommitResult> {
    const { state, isApproved, notices } = transaction;
    const paths = this.#padPaths;
    const copy = this.#copy;
    forgetGitPlaces();
    sweepSession(paths);
    sweepTemporary(paths.data);
    if (copy?.restores) assertWritable(await this.#readView(), paths.pad);
    const restored = copy ? restoreJournal(copy, paths, this.#root) : [];
    for (const notice of [...(this.#options.notices ?? []), ...restored]) notices.add(notice);

    const result = await this.#runTransaction(transaction);

    const { text } = result.document;
    const isWritten = tryReadText(paths.pad, 'pad') === text;
    if (isApproved && this.#isShared && isWritten) sealText(this.#root, text, this.#env);
    if (state) this.keepState(state);
    if (isTracked(result.document)) writeTrackedRecord(paths, result);
    if (!copy?.isBehind) compactJournal(paths, this.#root);

    return result;
  }

  /** Checks before creating anything: a refused change leaves no empty session behind. */
  async #decideFirst(decide: Decide): Promise<Decide> {
    this.#options.assertCanCreate?.();
    const changes = await decide(await this.read());
    return (now) => (now.exists ? decide(now) : changes);
  }

  /**
   * One change. The new file is prepared before the journal is written, so that a full disk stops the change before
   * it begins, and replaces the old one afterwards. A kill in between leaves the journal ahead, and the next command
   * renders from it. If a person saves meanwhile, their text is merged, and the change continues with it.
   */
  async #runTransaction(transaction: Transaction): Promise<CommitResult> {
    const { lock, notices } = transaction;
    try {
      let onDisk = await readSettledPad(this.#padPaths, this.#root);
      let text = onDisk;
      for (let count = 1; ; count += 1) {
        const { replacement, result } = await this.#tryChange(transaction, text, onDisk);
        const isTooBusy = replacement.result === 'targetChanged' && count >= MOST_ATTEMPTS;
        if (isTooBusy) notices.add(BUSY);
        if (isTooBusy || replacement.result === 'written') return { ...result, notices: [...notices] };

        const hasOverwritten = replacement.result === 'lostSave';
        onDisk = hasOverwritten ? result.document.text : await readSettledPad(this.#padPaths, this.#root);
        // Text that is no longer in the file must be merged, however often.
        text = hasOverwritten ? replacement.text : onDisk;
      }
    } catch (error) {
      // Without the lock, somebody else may have appended since.
      if (transaction.sizeBefore !== undefined && lock.isHeld()) {
        cutJournal(this.#padPaths.journal, transaction.sizeBefore);
        if (this.#copy?.path) cutJournal(this.#copy.path, transaction.sizeBefore);
      }
      throw error;
    }
  }

  /**
   * Makes one attempt to journal a change and to replace the file by one that has it.
   * @param text to merge: the one on disk, or a person's that was there for a moment
   * @returns what became of the file, and the result of the change
   */
  async #tryChange(transaction: Transaction, text: string | undefined, onDisk: string | undefined) {
    const { lock, decide, by, state, notices } = transaction;
    const view = await this.#readView(text);
    assertWritable(view, this.#padPaths.pad);
    const places = this.#findPlaces(view);
    const kept = transaction.isApproved ? this.#readState(view) : undefined;
    const changes = transaction.changes ?? (await decide(this.#makeSnapshot(view, places, kept)));
    for (const notice of keepCopies(this.#padPaths, this.#root, view)) notices.add(notice);

    const { reconciled, journal } = view;
    const composed = composeFile({
      session: this.#padPaths.session,
      document: await healDocument(view),
      ...{ changes, reconciled, by, places },
      // The file has the state of the main work tree.
      ...(this.paths === this.#padPaths && { kept, state }),
      last: journal.revisions.at(-1),
      actor: detectActor(this.#env),
      tracked: this.#options.tracked,
    });
    // An empty file would only be in the way of the next checkout, where one has removed it.
    const isEmpty = SPACE_NAMES.every((space) => composed.spaces[space] === '');
    const isUnchanged = composed.text === onDisk || (isEmpty && reconciled.wasRemovedByCheckout);
    const draft = isUnchanged ? undefined : draftPad(this.#padPaths.pad, this.#root, composed.text);

    try {
      if (composed.revisions.length > 0) this.#journal(transaction, composed.revisions);
    } catch (error) {
      draft?.discard();
      throw error;
    }

    // Another attempt must not journal them again.
    transaction.changes = [];
    transaction.revisions.push(...composed.revisions);
    lock.check();
    const replacement: Replacement = (await draft?.replace(onDisk, 'pad')) ?? { result: 'written' };
    const { plans, revision } = composed;
    const seen = findVisiblePlan(plans, places.caller);
    const result = {
      ...{ session: this.paths.session, exists: true, document: parsePad(composed.text) },
      ...{ plans, seen, revision, revisions: transaction.revisions },
      spaces: { ...composed.spaces, plan: seen.plan?.content ?? '' },
    };

    return { replacement, result };
  }

  /** Writes the revisions to the journal; from then on the change counts. */
  #journal(transaction: Transaction, revisions: readonly Revision[]): void {
    transaction.lock.check();
    const size = appendRevisions(this.#padPaths, this.#root, revisions);
    transaction.sizeBefore ??= size;
    this.#copy?.update(size);
  }

  keepState(state: KeptState): boolean {
    const keep = (): boolean => {
      // A journal without revisions only records that an older tool's session was looked for.
      const { pad, journal } = this.#padPaths;
      if (!exists(pad) && readJournal(journal).revisions.length === 0) return false;
      if (this.paths !== this.#padPaths && exists(this.#padPaths.dir)) ensureFolder(this.paths.dir);
      return keepState(this.paths, state, this.#env);
    };
    return attempt(keep) ?? false;
  }

  async writeState(state?: KeptState): Promise<readonly string[]> {
    // Without a request nothing is written into a file that is a stranger's, or the person's own.
    const { spaces, isReplaced, withheld } = judgeProvenance(this.#root, this.#env);
    if (spaces === 'untrusted' && state === undefined) return [];
    if (spaces === 'untrusted' && !isReplaced)
      throw refusal('the scratchpad is not approved: no state was written', {
        found: withheld,
        next: { to: 'approve it', command: 'scratchpad trust' },
      });

    if (state === undefined) {
      const { state: kept, document, isBehind } = await this.read();
      const hasOwnBlock = this.paths === this.#padPaths && kept !== undefined;
      const file = hasOwnBlock ? tryReadText(this.#padPaths.pad, 'pad') : undefined;
      if (isBehind !== true && (file === undefined || document.text === file)) return [];
    }

    return (await this.change(() => [], undefined, state)).notices;
  }

  async history(which: 'visible' | 'undone' = 'visible'): Promise<History> {
    const view = await this.#readView();
    const { reconciled, journal } = view;
    const { caller, file } = this.#findPlaces(view);
    const savedAt = this.savedAt() ?? (this.#options.now ?? Date.now)();
    const plans = applyAdoptions(reconciled, file, savedAt);
    const undone = which === 'undone' ? findUndonePlan(journal.revisions, caller) : undefined;
    const plan = undone ?? choosePlanToChange('', plans, caller).id;
    const history = filterHistory(journal, plan);
    const present = { ...reconciled.spaces, plan: plans.get(plan)?.content ?? '' };
    const pending = listPendingEdits(view, history, present, savedAt);

    return { ...history, revisions: [...history.revisions, ...pending] };
  }

  savedAt(): number | undefined {
    return tryStat(this.#padPaths.pad)?.mtimeMs;
  }
}

/** The store that a caller sees: a linked work tree has plans, state and entries of its own. */
export function openStore(
  { root, worktree }: Pick<Workspace, 'root' | 'worktree'>,
  session: string | undefined,
  { primarySession: primary }: { primarySession: string },
  options: FileStoreOptions,
): FileStore {
  const ownWorktree = session === undefined ? worktree : undefined;
  return new FileStore(root, session ?? primary, { primary, ...options, worktree: ownWorktree });
}
