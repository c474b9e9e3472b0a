import { parsedObject } from '../base/text/json.ts';
import type { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Revision, type Spaces } from '../session/journal.ts';
import { keyIn, keyOf, type Plan } from '../session/plans.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from '../session/store.ts';

const PREFIX = 'plan~';

/** The name in the shared store of one plan of the pad that all sessions share. */
export const remotePlan = (id: string): string => `${PREFIX}${id}`;

export function planIn(session: string): string | undefined {
  return session.startsWith(PREFIX) ? session.slice(PREFIX.length) : undefined;
}

/**
 * One plan of a journal in the form of a session's pad, as it travels: its text is the plan, its key is a line of
 * notes. The places of this machine stay here.
 */
export class PlanStore implements SessionStore {
  readonly #store: FileStore;
  readonly #id: string;

  /** @param store of the pad that all sessions share, which sees this plan alone */
  constructor(store: FileStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  async read(): Promise<Snapshot> {
    return this.#asPad(await this.#store.read());
  }

  async change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by?: Parameters<SessionStore['change']>[1],
  ): Promise<Committed> {
    const done = await this.#store.change(async (now) => {
      const before = this.#asPad(now);
      const changes = await decide(before);
      if (changes.length === 0) return [];
      const after = { ...before.spaces };
      for (const { space, content } of changes) after[space] = content;
      const { seen } = now;
      const key = { ...seen?.plan, ...keyIn(parsedObject(after.notes) ?? {}) };
      const plan = { ...keyOf(key), id: this.#id, number: seen?.plan?.number ?? 1 };
      const { op, actor } = changes.at(-1) ?? { op: 'pull' };
      return [{ space: 'plan', content: after.plan, op, plan, actor }];
    }, by);
    return { ...this.#asPad(done), revisions: done.revisions };
  }

  async history(): Promise<History> {
    const { revisions, base, skipped } = await this.#store.history();
    const plans = revisions.filter(({ space }) => space === 'plan');
    let known = '';
    // A revision says whose the plan is from then on.
    const both = plans.flatMap((revision): Revision[] => {
      const notes = revision.plan ? keyText(revision.plan) : known;
      if (notes === known) return [revision];
      known = notes;
      return [{ ...revision, space: 'notes', content: notes, id: `${revision.id}-key` }, revision];
    });
    return { revisions: both, base: { ...NO_SPACES, plan: base.plan }, skipped };
  }

  #asPad(snapshot: Snapshot): Snapshot {
    const { plan } = snapshot.seen ?? {};
    const spaces: Spaces =
      plan === undefined ? NO_SPACES : { plan: plan.content, notes: keyText(plan), refs: '' };
    return { ...snapshot, spaces };
  }
}

/** The parts of a key that mean something elsewhere. */
function keyText({
  identity,
  worktree,
  branch,
  session,
}: Pick<Plan, 'identity' | 'worktree' | 'branch' | 'session'>): string {
  return JSON.stringify(keyOf({ identity, worktree, branch, session }));
}
