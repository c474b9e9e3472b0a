import { parsePad } from '../pad/document.ts';
import { withSpaces } from './compose.ts';
import type { FileStore } from './file-store.ts';
import type { Author } from './journal.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';
import type { Workspace } from './workspace.ts';

/** The session that holds what belongs to one work tree. */
export function worktreeSession(name: string): string {
  return `worktree-${name}`;
}

/** The work tree whose session has this id; `undefined` for any other session. */
export function worktreeOf(session: string): string | undefined {
  return /^worktree-(.+)$/.exec(session)?.[1];
}

/**
 * The memory of a linked work tree: its plan and its state block are its own, notes and refs are those of the
 * repository. Both stand in the workspace of the main work tree, so that nothing goes when the work tree is removed.
 */
export class WorktreeStore implements SessionStore {
  readonly #own: FileStore;
  readonly #repository: FileStore;

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
      // Asked once: what the repository was given is not given again.
      shared ??= await this.#repository.change(async (sharedNow) => {
        const changes = await decide(together(ownNow, sharedNow));
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

  /** Of what belongs to the work tree; that of the repository is the primary session's. */
  history(): Promise<History> {
    return this.#own.history();
  }
}

/**
 * The stores of a session: its own, and what it has all in all.
 * @param asked the session that was named
 * @param apart whether work trees have plans of their own
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
    document: parsePad(withSpaces(own.exists ? own.document : undefined, own.session, spaces)),
    origins: { ...(plan && { plan }), ...(notes && { notes }), ...(refs && { refs }) },
    ...(own.conflicted || shared.conflicted ? { conflicted: true } : {}),
    notices: [...own.notices, ...shared.notices],
  };
}
