import { parsePad } from '../pad/document.ts';
import { withSpaces } from './compose.ts';
import type { FileStore } from './file-store.ts';
import type { Author } from './journal.ts';
import type { PlanKey } from './plans.ts';
import type { KeptState } from './state-file.ts';
import type { Change, Committed, History, SessionStore, Snapshot, StateChange } from './store.ts';
import { another } from './whose.ts';
import type { Workspace } from './workspace.ts';

/** The session in whose folder the state block of a work tree is. */
function worktreeSession(name: string): string {
  return `worktree-${name}`;
}

/** The work tree whose session has this id; `undefined` for any other session. */
export function worktreeOf(session: string): string | undefined {
  return /^worktree-(.+)$/.exec(session)?.[1];
}

/**
 * The memory of a linked work tree: its plan, notes and refs are in the journal of the main one, so that nothing is
 * lost when the work tree is removed. Its state block, which says what is worked on there, is in a folder of its own.
 * Earlier versions kept its plan there, too.
 */
class WorktreeStore implements SessionStore {
  readonly #own: FileStore;
  readonly #repository: FileStore;

  constructor(own: FileStore, repository: FileStore) {
    this.#own = own;
    this.#repository = repository;
  }

  async read(): Promise<Snapshot> {
    return together(await this.#own.read(), await this.#repository.read());
  }

  async change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by?: Author,
  ): Promise<Committed> {
    await this.#takeOver();
    const own = await this.#own.read();
    let states: StateChange[] = [];
    const done = await this.#repository.change(async (now) => {
      const changes = await decide(together(own, now));
      states = changes.filter((change) => change.kind === 'state');
      return changes.filter((change) => change.kind !== 'state');
    }, by);
    const there = states.length > 0 ? await this.#own.change(() => states, by) : own;
    return { ...together(there, done), revisions: done.revisions };
  }

  keepState(state: KeptState): boolean {
    return this.#own.keepState(state);
  }

  writeState(options?: { ifStaleAt?: number }): Promise<void> {
    return this.#own.writeState(options);
  }

  get here(): PlanKey | undefined {
    return this.#repository.here;
  }

  history(): Promise<History> {
    return this.#repository.history();
  }

  /** Moves the plan of an earlier version into the journal of all: first there, so that a kill loses nothing. */
  async #takeOver(): Promise<void> {
    const { exists, spaces, origins } = await this.#own.read();
    const { plan: content } = spaces;
    if (!exists || content.trim() === '') return;
    await this.#repository.change(({ seen }) => {
      const plans = [...(seen?.plan ? [seen.plan] : []), ...(seen?.others ?? [])];
      if (plans.some((plan) => plan.content === content)) return [];
      const { repository, identity, branch, actor } = origins?.plan ?? {};
      const known = new Map(plans.map((plan) => [plan.id, plan]));
      const key = { ...this.#repository.here, repository, identity, branch, session: actor?.session };
      const plan = another(known, key);
      return [{ kind: 'space', space: 'plan', content, op: 'keep', plan }];
    });
    await this.#own.change(() => [{ kind: 'space', space: 'plan', content: '', op: 'moved' }]);
  }
}

/**
 * The stores of a session: the one whose folder has its state and entries, and the one with its memory.
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

function together(own: Snapshot, shared: Snapshot): Snapshot {
  const { plan } = own.spaces;
  // Of an earlier version, until the next change.
  const isOwn = plan.trim() !== '' && shared.seen?.plan === undefined;
  const spaces = isOwn ? { ...shared.spaces, plan } : shared.spaces;
  const { origins, seen } = isOwn ? own : shared;
  return {
    ...shared,
    session: own.session,
    exists: own.exists || shared.exists,
    spaces,
    ...(seen && { seen: { ...seen, others: shared.seen?.others ?? [] } }),
    document: parsePad(withSpaces(own.exists ? own.document : undefined, own.session, spaces)),
    origins: { ...shared.origins, ...(origins?.plan && { plan: origins.plan }) },
    notices: [...own.notices, ...shared.notices],
  };
}
