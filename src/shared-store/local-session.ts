import { tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { parseObject } from '../base/text/json.ts';
import { keepConflict } from '../session/copies.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES } from '../session/journal.ts';
import { pickKey, pickMark } from '../session/plan-key.ts';
import type { Conflict } from '../session/reconcile.ts';
import type { SessionStore, Snapshot } from '../session/store.ts';
import type { SessionPaths } from '../session/workspace.ts';
import type { StoreMember } from './membership.ts';
import type { PadState } from './types.ts';

interface SyncedState {
  pad?: PadState;
  /** That of the session's files when all of them had been sent. */
  fingerprint?: string;
}

interface SyncFile extends SyncedState {
  /** The workspace's id in the store: the rest is valid for this one only. */
  workspace: string;
  /** The same for each plan of the pad that all sessions share, by its id. */
  plans?: Record<string, SyncedState>;
}

const PLAN = 'plan~';

/** The name in the store of one plan of the pad that all sessions share. */
export const nameRemotePlan = (id: string): string => `${PLAN}${id}`;

export const parsePlanSession = (session: string): string | undefined =>
  session.startsWith(PLAN) ? session.slice(PLAN.length) : undefined;

/** One session of this working copy, or one plan of it, and what of it is synced. */
export class LocalSession {
  readonly store: Pick<SessionStore, 'read' | 'change'>;
  readonly paths: SessionPaths;
  readonly plan: string | undefined;
  readonly #root: string;
  readonly #workspace: string;

  /** @param workspace its id in the store */
  constructor(session: string, { root, config, env }: StoreMember, workspace: string) {
    const { primarySession: primary } = config;
    this.plan = parsePlanSession(session);
    const store = new FileStore(root, this.plan === undefined ? session : primary, { primary, env });
    this.store = this.plan === undefined ? openPadStore(store) : openPlanStore(store, this.plan);
    this.paths = store.paths;
    this.#root = root;
    this.#workspace = workspace;
  }

  get synced(): SyncedState {
    const file = this.#readFile();
    return this.plan === undefined ? file : (file.plans?.[this.plan] ?? {});
  }

  saveSynced(news: SyncedState): void {
    const file = this.#readFile();
    const { plan } = this;
    const next: SyncFile =
      plan === undefined
        ? { ...file, ...news }
        : { ...file, plans: { ...file.plans, [plan]: { ...file.plans?.[plan], ...news } } };
    // A state from before the last exchange only causes a repetition, so it need not survive a power cut.
    writeAtomically(this.paths.shared, `${JSON.stringify(next)}\n`, { durable: false });
  }

  #readFile(): SyncFile {
    const file = (tryReadJson(this.paths.shared, 'record') ?? {}) as Partial<SyncFile>;
    return file.workspace === this.#workspace
      ? { ...file, workspace: this.#workspace }
      : { workspace: this.#workspace };
  }

  keepConflict(conflict: Conflict): string {
    return keepConflict(this.paths, this.#root, conflict);
  }

  /** Of the session's files: while it is the same, there is nothing to send. */
  computeFingerprint(): string {
    const { pad, journal } = this.paths;
    return [pad, journal]
      .map((path) => {
        const stats = tryStat(path);
        return stats === undefined ? '' : `${stats.size}-${stats.mtimeMs}-${stats.ino}`;
      })
      .join('|');
  }
}

/** A pad as it travels: with the plan that has no labels; each other one travels by itself. */
function openPadStore(store: FileStore): LocalSession['store'] {
  const toPad = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    spaces: { ...snapshot.spaces, plan: snapshot.plans?.get('')?.content ?? '' },
  });

  return {
    read: async () => toPad(await store.read()),
    change: async (decide, by) => {
      const result = await store.change(async (now) => {
        const plan = pickMark(now.plans?.get('') ?? { id: '', number: 1 });
        const changes = await decide(toPad(now));
        return changes.map((change) => (change.space === 'plan' ? { ...change, plan } : change));
      }, by);

      return { ...toPad(result), revisions: result.revisions };
    },
  };
}

/**
 * One plan as it travels, in the form of a session's pad: its text is the plan, its key is a line of notes.
 * @param store of the pad that all sessions share
 */
const openPlanStore = (store: FileStore, id: string): LocalSession['store'] => ({
  read: async () => toPlanPad(await store.read(), id),
  change: async (decide, by) => {
    const result = await store.change(async (now) => {
      const before = toPlanPad(now, id);
      const changes = await decide(before);
      if (changes.length === 0) return [];

      const after = { ...before.spaces };
      for (const { space, content } of changes) after[space] = content;
      const old = now.plans?.get(id);
      const key = pickKey({ ...old, ...pickKey(parseObject(after.notes) ?? {}) });
      const plan = { ...key, id, number: old?.number ?? 1 };
      const { op, actor } = changes.at(-1) ?? { op: 'pull' };

      return [{ space: 'plan', content: after.plan, op, plan, actor }];
    }, by);

    return { ...toPlanPad(result, id), revisions: result.revisions };
  },
});

function toPlanPad(snapshot: Snapshot, id: string): Snapshot {
  const plan = snapshot.plans?.get(id);
  if (plan === undefined || plan.content.trim() === '') return { ...snapshot, spaces: NO_SPACES };
  const { content } = plan;
  return { ...snapshot, spaces: { plan: content, notes: JSON.stringify(pickKey(plan)), refs: '' } };
}
