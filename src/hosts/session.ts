import { statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Pad } from '../core/context.ts';
import { feedbackSince } from '../feedback/changed.ts';
import { inTime } from '../in-time.ts';
import { contentOf } from '../pad/document.ts';
import { type Freshness, freshnessOf, spellAge } from '../pad/freshness.ts';
import { readState } from '../pad/state.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import type { Snapshot } from '../session/store.ts';
import type { Transcript } from '../transcript/read.ts';
import type { HookHost, HookInput } from './protocol.ts';
import type { SpillTarget } from './spill.ts';

/** What is kept back of the deadline for printing. */
const MARGIN_MS = 150;
const LEAST_MS = 50;
const LOCK_WAIT_MS = 300;
/** Part of the time left that the transcript may take. */
const TRANSCRIPT_SHARE = 0.6;
/** Part of the time left that a stage may take: one that hangs then costs its section, not the state. */
const STAGE_SHARE = 0.7;

type Readers = Pick<typeof import('../transcript/read.ts'), 'readTranscriptFile' | 'readTranscriptText'>;

export interface StateView {
  state: readonly { title: string; lines: readonly string[] }[];
  stateNote?: string;
}

/** One host session at one moment, and everything a hook may want to know of it. */
export class Session {
  readonly host: HookHost;
  readonly root: string;
  readonly data: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What went wrong and did not stop the answer. */
  readonly faults: string[] = [];
  /** Whether work goes on that the deadline has cut off. */
  late = false;
  /** For `status`: what became of the state. */
  stateOutcome = '';
  readonly #input: HookInput;
  readonly #deadline: number;
  readonly #clock: () => number;
  readonly #store: FileStore;
  #shared: Promise<Snapshot> | undefined;
  #transcript: Promise<Transcript | undefined> | undefined;

  constructor(options: {
    host: HookHost;
    root: string;
    config: Config;
    env: NodeJS.ProcessEnv;
    input: HookInput;
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
    this.#input = options.input;
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
    this.faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** The shared spaces, and those of this session alone. */
  async pads(): Promise<{ shared: Spaces; own: Spaces }> {
    const { spaces } = await this.#snapshot();
    return { shared: spaces, own: await this.#own() };
  }

  /**
   * The session's transcript as far as it can be read; when that takes too long, the rest is said without it.
   * @param reader gives the functions that read it, when it was not read before
   */
  transcript(
    reader: () => Promise<Readers> = () => import('../transcript/read.ts'),
  ): Promise<Transcript | undefined> {
    this.#transcript ??= this.#within(
      Math.round(this.#left() * TRANSCRIPT_SHARE),
      'reading the transcript',
      this.#readTranscript(reader),
    );
    return this.#transcript;
  }

  /**
   * The state for the model, assembled anew when it is stale or of another session, within the deadline.
   * @param whose `own`: of this session only; `any`: at a session's start, that of the last one will do
   */
  async state(whose: 'own' | 'any'): Promise<StateView> {
    const { document } = await this.#snapshot();
    const freshness = freshnessOf(document, this.now);
    const from = document.fields?.get('assembled-from');
    const mine = from === undefined || this.#input.session === undefined || from === this.#input.session;
    const refresh = this.config.hook.refresh;
    const due =
      freshness.status !== 'fresh' ||
      (refresh !== undefined && (freshness.ageMs ?? 0) >= refresh) ||
      feedbackSince(this.data, freshness.updated) ||
      (whose === 'own' && !mine);
    if (!due) {
      this.stateOutcome = `state fresh, ${spellAge(freshness.ageMs ?? 0)} old`;
      return { state: readState(contentOf(document, 'state')) };
    }
    const block = await this.#assembled(whose);
    if (block !== undefined) {
      this.stateOutcome = 'state assembled';
      return { state: readState(block) };
    }
    // Another conversation's state would mislead; an old one of this conversation says how old it is.
    if (freshness.status === 'missing' || !mine) {
      this.stateOutcome = 'no state';
      return { state: [] };
    }
    this.stateOutcome = `state old: ${ageOf(freshness)}`;
    return {
      state: readState(contentOf(document, 'state')),
      stateNote: `(The state below could not be refreshed: ${ageOf(freshness)}.)`,
    };
  }

  /** An empty pad where the old one was put away. */
  async renew(): Promise<void> {
    await this.#store.change(() => []);
    this.#shared = undefined;
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
          this.#input.session ?? store.paths.session,
          store.paths.session,
          document.text,
        );
      } catch (error) {
        this.fault('snapshot', error);
      }
    }
  }

  /** Where outputs are kept: with the pad that the agent's commands go to. */
  entriesOf(): SpillTarget {
    const { session } = this.#input;
    const own = this.config.hook.pad === 'own' && session !== undefined;
    const { paths } = own ? this.#storeOf(session) : this.#store;
    return { root: this.root, paths, now: this.#clock };
  }

  #left(): number {
    return Math.max(LEAST_MS, this.#deadline - Date.now() - MARGIN_MS);
  }

  #snapshot(): Promise<Snapshot> {
    this.#shared ??= this.#store.read();
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
    const { session } = this.#input;
    if (session === undefined || session === this.config.primarySession) return undefined;
    try {
      const store = this.#storeOf(session);
      return statSync(store.paths.dir, { throwIfNoEntry: false }) ? [store] : undefined;
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

  /** Assembles within what is left of the deadline; writing the block down is a second, lesser thing. */
  async #assembled(whose: 'own' | 'any'): Promise<string | undefined> {
    const withinMs = this.#left();
    try {
      return await this.#within(withinMs, 'assembling', this.#assemble(whose, withinMs));
    } catch (error) {
      this.fault('assembling', error);
      return undefined;
    }
  }

  /** What `work` comes to, or `undefined` once the time is over; then it goes on behind the answer. */
  #within<T>(ms: number, what: string, work: Promise<T>): Promise<T | undefined> {
    return inTime<T | undefined>(work, ms, () => {
      this.late = true;
      this.faults.push(`${what} took more than ${ms} ms`);
      return undefined;
    });
  }

  async #assemble(whose: 'own' | 'any', withinMs: number): Promise<string> {
    const { assembleForHook, ...readers } = await import('./assemble.ts');
    const transcript = await this.transcript(async () => readers);
    const pad: Pad = {
      root: this.root,
      store: this.#store,
      config: this.config,
      env: this.env,
      now: this.#clock,
    };
    const { session, prompt, transcript: path } = this.#input;
    const { block, fault } = await assembleForHook(pad, {
      before: await this.#snapshot(),
      transcript,
      path,
      session,
      prompt,
      discover: whose === 'any',
      dir: this.#store.paths.dir,
      withinMs: Math.round(withinMs * STAGE_SHARE),
    });
    if (fault !== undefined) this.fault('writing the state', fault);
    return block;
  }

  async #readTranscript(reader: () => Promise<Readers>): Promise<Transcript | undefined> {
    const { transcript: path, messages: given } = this.#input;
    if (path === undefined && given === undefined) return undefined;
    try {
      const { readTranscriptFile, readTranscriptText } = await reader();
      const { messages, age } = this.config.window;
      const options = { limit: messages, maxAgeMs: age };
      if (path === undefined) return await readTranscriptText(given ?? '', options, 'the messages');
      return await readTranscriptFile(path, options);
    } catch (error) {
      // A session that has just begun has no file yet.
      if (path === undefined || statSync(path, { throwIfNoEntry: false })) this.fault('transcript', error);
      return undefined;
    }
  }
}

function ageOf({ updated, ageMs }: Freshness): string {
  if (updated === undefined || ageMs === undefined) return 'its age is unknown';
  return `it is ${spellAge(ageMs)} old, as of ${updated}`;
}
