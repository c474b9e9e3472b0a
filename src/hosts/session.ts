import type { Assembled } from '../assembly/assemble-pad.ts';
import { inTime } from '../assembly/in-time.ts';
import type { Config } from '../config/config.ts';
import type { Pad } from '../core/context.ts';
import { type Here, isOneShot, spacesHere } from '../core/scope.ts';
import { inShort } from '../errors.ts';
import { tryStat } from '../fs/index.ts';
import type { PadSpaces } from '../injection/spaces.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import { whereIs } from '../session/origins.ts';
import type { SessionStore, Snapshot } from '../session/store.ts';
import { storesFor } from '../session/worktree-store.ts';
import { openTrail, type Trail } from '../trail/index.ts';
import { type Followed, followBranch } from '../transcript/branch.ts';
import type { Transcript } from '../transcript/read.ts';
import { type Provenance, provenanceOf } from '../trust/provenance.ts';
import type { HookHost, HookInput } from './protocol.ts';
import { recall, remember, type SessionMemory } from './session-memory.ts';
import type { SpillTarget } from './spill.ts';
import { type Ways, waysOf } from './ways.ts';

/** What is kept back of the deadline for composing and printing. */
const MARGIN_MS = 150;
const LEAST_MS = 50;
const LOCK_WAIT_MS = 300;
/** Part of the time left that the transcript may take. */
const TRANSCRIPT_SHARE = 0.6;
/** Part of the time left that a stage may take: one that hangs then costs its section, not the state. */
const STAGE_SHARE = 0.7;

/** One host session at one event, and everything a hook may want to know of it. */
export class Session {
  readonly host: HookHost;
  readonly root: string;
  readonly data: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly input: HookInput;
  /** The linked work tree that the session works in, where the workspace is that of the main one. */
  readonly worktree: string | undefined;
  /** The calls that the model is told of. */
  readonly ways: Ways;
  /** What went wrong and did not stop the answer. */
  readonly faults: string[] = [];
  /** What the model should know of the shared memory, one line each. */
  readonly news: string[] = [];
  /** Whether work goes on that the deadline has cut off. */
  late = false;
  /** For `status`: what became of the state. */
  stateOutcome = '';
  /** Work for when the answer is out, in this order. */
  readonly #afterwards: (() => void | Promise<void>)[] = [];
  readonly #deadline: number;
  readonly #clock: () => number;
  readonly #store: FileStore;
  #shared: Promise<Snapshot> | undefined;
  #transcript: Promise<Transcript | undefined> | undefined;
  #trail: Promise<Trail | undefined> | undefined;
  #padsHere: Promise<{ spaces: PadSpaces; aside?: string }> | undefined;
  #provenance: Provenance | undefined;
  #memory: { before: string; now: SessionMemory } | undefined;

  constructor(options: {
    host: HookHost;
    root: string;
    config: Config;
    env: NodeJS.ProcessEnv;
    input: HookInput;
    worktree?: string | undefined;
    /** What the model calls our tool, where it has it. */
    tool: string | undefined;
    now: number;
    /** `Date.now()` by which the answer must be out. */
    deadline: number;
    clock: () => number;
  }) {
    this.host = options.host;
    this.root = options.root;
    this.config = options.config;
    this.env = options.env;
    this.now = options.now;
    this.input = options.input;
    this.worktree = options.worktree;
    this.ways = waysOf(options.tool, options.host.lateTools);
    this.#deadline = options.deadline;
    this.#clock = options.clock;
    this.#store = this.#storeOf(options.config.primarySession);
    this.data = this.#store.paths.data;
  }

  /** Does what is good to do and not needed for the answer. */
  attempt(what: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.fault(what, error);
    }
  }

  fault(what: string, error: unknown): void {
    this.faults.push(`${what}: ${inShort(error)}`);
  }

  /** Leaves work for when the answer is out. */
  afterwards(work: () => void | Promise<void>): void {
    this.#afterwards.push(work);
  }

  /** Does what was left, and keeps the session's memory. It never throws. */
  async finish(): Promise<void> {
    for (const work of this.#afterwards.splice(0)) {
      try {
        await work();
      } catch (error) {
        this.fault('after the answer', error);
      }
    }
    const { session } = this.input;
    const memory = this.#memory;
    if (session === undefined || memory === undefined || JSON.stringify(memory.now) === memory.before) return;
    this.attempt('session memory', () => remember(this.data, session, memory.now));
  }

  /**
   * What is kept of the host session; changes are written by `finish`, after the answer: what was said and then not
   * entered is said again, what was entered and then not said would be lost.
   */
  get memory(): SessionMemory {
    const { session } = this.input;
    if (this.#memory === undefined) {
      const now = recall(this.data, session ?? '');
      this.#memory = { before: JSON.stringify(now), now };
    }
    return this.#memory.now;
  }

  /** Whether the model was told the shared plan in its present window. */
  get planTold(): boolean {
    return this.memory.ledger?.spaces.shared.plan !== undefined;
  }

  /** Whose words the workspace holds; those of a stranger are not shown. */
  get provenance(): Provenance {
    this.#provenance ??= provenanceOf(this.root, this.env);
    return this.#provenance;
  }

  /** The shared spaces, and those of this session alone; none of a stranger's. */
  async pads(): Promise<PadSpaces> {
    if (this.provenance.spaces === 'untrusted') return { shared: NO_SPACES, own: NO_SPACES };
    const { spaces } = await this.#snapshot();
    return { shared: spaces, own: await this.#own() };
  }

  /**
   * The same as they are to be put before the model: a plan that is not of this place is taken out, and said in a line.
   * Whoever asks first in an event decides for all of it.
   * @param told whether the model was told the plan in its present window
   */
  padsHere(told = this.planTold): Promise<{ spaces: PadSpaces; aside?: string }> {
    this.#padsHere ??= this.#readHere(told);
    return this.#padsHere;
  }

  async #readHere(told: boolean): Promise<{ spaces: PadSpaces; aside?: string }> {
    const pads = await this.pads();
    const { origins } = await this.#snapshot();
    const read = { spaces: pads.shared, ...(origins && { origins }) };
    const { spaces: shared, reason, aside } = spacesHere(read, this.#here(told), this.config);
    if (reason === undefined) return { spaces: pads };
    return { spaces: { ...pads, shared, planAside: true }, ...(aside === undefined ? {} : { aside }) };
  }

  #here(told: boolean): Here {
    const { session, prompt, cwd } = this.input;
    return {
      now: this.now,
      ...whereIs(cwd ?? this.root),
      ...(session === undefined ? {} : { session }),
      ...(prompt === undefined ? {} : { prompt }),
      oneShot: isOneShot(this.env),
      told,
    };
  }

  /** Who changed a space of a pad last, in words; `undefined` where the journal does not say. */
  async changedBy(pad: 'shared' | 'own', space: string): Promise<string | undefined> {
    const store = pad === 'shared' ? this.#store : this.#ownStore()?.[0];
    try {
      const last = (await store?.history())?.revisions.findLast((revision) => revision.space === space);
      return last?.by === 'edit' || last?.by === 'merge' ? 'by hand' : undefined;
    } catch {
      return undefined;
    }
  }

  /** What has become of the transcript since the last event. */
  followTranscript(): Followed | undefined {
    const { transcript: path } = this.input;
    return path === undefined ? undefined : followBranch(path, this.memory.place);
  }

  /** The session's transcript as far as it can be read; when that takes too long, the rest is said without it. */
  transcript(): Promise<Transcript | undefined> {
    this.#transcript ??= this.#within(
      Math.round(this.#left() * TRANSCRIPT_SHARE),
      'reading the transcript',
      this.#readTranscript(),
    );
    return this.#transcript;
  }

  /** What the session's own records prove; of the last session here where this one has only begun. */
  trail(): Promise<Trail | undefined> {
    this.#trail ??= this.#within(
      Math.round(this.#left() * TRANSCRIPT_SHARE),
      'reading the trail',
      this.#openTrail(),
    );
    return this.#trail;
  }

  /** The state assembled for this event, within the deadline; `undefined` when that fails or takes too long. */
  async assemble(): Promise<Assembled | undefined> {
    const withinMs = this.#left();
    try {
      const done = await this.#within(withinMs, 'assembling', this.#assemble(withinMs));
      this.stateOutcome = done === undefined ? 'no state in time' : 'state assembled';
      return done;
    } catch (error) {
      this.fault('assembling', error);
      this.stateOutcome = 'no state';
      return undefined;
    }
  }

  /** An empty pad where the old one was put away. */
  async renew(): Promise<void> {
    await this.#store.change(() => []);
    this.#shared = undefined;
    this.#padsHere = undefined;
  }

  /** Adopts what a person edited, so that the journal has it, and keeps a copy of both pads. */
  async snapshot(): Promise<void> {
    const stores = [this.#store, ...(this.#ownStore() ?? [])];
    const { keepSnapshot } = await import('./snapshot.ts');
    for (const store of stores) {
      try {
        const { document } = await store.change(() => []);
        keepSnapshot(
          this.data,
          this.input.session ?? store.paths.session,
          store.paths.session,
          document.text,
        );
      } catch (error) {
        this.fault('snapshot', error);
      }
    }
  }

  /** Where outputs are kept: with the host session that they belong to. */
  entriesOf(): SpillTarget {
    const { session } = this.input;
    const target = { root: this.root, now: this.#clock };
    if (session === undefined || session === this.config.primarySession)
      return { ...target, paths: this.#store.paths };
    try {
      return { ...target, paths: this.#storeOf(session).paths, session };
    } catch {
      // An id that can be no session of ours.
      return { ...target, paths: this.#store.paths };
    }
  }

  #left(): number {
    return Math.max(LEAST_MS, this.#deadline - Date.now() - MARGIN_MS);
  }

  /** What this work tree has: in a linked one a plan of its own, and notes and refs of the repository. */
  get #view(): SessionStore {
    return this.#stores().whole;
  }

  #stores(): { own: FileStore; whole: SessionStore } {
    const { primarySession, scope } = this.config;
    const { root, worktree } = this;
    const where = { root, exists: true, named: false, ...(worktree !== undefined && { worktree }) };
    const apart = scope.worktrees === 'apart';
    return storesFor(where, undefined, { primarySession, apart }, (id) => this.#storeOf(id));
  }

  #snapshot(): Promise<Snapshot> {
    this.#shared ??= this.#view.read();
    return this.#shared;
  }

  async #own(): Promise<Spaces> {
    const [store] = this.#ownStore() ?? [];
    if (!store) return NO_SPACES;
    try {
      return (await store.read()).spaces;
    } catch (error) {
      this.fault("the session's own pad", error);
      return NO_SPACES;
    }
  }

  /** The session's own store, when it has anything in it. */
  #ownStore(): [FileStore] | undefined {
    const { session } = this.input;
    if (session === undefined || session === this.config.primarySession) return undefined;
    try {
      const store = this.#storeOf(session);
      // A session that only keeps outputs has a folder, and no pad.
      return (tryStat(store.paths.pad) ?? tryStat(store.paths.journal)) ? [store] : undefined;
    } catch {
      return undefined;
    }
  }

  #storeOf(session: string): FileStore {
    return new FileStore(this.root, session, {
      primary: this.config.primarySession,
      now: this.#clock,
      lockWaitMs: Math.min(LOCK_WAIT_MS, this.#left()),
    });
  }

  /** What `work` comes to, or `undefined` once the time is over; then it goes on behind the answer. */
  #within<T>(ms: number, what: string, work: Promise<T>): Promise<T | undefined> {
    return inTime<T | undefined>(work, ms, () => {
      this.late = true;
      this.faults.push(`${what} took more than ${ms} ms`);
      return undefined;
    });
  }

  async #assemble(withinMs: number): Promise<Assembled> {
    const { assemblePad } = await import('../assembly/assemble-pad.ts');
    const { startRefresh } = await import('../memory/background.ts');
    const { session, prompt, transcript: path } = this.input;
    const transcript = await this.transcript();
    const pad: Pad = {
      root: this.root,
      cwd: this.input.cwd ?? this.root,
      store: this.#view,
      config: this.config,
      env: this.env,
      now: this.#clock,
    };
    return assemblePad(pad, {
      before: { ...(await this.#snapshot()), spaces: (await this.padsHere()).spaces.shared },
      // Of another conversation nothing is read: its mood and topic are not this one's.
      read: { transcript: transcript ?? NOTHING, name: path ?? 'the prompt' },
      withinMs: Math.round(withinMs * STAGE_SHARE),
      refreshMemory: () => startRefresh(this.root),
      reportTo: this.#store.paths.dir,
      trail: this.trail(),
      ...(prompt === undefined ? {} : { prompt }),
      ...(session === undefined ? {} : { from: session }),
    });
  }

  async #openTrail(): Promise<Trail | undefined> {
    const { session, transcript, cwd } = this.input;
    if (session === undefined && transcript === undefined) return undefined;
    const trail = await openTrail({
      root: this.root,
      now: this.now,
      config: this.config,
      env: this.env,
      cwd: cwd ?? this.root,
      ...(session === undefined ? {} : { session }),
      // A session that has just begun has no file yet.
      ...(transcript === undefined || !tryStat(transcript) ? {} : { transcript }),
    });
    for (const problem of trail.problems) this.faults.push(`trail: ${problem}`);
    return trail;
  }

  async #readTranscript(): Promise<Transcript | undefined> {
    const { transcript: path, messages: given } = this.input;
    if (path === undefined && given === undefined) return undefined;
    try {
      const { readTranscriptFile, readTranscriptText } = await import('../transcript/read.ts');
      const { messages, age } = this.config.window;
      const options = { limit: messages, maxAgeMs: age };
      if (path === undefined) return await readTranscriptText(given ?? '', options, 'the messages');
      return await readTranscriptFile(path, options);
    } catch (error) {
      // A session that has just begun has no file yet.
      if (path === undefined || tryStat(path)) this.fault('transcript', error);
      return undefined;
    }
  }
}

const NOTHING: Transcript = {
  format: 'none',
  messages: [],
  facts: { compactions: [], entries: [] },
  skipped: [],
};
