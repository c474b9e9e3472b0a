import { refused, type ScratchpadError } from '../base/errors.ts';
import {
  DATA_DIR,
  draftFile,
  ensureFolder,
  LARGEST,
  type Lock,
  PAD_FILE,
  tryReadText,
  tryStat,
  withLock,
  writeAtomically,
} from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { claim, mayWrite } from '../base/trust/provenance.ts';
import { sealOf } from '../base/trust/seal.ts';
import { actorOf } from './actor.ts';
import { isKeptBeside, keepBeside, writtenFrom, writtenWhen } from './beside.ts';
import { tellCommit } from './commits.ts';
import { keepConflict, keepOriginal } from './copies.ts';
import type { Author } from './journal.ts';
import {
  appendRevisions,
  compactJournal,
  cutJournal,
  type JournalContent,
  readJournal,
  readLastRevision,
} from './journal-file.ts';
import { keepOrigins, type Origins, readOrigins, recognisePlans, whereIs } from './origins.ts';
import { ONE_PLAN, onePlan, type PlanScope, planScope } from './plan-scope.ts';
import { atHome, ofPlan, type PlanKey, type Plans } from './plans.ts';
import { isTracked, type KnownOfFile } from './reconcile.ts';
import { forkedFrom, sessionEnded } from './running.ts';
import { settledPad } from './settled-pad.ts';
import {
  isStateDue,
  type KeptState,
  keepState,
  keptState,
  stateChange,
  withKeptState,
} from './state-file.ts';
import type { Committed, History, SessionStore, Snapshot, StateChange } from './store.ts';
import { sweepIfDue, sweepSession } from './sweep.ts';
import { type Medium, transact } from './transaction.ts';
import { type PadView, snapshotOf, viewOf } from './view.ts';
import { keyOf, ONE_FOR_ALL, type Place, type PlanRules } from './whose.ts';
import { DEFAULT_PRIMARY, type SessionPaths, sessionPaths } from './workspace.ts';

/** What a seal of a state block covers. */
const STATE = 'state';

/** The host's session that calls, and what its window holds. */
export type As = Pick<Place, 'session' | 'forkedFrom' | 'told'>;

export interface FileStoreOptions {
  /** Id of the primary session. */
  primary?: string;
  now?: () => number;
  /** How long a change waits for another process, if not the default. */
  lockWaitMs?: number;
  env?: NodeJS.ProcessEnv;
  /** See `sessionPaths`. */
  folder?: string;
  /** Throws if a session that does not exist yet must not be created. */
  mayMake?: () => void;
  /** Whether git tracks a new pad. */
  tracked?: boolean;
  /** The caller's working directory; default: the workspace. */
  cwd?: string;
  /** Who makes changes; default: a command. */
  by?: Author;
  /** Which plan is whose, by the settings. */
  rules?: PlanRules;
  /** The host's session, if the environment does not name it. */
  as?: As;
  /** Id of the one plan to see, whoever asks. */
  only?: string;
}

type Decide = Parameters<SessionStore['change']>[0];

/**
 * A session's memory in `SCRATCHPAD.md` and its journal (`docs/files.md`).
 *
 * Order of a write: lock; read and adopt; write the new file beside the old one and flush it;
 * append to the journal and flush it (from here on the change is acknowledged); rename. The
 * steps themselves are in `transaction.ts`.
 */
export class FileStore implements SessionStore {
  readonly paths: SessionPaths;
  readonly #root: string;
  readonly #options: FileStoreOptions;
  readonly #now: () => number;
  readonly #env: NodeJS.ProcessEnv;

  constructor(root: string, session: string, options: FileStoreOptions = {}) {
    this.#root = root;
    this.paths = sessionPaths(root, session, options.primary, options.folder);
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#env = options.env ?? process.env;
  }

  async read(): Promise<Snapshot> {
    const last = readLastRevision(this.paths.journal);
    const view = await this.#view(last);
    const tracked = view.document !== undefined && isTracked(view.document);
    const scope = this.#scope(tracked || this.#options.tracked === true);
    const snapshot = snapshotOf(this.paths.session, view, this.#isOwnState, scope);
    const state = keptState(this.paths, this.#env);
    return this.#withOrigins(withKeptState(snapshot, state), view.reconciled.plans);
  }

  async #view(last = readLastRevision(this.paths.journal)): Promise<PadView> {
    return viewOf(await settledPad(this.paths, this.#root), last, () => this.#journal(), this.#known);
  }

  get #isShared(): boolean {
    return this.paths.session === (this.#options.primary ?? DEFAULT_PRIMARY);
  }

  /** The key of a plan that this caller makes; none in a pad that belongs to one session. */
  get here(): PlanKey | undefined {
    if (!this.#isShared || this.#options.only !== undefined) return undefined;
    const { worktree, ...place } = whereIs(this.#options.cwd ?? this.#root);
    const session = this.#options.as?.session ?? actorOf(this.#env).session;
    return { ...place, worktree: worktree === this.#home ? undefined : worktree, session };
  }

  /** Git's name of the linked work tree that the pad itself is in: no other work tree, as seen from there. */
  get #home(): string | undefined {
    return gitPlace(this.#root)?.linked;
  }

  #journal(): JournalContent {
    return atHome(readJournal(this.paths.journal), this.#home);
  }

  /** How this caller sees the plans of the pad that all share. Any other pad belongs to one session. */
  #scope(tracked: boolean): PlanScope {
    const { data } = this.paths;
    if (!this.#isShared) return ONE_PLAN;
    if (this.#options.only !== undefined) return onePlan(this.#options.only);
    const now = this.#now();
    const { here } = this;
    const forked = here?.session === undefined ? [] : forkedFrom(data, here.session);
    const { branch, ...unbranched } = { ...here, forkedFrom: forked, ...this.#options.as, now };
    const rules = this.#options.rules ?? ONE_FOR_ALL;
    return planScope(
      tracked || branch === undefined ? unbranched : { ...unbranched, branch },
      rules,
      (id, lastSign) => sessionEnded(data, id, now, lastSign),
    );
  }

  #withOrigins(snapshot: Snapshot, plans: Plans = new Map()): Snapshot {
    if (!snapshot.exists) return snapshot;
    const { plan: plain, ...origins }: Origins = readOrigins(this.paths, snapshot.spaces);
    const { plan } = snapshot.seen ?? {};
    // Where there is none, the last that was cleared says when.
    const at = plan?.at ?? Math.max(plain?.at ?? 0, ...[...plans.values()].map((each) => each.at));
    if (at === 0) return { ...snapshot, origins };
    const known = plan && { ...keyOf(plan), ...(plan.actor && { actor: plan.actor }) };
    return { ...snapshot, origins: { ...origins, plan: { at, ...known } } };
  }

  async change(decide: Decide, by: Author = this.#options.by ?? 'cli'): Promise<Committed> {
    const { paths } = this;
    const isNew = tryStat(paths.journal) === undefined && tryStat(paths.pad) === undefined;
    if (!mayWrite(this.#root, this.#env)) {
      throw refused('the workspace belongs to another user: nothing was written', {
        where: this.#root,
        expected: 'a workspace of your own',
        next: {
          to: 'name another workspace; or review this pad, and there trust it',
          command: 'scratchpad trust',
        },
      });
    }
    const deciding = isNew ? await this.#decidedFirst(decide) : decide;
    ensureFolder(paths.dir);
    const done = await this.#locked(deciding, by);
    if (isNew) {
      claim(this.#root, this.#now(), this.#env);
      const { excludeFromGit } = await import('../base/git/exclude.ts');
      // Of a file that is kept out of git a checkout overwrites what it likes: never a pad that git tracks elsewhere.
      const tracked =
        this.#options.tracked ||
        isKeptBeside(
          sessionPaths(this.#root, this.#options.primary ?? DEFAULT_PRIMARY, this.#options.primary),
        );
      if (!tracked) excludeFromGit(this.#root, [PAD_FILE, `${DATA_DIR}/`]);
    }
    if (done.revisions.length > 0) tellCommit(paths);
    return done;
  }

  /** Checks before creating anything: a refused change leaves no empty session behind. */
  async #decidedFirst(decide: Decide): Promise<Decide> {
    this.#options.mayMake?.();
    const before = await this.read();
    const changes = await decide(before);
    return (now) => (now.exists ? decide(now) : changes);
  }

  #locked(decide: Decide, by: Author): Promise<Committed> {
    const { paths } = this;
    return withLock(
      paths.lock,
      async (lock) => {
        if (lock.tookOver) sweepSession(paths);
        sweepIfDue(paths, Date.now());
        let state: StateChange | undefined;
        const deciding: Decide = async (now) => {
          const changes = await decide(this.#withOrigins(now));
          state = changes.findLast((change): change is StateChange => change.kind === 'state');
          return changes;
        };
        const done = await transact(this.#medium(lock), deciding, by, this.#now);
        if (state) {
          this.#seal(state.content);
          if (state.state) this.keepState(state.state);
        }
        if (isTracked(done.document)) {
          const { gitMoment } = await import('../base/git/checked-out.ts');
          keepBeside(paths, done, await gitMoment(paths.pad, done.document.text));
        }
        keepOrigins(paths, done.revisions, this.#options.cwd ?? this.#root);
        compactJournal(paths, this.#root);
        return done;
      },
      this.#options.lockWaitMs,
    );
  }

  readonly #known: KnownOfFile = {
    // Loaded only if the file differs from the journal.
    fromGit: async (text) =>
      (await import('../base/git/checked-out.ts')).isCheckedOut(
        this.paths.pad,
        text,
        writtenWhen(this.paths),
      ),
    unmerged: async () =>
      (await import('../base/git/checked-out.ts')).unmerged(this.paths.pad, writtenWhen(this.paths)),
    stampOf: (text) => writtenFrom(this.paths, text),
    takenAway: async () =>
      isKeptBeside(this.paths) && (await import('../base/git/checked-out.ts')).isTakenAway(this.paths.pad),
    savedAt: () => this.savedAt(),
    recognise: (plans, spaces, journal) => recognisePlans(this.paths, plans, spaces, journal),
  };

  keepState(state: KeptState): boolean {
    try {
      return keepState(this.paths, state, this.#env);
    } catch {
      return false;
    }
  }

  async writeState({ ifStaleAt }: { ifStaleAt?: number } = {}): Promise<void> {
    const state = keptState(this.paths, this.#env);
    const text = tryReadText(this.paths.pad, 'pad');
    if (state === undefined || text === undefined) return;
    if (!isStateDue(text, state, ifStaleAt)) return;
    // What is in the file now: the view of a reader has the newer block already.
    await this.change(() =>
      isStateDue(tryReadText(this.paths.pad, 'pad'), state, ifStaleAt) ? [stateChange(state)] : [],
    );
  }

  /** Without its seal, as after a crash in between, a block is ignored until the next assembly. */
  #seal(state: string): void {
    try {
      const seal = sealOf(STATE, state, this.#env);
      if (seal !== undefined) writeAtomically(this.paths.seal, seal, { durable: false });
    } catch {
      // It may fail, as above; the change itself is done.
    }
  }

  readonly #isOwnState = (state: string): boolean => {
    const seal = tryReadText(this.paths.seal, 'lock');
    return seal !== undefined && seal === sealOf(STATE, state, this.#env);
  };

  async history(): Promise<History> {
    const { reconciled, document } = await this.#view();
    const scope = this.#scope(
      this.#options.tracked === true || (document !== undefined && isTracked(document)),
    );
    return ofPlan(this.#journal(), scope.target('', reconciled.plans, reconciled.shown).id);
  }

  /** The ids of all plans in the pad. */
  async planIds(): Promise<string[]> {
    return [...(await this.#view()).reconciled.plans.keys()];
  }

  savedAt(): number | undefined {
    return tryStat(this.paths.pad)?.mtimeMs;
  }

  #medium(lock: Lock): Medium {
    const { paths } = this;
    const root = this.#root;
    let sizeBefore: number | undefined;
    return {
      session: paths.session,
      actor: actorOf(this.#env),
      readPad: () => settledPad(paths, root),
      lastRevision: () => readLastRevision(paths.journal),
      journal: () => this.#journal(),
      isOwnState: this.#isOwnState,
      tracked: this.#options.tracked,
      known: this.#known,
      scope: (tracked) => this.#scope(tracked),
      keepOriginal: ({ text, problems }) => keepOriginal(paths, root, text ?? '', problems),
      keepConflict: (conflict) => keepConflict(paths, root, conflict),
      prepare: (text) => {
        // Never write a file too large to read back, even if a repair makes it longer.
        if (Buffer.byteLength(text) > LARGEST.pad) throw padTooLarge(paths.pad, text);
        const draft = draftFile(paths.pad, text, { within: root });
        const replace: typeof draft.replace = async (expected) => {
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
        // Do not cut off what somebody else has appended since.
        if (sizeBefore !== undefined && lock.isHeld()) cutJournal(paths.journal, sizeBefore);
      },
    };
  }
}

function padTooLarge(path: string, text: string): ScratchpadError {
  return refused(`${PAD_FILE} would become too large: nothing was changed`, {
    where: path,
    expected: `at most ${LARGEST.pad / 1024} KB`,
    found: `${Math.ceil(Buffer.byteLength(text) / 1024)} KB`,
    next: 'move parts of it into another file or an entry',
  });
}
