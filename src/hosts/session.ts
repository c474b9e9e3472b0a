import { join } from 'node:path';
import type { ModelAssembly } from '../assembly/assemble-pad.ts';
import { describeError } from '../base/errors.ts';
import { DATA_DIR, findHome, isInside, leadsOutside, tryStat } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { judgeProvenance, type Provenance } from '../base/trust/index.ts';
import type { Config } from '../config/settings.ts';
import type { Pad } from '../core/context.ts';
import type { CurrentWork, HandoverOptions } from '../handover/index.ts';
import { advanceWindow, describeWays, type WindowEvent, type WriteWays } from '../ledger/window.ts';
import type { Workspace } from '../session/workspace.ts';
import type { Transcript } from '../transcript/read.ts';
import type { RecordUpdate } from '../transcript/store.ts';
import { type ConversationChange, follow } from '../transcript/store.ts';
import { SessionPads } from './pads.ts';
import type { HookHost, HookInput } from './protocol.ts';
import { OpenMemory, type SessionMemory } from './session-memory.ts';

/** Time before the deadline reserved for composing and printing. */
const MARGIN_MS = 150;
const LEAST_MS = 50;
const LOCK_WAIT_MS = 300;
/** Fraction of the remaining time that the transcript may take. */
const TRANSCRIPT_SHARE = 0.6;
/** After this fraction a session is read on at the next event. */
const READING_SHARE = 0.4;
/** Fraction of the remaining time that a stage may take: one that hangs then loses its section, not the state. */
const STAGE_SHARE = 0.7;

interface HostEvent {
  host: HookHost;
  config: Config;
  env: NodeJS.ProcessEnv;
  input: HookInput;
  now: number;
  /** `Date.now()` by which the answer must be out. */
  deadline: number;
  /** The model's name for our tool, if it has it. */
  tool: string | undefined;
  /** Starts `scratchpad`, where this process stays. */
  program?: readonly string[] | undefined;
  /** Notices about the shared memory for the model, one line each. */
  news: readonly string[];
}

class SessionWorkspace {
  readonly root: string;
  readonly data: string;
  /** The linked work tree that the session works in, if the workspace is that of the main one. */
  readonly worktree: string | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #provenance: Provenance | undefined;

  constructor({ root, worktree }: Pick<Workspace, 'root' | 'worktree'>, env: NodeJS.ProcessEnv) {
    this.root = root;
    this.data = join(root, DATA_DIR);
    this.worktree = worktree;
    this.#env = env;
  }

  /** Whether the workspace's content is trusted; foreign content is not shown. */
  get provenance(): Provenance {
    this.#provenance ??= judgeProvenance(this.root, this.#env);
    return this.#provenance;
  }
}

/**
 * Leaves out a transcript that is a link out of the workspace. A home folder as the workspace is an exception: hosts make
 * such links there.
 */
function dropForeignTranscript({ input, env }: HostEvent, root: string): HookInput {
  const { transcript } = input;
  const isForeign =
    transcript !== undefined && leadsOutside(root, transcript) && !isInside(root, findHome(env));
  return isForeign ? { ...input, transcript: undefined } : input;
}

/** The work on one event: the event itself, the workspace, and what is remembered of the session. */
export class HookSession {
  readonly event: HostEvent;
  readonly workspace: SessionWorkspace;
  readonly ways: WriteWays;
  /** Takes the problems that did not stop the answer. */
  readonly faults: string[];
  /** Whether the agent has answered: all of the turn is in the session's file. */
  turnIsOver = false;
  /** Work to do after the answer, in this order. */
  readonly #afterwards: (() => void | Promise<void>)[] = [];
  readonly #remembered: OpenMemory;
  #pads: SessionPads | undefined;
  #transcript: Promise<Transcript | undefined> | undefined;
  #record: Promise<RecordUpdate | undefined> | undefined;

  constructor(event: HostEvent, workspace: Pick<Workspace, 'root' | 'worktree'>, faults: string[]) {
    this.event = { ...event, input: dropForeignTranscript(event, workspace.root) };
    this.workspace = new SessionWorkspace(workspace, event.env);
    this.faults = faults;
    this.ways = describeWays(event.tool, event.host.lateTools);
    this.#remembered = new OpenMemory(this.workspace.data, event.input.session);
  }

  fault(what: string, error: unknown): void {
    this.faults.push(`${what}: ${describeError(error)}`);
  }

  afterwards(work: () => void | Promise<void>): void {
    this.#afterwards.push(work);
  }

  /** Does the deferred work, and saves the session's memory if anything in it has changed. It never throws. */
  async finish(): Promise<void> {
    for (const work of this.#afterwards.splice(0)) {
      try {
        await work();
      } catch (error) {
        this.fault('after the answer', error);
      }
    }

    try {
      await this.#remembered.save(Math.max(LOCK_WAIT_MS, this.#getTimeLeft()));
    } catch (error) {
      this.fault('session memory', error);
    }
  }

  get memory(): SessionMemory {
    return this.#remembered.now;
  }

  /** Takes the session's window through an event. @returns lines for the model */
  next(event: WindowEvent): string[] {
    const [window, lines] = advanceWindow(this.memory, event);
    Object.assign(this.memory, window);
    return lines;
  }

  /** Id of the shared plan that the model was told in its current window. */
  get toldPlan(): string | undefined {
    return this.memory.ledger?.spaces.shared.plan?.of;
  }

  /** Made on demand, because most tool calls do not concern them. */
  get pads(): SessionPads {
    const lockWaitMs = Math.min(LOCK_WAIT_MS, this.#getTimeLeft());
    this.#pads ??= new SessionPads(this, { now: () => this.event.now, lockWaitMs });
    return this.#pads;
  }

  /** What happened to the conversation since the last event. */
  async followed(): Promise<ConversationChange | undefined> {
    const record = await this.record();
    return record && follow(record, this.memory.place);
  }

  /** The session's transcript as far as it can be read in time; the answer does not wait for the rest. */
  transcript(): Promise<Transcript | undefined> {
    this.#transcript ??= this.inTime('reading the transcript', this.#readTranscript());
    return this.#transcript;
  }

  /** What is known of the session, up to date; `undefined` if it cannot be read in time. */
  record(): Promise<RecordUpdate | undefined> {
    this.#record ??= this.inTime('reading the session', this.#readRecord());
    return this.#record;
  }

  /** How to ask for the work before this session, and for what was said in it. */
  handoverOptions(): HandoverOptions {
    const { session, transcript, cwd } = this.event.input;
    const { now, config, env } = this.event;
    const { root } = this.workspace;
    return {
      ...{ root, now, config, env, session },
      cwd: cwd ?? root,
      // A session that has just started has no file yet.
      transcript: transcript !== undefined && tryStat(transcript) ? transcript : undefined,
      later: (work) => this.afterwards(work),
      until: Date.now() + this.#getTimeLeft() * READING_SHARE,
      midTurn: !this.turnIsOver,
      showsGit: this.event.host.showsGit,
      scripted: this.event.host.isOneShot?.(this.event.input, env),
      notedAt: () => this.pads.notedAt(),
      planTakers: () => this.pads.listPlanTakers(),
      onProblem: (problem) => this.faults.push(`transcript: ${problem}`),
    };
  }

  /** What can be read in its share of the time that is left; `undefined` otherwise. */
  inTime<T>(what: string, work: Promise<T>): Promise<T | undefined> {
    return this.#runWithin(Math.round(this.#getTimeLeft() * TRANSCRIPT_SHARE), what, work);
  }

  /** The state assembled for this event; `undefined` if that fails or takes too long. */
  assemble(): Promise<ModelAssembly | undefined> {
    const withinMs = this.#getTimeLeft();
    return this.#runWithin(withinMs, 'assembling', this.#runAssembly(withinMs));
  }

  #getTimeLeft(): number {
    return Math.max(LEAST_MS, this.event.deadline - Date.now() - MARGIN_MS);
  }

  /** The result of `work`; `undefined` if it fails, or on a timeout: then it continues after the answer. */
  async #runWithin<T>(ms: number, what: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await withTimeout<T | undefined>(work, ms, () => {
        this.faults.push(`${what} took more than ${ms} ms`);
        return undefined;
      });
    } catch (error) {
      this.fault(what, error);
      return undefined;
    }
  }

  async #runAssembly(withinMs: number): Promise<ModelAssembly> {
    const { assembleForModel, assemblePad } = await import('../assembly/assemble-pad.ts');
    const { startRefresh } = await import('../memory/background.ts');
    const { session, prompt, transcript: path } = this.event.input;
    const transcript = await this.transcript();
    const { pads } = this;
    const { config, env } = this.event;
    const { root } = this.workspace;
    const cwd = this.event.input.cwd ?? root;
    const pad: Pad = { root, cwd, store: pads.view, config, env, now: () => this.event.now };

    // A process that ends with the answer would make the rest while the host waits for its end.
    const assemble = this.event.program === undefined ? assemblePad : assembleForModel;

    return assemble(pad, {
      before: { ...(await pads.shared()), spaces: await pads.assembled() },
      // Nothing is read from another conversation: its mood and topic do not belong here.
      read: { transcript: transcript ?? NOTHING, name: path ?? 'the prompt' },
      withinMs: Math.round(withinMs * STAGE_SHARE),
      refreshMemory: () => startRefresh(this.workspace.root, this.event.program),
      handover: () => this.#readHandover(),
      host: this.event.host.name,
      provenance: this.workspace.provenance,
      prompt,
      from: session,
    });
  }

  /** Where this session stands; asking git at each prompt would cost more than a line in the file is worth. */
  async #readHandover(): Promise<CurrentWork | undefined> {
    const record = await this.record();
    if (record === undefined) return undefined;
    const { buildWorkState } = await import('../handover/index.ts');
    return { line: '', state: buildWorkState(record) };
  }

  async #readRecord(): Promise<RecordUpdate | undefined> {
    const options = this.handoverOptions();
    if (options.session === undefined && options.transcript === undefined) return undefined;
    const { ownSession } = await import('../handover/index.ts');
    return ownSession(options);
  }

  async #readTranscript(): Promise<Transcript | undefined> {
    const { transcript: path, messages: given } = this.event.input;
    const { messages, age } = this.event.config.window;
    const options = { limit: messages, maxAgeMs: age };
    const { readTranscriptText, makeWindow } = await import('../transcript/read.ts');

    if (path === undefined)
      return given === undefined ? undefined : readTranscriptText(given, options, 'the messages');

    const record = await this.record();

    return record && makeWindow(record.record, options);
  }
}

const NOTHING: Transcript = { format: 'none', messages: [], facts: { compactions: [] }, skipped: [] };
