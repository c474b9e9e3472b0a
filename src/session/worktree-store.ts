import { parsePad } from '../pad/document.ts';
import { withSpaces } from './compose.ts';
import type { FileStore } from './file-store.ts';
import type { Author, Revision } from './journal.ts';
import type { KeptState } from './state-file.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';
import type { Workspace } from './workspace.ts';

/** The session that holds the separate parts of one work tree. */
function worktreeSession(name: string): string {
  return `worktree-${name}`;
}

/** The work tree whose session has this id; `undefined` for any other session. */
export function worktreeOf(session: string): string | undefined {
  return /^worktree-(.+)$/.exec(session)?.[1];
}

/**
 * The memory of a linked work tree: it has its own plan and state block, and shares notes and refs with the
 * repository. Both are stored in the workspace of the main work tree, so that nothing is lost when the work tree is
 * removed.
 */
class WorktreeStore implements SessionStore {
  readonly #own: FileStore;
  readonly #repository: FileStore;
  /** For the numbers of `history`, those that the revisions have in their own. */
  #numbers: ReadonlyMap<number, number> = new Map();

  constructor(own: FileStore, repository: FileStore) {
    this.#own = own;
    this.#repository = repository;
  }

  async read(): Promise<Snapshot> {
    return together(await this.#own.read(), await this.#repository.read());
  }

  /** Both are locked while `decide` runs, always in the same order. */
  async change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by?: Author,
  ): Promise<Committed> {
    let shared: Committed | undefined;
    let own: readonly Change[] = [];
    const done = await this.#own.change(async (ownNow) => {
      // Called once: changes already made in the repository are not repeated.
      shared ??= await this.#repository.change(async (sharedNow) => {
        const changes = (await decide(together(ownNow, sharedNow))).map((change) =>
          change.kind === 'state' || change.of === undefined
            ? change
            : { ...change, of: this.#numbers.get(change.of) ?? change.of },
        );
        own = changes.filter(belongsToWorktree);
        return changes.filter((change) => !belongsToWorktree(change));
      }, by);
      return own;
    }, by);
    if (shared === undefined) return done;
    const changed = shared.revisions.length > 0 ? shared : done;
    const revisions = [...shared.revisions, ...done.revisions];
    return { ...together(done, shared), revision: changed.revision, revisions };
  }

  keepState(state: KeptState): boolean {
    return this.#own.keepState(state);
  }

  writeState(options?: { ifStaleAt?: number }): Promise<void> {
    return this.#own.writeState(options);
  }

  /** Both histories as one, by time; numbered anew, since each counts by itself. */
  async history(): Promise<History> {
    const [own, shared] = [await this.#own.history(), await this.#repository.history()];
    const here = own.revisions.filter(({ space }) => space === 'plan');
    const there = shared.revisions.filter(({ space }) => space !== 'plan');
    const both = [...here, ...there].sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
    const numbers = new Map(both.map((revision, k) => [keyOf(revision), k + 1]));
    this.#numbers = new Map(both.map(({ rev }, k) => [k + 1, rev]));
    const revisions = both.map(({ of, ...revision }, k) => {
      const number = of === undefined ? undefined : numbers.get(keyOf({ space: revision.space, rev: of }));
      return { ...revision, rev: k + 1, ...(number === undefined ? {} : { of: number }) };
    });
    const base = { ...shared.base, plan: own.base.plan };
    return { revisions, base, skipped: own.skipped + shared.skipped };
  }
}

/** Which revision of the two histories: the plan's numbers are one session's, all others the other's. */
function keyOf({ space, rev }: Pick<Revision, 'space' | 'rev'>): string {
  return `${space === 'plan'} ${rev}`;
}

/**
 * The stores of a session: its own, and the combined one.
 * @param asked the session that was named
 * @param apart whether work trees have their own plans
 * @param open opens the store of a session
 */
export function storesFor(
  { worktree }: Workspace,
  asked: string | undefined,
  { primarySession, apart }: { primarySession: string; apart: boolean },
  open: (session: string) => FileStore,
): { own: FileStore; whole: SessionStore } {
  if (asked !== undefined || worktree === undefined || !apart) {
    const own = open(asked ?? primarySession);
    return { own, whole: own };
  }
  const own = open(worktreeSession(worktree));
  return { own, whole: new WorktreeStore(own, open(primarySession)) };
}

function belongsToWorktree(change: Change): boolean {
  return change.kind === 'state' || change.space === 'plan';
}

function together(own: Snapshot, shared: Snapshot): Snapshot {
  const spaces = { plan: own.spaces.plan, notes: shared.spaces.notes, refs: shared.spaces.refs };
  const { plan } = own.origins ?? {};
  const { notes, refs } = shared.origins ?? {};
  return {
    ...own,
    exists: own.exists || shared.exists,
    spaces,
    edits: { ...shared.edits, plan: own.edits?.plan },
    document: parsePad(withSpaces(own.exists ? own.document : undefined, own.session, spaces)),
    origins: { ...(plan && { plan }), ...(notes && { notes }), ...(refs && { refs }) },
    ...(own.conflicted || shared.conflicted ? { conflicted: true } : {}),
    notices: [...own.notices, ...shared.notices],
  };
}
