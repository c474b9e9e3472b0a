import { tryStat } from '../base/fs/index.ts';
import { defuse } from '../base/safety/index.ts';
import { quoteName } from '../base/text/strings.ts';
import type { Provenance } from '../base/trust/index.ts';
import type { Config } from '../config/settings.ts';
import { chooseSession, describePlans, type PlanSummary } from '../core/scope.ts';
import type { PadName } from '../ledger/ledger.ts';
import type { PadSpaces } from '../ledger/spaces.ts';
import { listOwnLines } from '../pad/document.ts';
import type { SpaceName } from '../pad/markers.ts';
import { FileStore, openStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import type { FileStoreOptions, Snapshot } from '../session/store.ts';
import type { HookHost, HookInput } from './protocol.ts';

/** The pads as the model is told of them: the spaces, and one line for each other open plan. */
export interface PadReading {
  spaces: PadSpaces;
  others: PlanSummary['others'];
}

/** Starts after which the window holds nothing that was said before. */
const EMPTY_STARTS = new Set(['startup', 'clear']);

interface PadsContext {
  readonly event: { host: HookHost; config: Config; env: NodeJS.ProcessEnv; input: HookInput; now: number };
  readonly workspace: { root: string; worktree: string | undefined; provenance: Provenance };
  readonly memory: { forkedFrom?: readonly string[] | undefined };
  readonly toldPlan: string | undefined;
  /** Takes a problem that does not stop the answer. */
  reportFault(what: string, error: unknown): void;
}

/** The pads that a session reads and writes: the workspace's, and its own if it has one. */
export class SessionPads {
  readonly #context: PadsContext;
  /** The memory of this work tree: a linked one has its own plan, and the repository's notes and refs. */
  readonly view: FileStore;
  readonly #own: FileStore | undefined;
  #shared: Promise<Snapshot> | undefined;
  #reading: Promise<PadReading> | undefined;

  /** @param options the clock, and how long a change may wait for another process */
  constructor(context: PadsContext, options: FileStoreOptions) {
    const { config, host, input, env } = context.event;
    const { root, worktree } = context.workspace;
    const { session, cwd = root, source = '' } = input;
    const oneShot = host.isOneShot?.(input, env) ?? false;
    const toldPlan = EMPTY_STARTS.has(source) ? undefined : context.toldPlan;
    const reader = { session, forkedFrom: context.memory.forkedFrom, oneShot, toldPlan };
    const storeOptions = { ...options, env, cwd, as: reader };

    this.#context = context;
    this.view = openStore({ root, worktree }, undefined, config, storeOptions);
    if (session === undefined || session === config.primarySession) return;

    try {
      const own = new FileStore(root, session, { primary: config.primarySession, ...storeOptions });
      // A session that only keeps outputs has a folder but no pad.
      if (tryStat(own.paths.pad) ?? tryStat(own.paths.journal)) this.#own = own;
    } catch {
      // An id that cannot be one of our sessions.
    }
  }

  async readSpaces(): Promise<PadSpaces> {
    if (this.#context.workspace.provenance.spaces === 'untrusted')
      return { shared: NO_SPACES, own: NO_SPACES };
    const own = await this.#readOwnSpaces();
    return { shared: this.#isApart ? NO_SPACES : (await this.readShared()).spaces, own };
  }

  /** Whether the session has nothing to do with the pad that others share. */
  get #isApart(): boolean {
    return chooseSession(this.#context.event.config, this.#context.event.input.session) !== undefined;
  }

  /** Reads the pads for the model, with facts about the plan, and the other open plans. */
  read(): Promise<PadReading> {
    this.#reading ??= this.#readPads();
    return this.#reading;
  }

  /** The spaces that an assembly is about. */
  async readAssembledSpaces(): Promise<Spaces> {
    const { shared, own } = (await this.read()).spaces;
    return this.#isApart ? own : shared;
  }

  async #readPads(): Promise<PadReading> {
    const pads = await this.readSpaces();
    const { event, workspace, toldPlan } = this.#context;
    if (this.#isApart) return { spaces: { ...pads, isApart: true }, others: [] };
    if (workspace.provenance.spaces === 'untrusted')
      return { spaces: { ...pads, isWithheld: true }, others: [] };

    const { seen, document } = await this.readShared();
    const { fact: planFact, others } = describePlans({ seen }, event.now, toldPlan);
    const plan = seen?.plan;

    return {
      spaces: {
        ...pads,
        // A plan that is set aside while others are open has not changed.
        planAside: plan === undefined && others.length > 0,
        planId: plan?.id,
        planOwner: plan?.branch === undefined ? undefined : `of ${defuse(quoteName(plan.branch))}`,
        planFact,
        hasOwnText: listOwnLines(document).some(({ text }) => !text.startsWith('#')),
      },
      others,
    };
  }

  /** `by hand` if a person edited a space of a pad last; `undefined` for a command, or if nobody knows. */
  async findEditor(pad: PadName, space: SpaceName): Promise<string | undefined> {
    const store = pad === 'shared' ? this.view : this.#own;
    try {
      // The newest edit may not be in the journal yet.
      const { edits } = pad === 'shared' ? await this.readShared() : ((await store?.read()) ?? {});
      const last = (await store?.history())?.revisions.findLast((revision) => revision.space === space);
      const by = edits?.[space] ?? last?.by;
      return by === 'edit' || by === 'merge' ? 'by hand' : undefined;
    } catch {
      return undefined;
    }
  }

  /** Changes with each change of a plan: the size and the time of the journal. */
  stampJournal(): string {
    const { size, mtimeMs } = tryStat(this.view.paths.journal) ?? {};
    return `${size} ${mtimeMs}`;
  }

  /** The sessions that had a plan, with those that took it, or changed it where it was left, the oldest first. */
  async listPlanTakers(): Promise<[giver: string, taker: string][]> {
    const { revisions, elsewhere = [] } = await this.view.history();
    const owners = new Map<string, string | undefined>();

    return [...elsewhere, ...revisions].flatMap(({ op, plan }) => {
      const giver = owners.get(plan?.id ?? '');
      if (plan !== undefined) owners.set(plan.id, plan.session);
      if (giver === undefined || plan?.session === undefined || giver === plan.session) return [];
      return /^(?:set|adopt|restore|clear|undo|redo)$/.test(op) ? [] : [[giver, plan.session]];
    });
  }

  /** The time of the last change of the shared notes, epoch milliseconds; 0 if there are none. */
  async findNoteTime(): Promise<number> {
    if ((await this.readSpaces()).shared.notes.trim() === '') return 0;
    const { revisions } = await this.view.history();
    return Date.parse(revisions.findLast(({ space }) => space === 'notes')?.timestamp ?? '') || 0;
  }

  /** Records edits of the files as changes by a person, unless the files are not trusted. */
  async adoptEdits(): Promise<void> {
    if (this.#context.workspace.provenance.spaces === 'untrusted') return;
    for (const store of [this.view, this.#own]) {
      try {
        await store?.change(() => []);
      } catch (error) {
        this.#context.reportFault("a person's edits", error);
      }
    }
  }

  readShared(): Promise<Snapshot> {
    this.#shared ??= this.view.read();
    return this.#shared;
  }

  async #readOwnSpaces(): Promise<Spaces> {
    try {
      return (await this.#own?.read())?.spaces ?? NO_SPACES;
    } catch (error) {
      this.#context.reportFault("the session's own pad", error);
      return NO_SPACES;
    }
  }
}
