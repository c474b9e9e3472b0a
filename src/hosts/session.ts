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
import { type ConversationChange, findChange } from '../transcript/conversation-change.ts';
import type { Transcript } from '../transcript/read.ts';
import type { RecordUpdate } from '../transcript/store.ts';
import { SessionPads } from './pads.ts';
import type { HookHost, HookInput } from './protocol.ts';
import { recall, type SessionMemory, saveChanges } from './session-memory.ts';

/** Time before the deadline reserved for composing and printing. */
const MARGIN_MS = 150;
const LEAST_MS = 50;
const LOCK_WAIT_MS = 300;
/** Fraction of the remaining time that the transcript may take. */
const TRANSCRIPT_SHARE = 0.6;
/** Fraction of the remaining time after which the rest of a session is left to the next event. */
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

interface SessionWorkspace {
  root: string;
  /** The linked work tree that the session works in, if the workspace is that of the main one. */
  worktree: string | undefined;
  /** The workspace's `.scratchpad`. */
  data: string;
  /** Whether the workspace's content is trusted; foreign content is not shown. */
  readonly provenance: Provenance;
}

/** Judges the provenance on demand, because most tool calls do not need it. */
function openWorkspace({ root, worktree }: Pick<Workspace, 'root' | 'worktree'>, env: NodeJS.ProcessEnv) {
  let provenance: Provenance | undefined;
  const workspace: SessionWorkspace = {
    root,
    worktree,
    data: join(root, DATA_DIR),
    get provenance() {
      provenance ??= judgeProvenance(root, env);
      return provenance;
    },
  };

  return workspace;
}

/** Ignores a transcript that is a link out of the workspace, unless that is the home folder, where hosts make such links. */
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
  /** Problems that did not stop the answer. */
  readonly faults: string[];
  /** Whether the agent has answered: all of the turn is in the session's file. */
  turnIsOver = false;
  /** Work to do after the answer, in this order. */
  readonly #afterwards: (() => void | Promise<void>)[] = [];
  #memory: SessionMemory | undefined;
  /** The memory as it was read, as JSON. */
  #storedMemory = '';
  #pads: SessionPads | undefined;
  #transcript: Promise<Transcript | undefined> | undefined;
  #record: Promise<RecordUpdate | undefined> | undefined;

  constructor(event: HostEvent, workspace: Pick<Workspace, 'root' | 'worktree'>, faults: string[]) {
    this.event = { ...event, input: dropForeignTranscript(event, workspace.root) };
    this.workspace = openWorkspace(workspace, event.env);
    this.faults = faults;
    this.ways = describeWays(event.tool, event.host.lateTools);
  }

  reportFault(what: string, error: unknown): void {
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
        this.reportFault('after the answer', error);
      }
    }

    try {
      const { session } = this.event.input;
      const waitMs = Math.max(LOCK_WAIT_MS, this.#getTimeLeft());
      if (session !== undefined && this.#memory !== undefined)
        await saveChanges(this.workspace.data, session, this.#storedMemory, this.#memory, waitMs);
    } catch (error) {
      this.reportFault('session memory', error);
    }
  }

  get memory(): SessionMemory {
    if (this.#memory === undefined) {
      this.#memory = recall(this.workspace.data, this.event.input.session ?? '');
      this.#storedMemory = JSON.stringify(this.#memory);
    }

    return this.#memory;
  }

  /** Advances the session's window by an event. @returns lines for the model */
  advance(event: WindowEvent): string[] {
    const [window, lines] = advanceWindow(this.memory, event);
    Object.assign(this.memory, window);
    return lines;
  }

  /** Id of the shared plan that the model was told in its current window. */
  get toldPlan(): string | undefined {
    return this.memory.ledger?.spaces.shared.plan?.of;
  }

  /** The pads, opened on demand, because most tool calls do not concern them. */
  get pads(): SessionPads {
    const lockWaitMs = Math.min(LOCK_WAIT_MS, this.#getTimeLeft());
    this.#pads ??= new SessionPads(this, { now: () => this.event.now, lockWaitMs });
    return this.#pads;
  }

  /** Follows the conversation since the last event; `undefined` if the session cannot be read in time. */
  async followConversation(): Promise<ConversationChange | undefined> {
    const record = await this.record();
    return record && findChange(record, this.memory.place);
  }

  /** The session's transcript as far as it can be read in time; the answer does not wait for the rest. */
  transcript(): Promise<Transcript | undefined> {
    this.#transcript ??= this.runInTime('reading the transcript', this.#readTranscript());
    return this.#transcript;
  }

  /** The session's record, up to date; `undefined` if it cannot be read in time. */
  record(): Promise<RecordUpdate | undefined> {
    this.#record ??= this.runInTime('reading the session', this.#readRecord());
    return this.#record;
  }

  /** Options for the hand-over: how to find the work before this session, and what was said in it. */
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
      isEnd: this.memory.ended === now,
      showsGit: this.event.host.showsGit,
      scripted: this.event.host.isOneShot?.(this.event.input, env),
      notedAt: () => this.pads.findNoteTime(),
      planTakers: () => this.pads.listPlanTakers(),
      onProblem: (problem) => this.faults.push(`transcript: ${problem}`),
    };
  }

  /** The result of `work` if it comes within its share of the time that is left; `undefined` otherwise. */
  runInTime<T>(what: string, work: Promise<T>): Promise<T | undefined> {
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

  /** The result of `work`; `undefined` if it fails or takes longer, in which case it continues after the answer. */
  async #runWithin<T>(ms: number, what: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await withTimeout<T | undefined>(work, ms, () => {
        this.faults.push(`${what} took more than ${ms} ms`);
        return undefined;
      });
    } catch (error) {
      this.reportFault(what, error);
      return undefined;
    }
  }

  async #runAssembly(withinMs: number): Promise<ModelAssembly> {
    const { assembleForModel, assemblePad } = await import('../assembly/assemble-pad.ts');
    const { startRefresh } = await import('../memory/background.ts');
    const { config, env, host, input, program } = this.event;
    const { root, provenance } = this.workspace;
    const transcript = await this.transcript();
    const { pads } = this;
    const now = (): number => this.event.now;
    const pad: Pad = { root, cwd: input.cwd ?? root, store: pads.view, config, env, now };

    // The rest of an assembly is made after the answer, but a host would wait for a process that ends with it.
    const assemble = program === undefined ? assemblePad : assembleForModel;

    return assemble(pad, {
      before: { ...(await pads.readShared()), spaces: await pads.readAssembledSpaces() },
      // Mood and topic of another conversation do not belong here: none is looked for.
      read: { transcript: transcript ?? NO_TRANSCRIPT, name: input.transcript ?? 'the prompt' },
      withinMs: Math.round(withinMs * STAGE_SHARE),
      refreshMemory: () => startRefresh(root, program),
      handover: () => this.#readHandover(),
      host: host.name,
      provenance,
      prompt: input.prompt,
      from: input.session,
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
    const { transcript: path, messages } = this.event.input;
    const { messages: limit, age: maxAgeMs } = this.event.config.window;
    const options = { limit, maxAgeMs };
    const { readTranscriptText, makeWindow } = await import('../transcript/read.ts');

    if (path === undefined)
      return messages === undefined ? undefined : readTranscriptText(messages, options, 'the messages');

    const record = await this.record();

    return record && makeWindow(record.record, options);
  }
}

const NO_TRANSCRIPT: Transcript = { format: 'none', messages: [], facts: { compactions: [] }, skipped: [] };
