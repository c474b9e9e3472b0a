import { tryStat } from '../base/fs/index.ts';
import { defuse } from '../base/safety/index.ts';
import { type PlansHere, plansHere } from '../core/scope.ts';
import type { PadSpaces } from '../ledger/spaces.ts';
import type { SpaceName } from '../pad/markers.ts';
import { FileStore, type FileStoreOptions, storeFor } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import type { Snapshot } from '../session/store.ts';
import type { Session } from './session.ts';

/** What the model is told of the pads: the spaces, and one line for each other open plan. */
export interface PadsHere {
  spaces: PadSpaces;
  others: PlansHere['others'];
}

/** Starts after which the window holds nothing that was said before. */
const BEGINS = new Set(['startup', 'clear']);

/** The pads at an event: the shared one, and the session's own. */
export class SessionPads {
  readonly #at: Session;
  /** The memory of this work tree: a linked one has its own plan, and the repository's notes and refs. */
  readonly view: FileStore;
  readonly #storeOf: (session: string) => FileStore;
  #shared: Promise<Snapshot> | undefined;
  #here: Promise<PadsHere> | undefined;

  /**
   * @param clock epoch milliseconds
   * @param lockWaitMs how long a change may wait for another process
   */
  constructor(at: Session, clock: () => number, lockWaitMs: number) {
    const { config, input, env, memory, root, worktree } = at;
    const { primarySession: primary } = config;
    const { session, cwd = root, source = '' } = input;
    const { forkedFrom } = memory;
    const told = at.planTold && !BEGINS.has(source);
    const as = { told, session, forkedFrom };
    this.#at = at;
    const options: FileStoreOptions = { now: clock, lockWaitMs, env, cwd, as };
    this.#storeOf = (id) => new FileStore(root, id, { primary, ...options });
    this.view = storeFor({ root, worktree }, undefined, config, options);
  }

  /** The shared spaces and this session's own; none of an untrusted workspace. */
  async spaces(): Promise<PadSpaces> {
    if (this.#at.provenance.spaces === 'untrusted') return { shared: NO_SPACES, own: NO_SPACES };
    const { spaces } = await this.shared();
    return { shared: spaces, own: await this.#own() };
  }

  /** The same for the model: with what is said of the plan, and the other open plans. */
  here(): Promise<PadsHere> {
    this.#here ??= this.#readHere();
    return this.#here;
  }

  async #readHere(): Promise<PadsHere> {
    const pads = await this.spaces();
    if (this.#at.provenance.spaces === 'untrusted') return { spaces: pads, others: [] };
    const { env, host, input, now, root, planTold: told } = this.#at;
    const { seen } = await this.shared();
    const oneShot = host.isOneShot?.(input, env) ?? false;
    const asking = { now, root, told, oneShot };
    const { spaces: shared, fact, others } = plansHere({ spaces: pads.shared, seen }, asking);
    const { plan } = seen ?? {};
    const isShown = plan !== undefined && shared.plan !== '';
    return {
      spaces: {
        ...pads,
        shared,
        // Where others have plans, having none here is not a change of the one that was said.
        planAside: !isShown && others.length > 0,
        planId: isShown ? plan.id : undefined,
        planOf: isShown && plan.branch !== undefined ? `of ${defuse(plan.branch)}` : undefined,
        planFact: fact,
      },
      others,
    };
  }

  /** Who last changed a space of a pad; `undefined` if the journal does not say. */
  async changedBy(pad: 'shared' | 'own', space: SpaceName): Promise<string | undefined> {
    const store = pad === 'shared' ? this.view : this.#ownStore();
    try {
      // An edit that is not in the journal yet.
      const { edits } = pad === 'shared' ? await this.shared() : ((await store?.read()) ?? {});
      const by = edits?.[space];
      if (by !== undefined) return by === 'git' ? undefined : 'by hand';
      const last = (await store?.history())?.revisions.findLast((revision) => revision.space === space);
      return last?.by === 'edit' || last?.by === 'merge' ? 'by hand' : undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaces an archived pad by an empty one. */
  async renew(): Promise<void> {
    await this.view.change(() => []);
    this.#shared = undefined;
    this.#here = undefined;
  }

  /** Records edits by a person in the journal. */
  async adoptEdits(): Promise<void> {
    for (const store of [this.view, this.#ownStore()]) {
      try {
        await store?.change(() => []);
      } catch (error) {
        this.#at.fault("a person's edits", error);
      }
    }
  }

  /** The pad that all sessions share, read once per event. */
  shared(): Promise<Snapshot> {
    this.#shared ??= this.view.read();
    return this.#shared;
  }

  async #own(): Promise<Spaces> {
    try {
      return (await this.#ownStore()?.read())?.spaces ?? NO_SPACES;
    } catch (error) {
      this.#at.fault("the session's own pad", error);
      return NO_SPACES;
    }
  }

  /** The session's own store, if it is not empty. */
  #ownStore(): FileStore | undefined {
    const { session } = this.#at.input;
    if (session === undefined || session === this.#at.config.primarySession) return undefined;
    try {
      const store = this.#storeOf(session);
      // A session that only keeps outputs has a folder but no pad.
      return (tryStat(store.paths.pad) ?? tryStat(store.paths.journal)) ? store : undefined;
    } catch {
      return undefined;
    }
  }
}
