import { join, resolve } from 'node:path';
import { attempt, describeError, failure, ScratchpadError, usageError } from '../base/errors.ts';
import { DATA_DIR, isInside, resolvePlace } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { assertHasModels, findPackageFolder } from '../base/fs/system.ts';
import { type JsonObject, parseObject, toMembers } from '../base/text/json.ts';
import { readConfigFile } from '../config/file.ts';
import { composeConfig } from '../config/load.ts';
import { renderToolGuidance } from '../core/guidance.ts';
import { checkCall } from '../library/arguments.ts';
import { findWorkspace, type Workspace } from '../session/workspace.ts';
import { listPlainTools } from '../tools/registry.ts';
import type { pickAnswer } from './define-host.ts';
import { HOOK_HOSTS } from './host-rows.ts';
import { checkId, type EventKind } from './protocol.ts';
import { ResidentHooks } from './resident.ts';
import { recall, recordRun } from './session-memory.ts';

/** A host's report of an event. Every field but `sessionId` may be missing. */
interface AgentEvent {
  sessionId: string;
  /** The folder that the session works in; outside of `workspace` its scratchpad is found from there. */
  cwd?: string | undefined;
  /** `start`: the session that has started this one for a task. */
  parentId?: string | undefined;
  /** The session's file, if it is in a format that is read. */
  transcriptPath?: string | undefined;
  /** The last messages, from a host without such a file: `{role, content, timestamp?}`; they make no hand-over. */
  messages?: readonly object[] | undefined;
  /** `prompt`: the words as the person typed them. */
  prompt?: string | undefined;
  /** `prompt`: the line as typed, `/fix the login`, where the host puts the text of a command in its place. */
  typed?: string | undefined;
  /** `prompt`: who wrote it, if not the person. */
  speaker?: 'machine' | 'parent' | undefined;
  /** `start`: `startup`, `clear`, `resume`, `compact` or `fork`. */
  source?: string | undefined;
  /** `before-compaction`: `manual` or `auto`. */
  trigger?: string | undefined;
  /** `after-compaction`: the text that the window begins with now, if the session's file does not hold it as a summary. */
  summary?: string | undefined;
  /** The subagent that the event belongs to, in its parent's session. */
  agentId?: string | undefined;
  model?: string | undefined;
  /** How full the model's context is, in tokens. */
  contextUse?: { used: number; window: number } | undefined;
  /** `prompt`: whether the host has a system part for a text of ours, `standing` in the answer. */
  standing?: boolean | undefined;
  /** `tool`: the call. Its result is a text, or an object with texts in it. */
  toolName?: string | undefined;
  toolInput?: unknown;
  toolResult?: unknown;
  toolCallId?: string | undefined;
  /** `tool`: the host's own file with all of a result that it has cut. */
  toolResultFile?: string | undefined;
}

/** The answer to an event; `{}` for nothing to do. */
export type AgentAnswer = Partial<ReturnType<typeof pickAnswer>> & {
  /** `tool`, for a result that is a text: `output` and `context` as one text in its place. */
  result?: string;
};

interface ToolResult {
  text: string;
  details: object;
  failed: boolean;
}

type ToolCaller = Pick<AgentEvent, 'sessionId' | 'cwd' | 'agentId'>;

interface AgentOffer {
  /** With their JSON schemas. */
  tools: readonly { name: string; description: string; parameters: object }[];
  /** For the system prompt, before `standing`; empty where the scratchpad is turned off. */
  guidance: string;
}

type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

type GuardedHandlers<Functions extends Handlers> = {
  [Name in keyof Functions]: (
    ...args: Parameters<Functions[Name]>
  ) => Promise<Awaited<ReturnType<Functions[Name]>> | undefined>;
};

/** The memory of one host's sessions, in this process. None of its functions throws, or takes longer than its deadline. */
export interface AgentMemory {
  /**
   * Reports an event: `start`, `prompt`, `tool`, `before-compaction`, `after-compaction`, `subagent`, `stop`, `end`.
   * @returns `context`: text for the model beside the prompt or result; `standing`: for the system part; `output`: in
   * place of a tool's result; `summaryRequest`: for the request for a summary; `hold`: why a compaction should wait
   */
  tell(event: EventKind, about: AgentEvent): Promise<AgentAnswer>;
  /** The tools and the guidance for the model in a folder, by its settings; default: `workspace`. */
  offer(cwd?: string): AgentOffer;
  /** Calls a tool; that of a subagent works on the subagent's own notepad. */
  call(name: string, params: unknown, about: ToolCaller): Promise<ToolResult>;
  /** Wraps handlers so that they resolve to nothing where they would throw; `scratchpad doctor` names what went wrong. */
  guard<Functions extends Handlers>(handlers: Functions, cwd?: string): GuardedHandlers<Functions>;
  /** Ends the sessions that prompts came from, and waits until everything is written down. */
  close(): Promise<void>;
  /** Waits until everything is written down. */
  settled(): Promise<void>;
}

interface AgentMemoryOptions {
  /** The host's name: `openclaw`, `opencode`, `kilo` or `pi`; for a host of your own `pi`. */
  host: string;
  /** The folder of the scratchpad. Default: found from each event's `cwd`, or the current folder. */
  workspace?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  /** The command that starts `scratchpad`, for work in the background; default: this package's program on this Node. */
  program?: readonly string[] | undefined;
}

/** Hosts that ask in their own process: the others ask by commands, and read other answers. */
const IN_PROCESS = [...HOOK_HOSTS].flatMap(([key, { name, inProcess }]) =>
  inProcess && key === name ? [name] : [],
);
/** The program that runs Node: a host that runs on Bun is none, and may be a program of its own. */
const NODE = process.versions.bun === undefined ? process.execPath : 'node';
/** Longer than any deadline of the settings. */
const LATE_MS = 10_000;

/**
 * The memory for a plugin that runs inside a host.
 * @throws {ScratchpadError} `usage` for a host that is not known, or has hooks that are commands
 * @example
 * const memory = openAgentMemory({ host: 'opencode', workspace: directory });
 * const { context } = await memory.tell('prompt', { sessionId, prompt });
 */
export function openAgentMemory(options: AgentMemoryOptions): AgentMemory {
  checkCall('openAgentMemory', '{host!, workspace, env, program}', [options]);
  assertHasModels();
  const { host, workspace, env = process.env } = options;
  const { program = [NODE, join(findPackageFolder(), 'bin/scratchpad.js')] } = options;
  if (!IN_PROCESS.includes(host))
    throw usageError(`no host that runs JavaScript is called ${host}; known: ${IN_PROCESS.join(', ')}`, {
      next: "for a host of your own take 'pi'",
    });

  const base = resolve(workspace ?? process.cwd());
  const hooks = new ResidentHooks(env, base, program);
  const sessions = new AgentSessions(options, base, hooks);
  const tell: AgentMemory['tell'] = (event, about) => sessions.tell(event, about);

  return {
    tell,
    guard: (handlers, cwd) =>
      guardHandlers(handlers, (event, error) => {
        const { root, exists } = sessions.resolveWorkspace(cwd);
        const outcome = `not as expected: ${describeError(error)}`;
        const run = { at: new Date().toISOString(), host, event, outcome, ms: 0 };
        if (exists) recordRun(join(root, DATA_DIR), run, true);
      }),
    async close() {
      await sessions.end();
      await hooks.settled();
    },
    offer: (cwd) => makeOffer(attempt(() => sessions.resolveWorkspace(cwd).root) ?? base, env, host),
    async call(name, params, about) {
      const caller = toMembers(about) as object as ToolCaller;
      const result = await callTool(env, name, params, caller, sessions);
      const report = { toolName: `scratchpad.${name}`, toolInput: params, toolResult: result.text };
      if (!result.failed)
        await tell('tool', { ...caller, ...report, isAnswered: true } as object as AgentEvent);
      return result;
    },
    settled: () => hooks.settled(),
  };
}

/** The sessions of a host: those of people, and those that another session has started for a task. */
class AgentSessions {
  readonly #options: AgentMemoryOptions;
  /** The workspace that the program names, else the current folder. */
  readonly #base: string;
  readonly #hooks: ResidentHooks;
  /** By session of a child, the text that its first prompt carries. */
  readonly #children = new Map<string, AgentAnswer>();
  readonly #people = new Map<string, AgentEvent>();

  constructor(options: AgentMemoryOptions, base: string, hooks: ResidentHooks) {
    this.#options = options;
    this.#base = base;
    this.#hooks = hooks;
  }

  isChild(sessionId: string): boolean {
    return this.#children.has(sessionId);
  }

  resolveWorkspace(cwd?: string): Workspace {
    const { workspace, folder } = this.#chooseFolder(cwd);
    return findWorkspace(workspace, this.#options.env ?? process.env, folder);
  }

  /** A workspace that the program names wins over what is found from a folder inside of it. */
  #chooseFolder(cwd: unknown): { workspace: string | undefined; folder: string } {
    const folder = resolve(this.#base, typeof cwd === 'string' ? cwd : '');
    const isNamed = this.#options.workspace !== undefined;
    const isInWorkspace = isNamed && isInside(resolvePlace(this.#base), resolvePlace(folder));
    return { workspace: isInWorkspace ? this.#base : undefined, folder };
  }

  async tell(event: EventKind, reported: AgentEvent): Promise<AgentAnswer> {
    const about = toMembers(reported) as object as AgentEvent;
    const { sessionId, parentId, cwd, transcriptPath } = about;
    if (parentId !== undefined && !this.isChild(sessionId)) {
      this.#children.set(sessionId, {});
      const start = { sessionId: parentId, agentId: sessionId, cwd };
      this.#children.set(sessionId, await this.tell('subagent', start));
    }

    const isChild = this.isChild(sessionId);
    if (isChild && event !== 'prompt' && event !== 'tool') return {};

    const isFromPerson = event === 'prompt' && !isChild && about.speaker === undefined;
    if (isFromPerson) this.#people.set(sessionId, { sessionId, cwd, transcriptPath });
    if (event === 'end') this.#people.delete(sessionId);
    if (!isChild || event !== 'prompt') return this.#ask(event, about);

    const answer = await this.#ask('prompt', { ...about, speaker: 'parent' });
    Object.assign(answer, this.#children.get(sessionId));
    this.#children.set(sessionId, {});
    return answer;
  }

  async end(): Promise<void> {
    for (const about of this.#people.values()) await this.tell('end', about);
  }

  async #ask(event: EventKind, about: AgentEvent): Promise<AgentAnswer> {
    const { workspace, folder } = this.#chooseFolder(about.cwd);
    const json = { ...about, host: this.#options.host, event, cwd: folder } as unknown as JsonObject;
    const work = this.#hooks.answer(json, { workspace, namesFolder: true });
    const silence = (): string => '{}';
    const text = await withTimeout(work.catch(silence), LATE_MS, silence);
    const answer = (parseObject(text) ?? {}) as AgentAnswer;
    const { context, output = about.toolResult } = answer;
    if (event !== 'tool' || typeof output !== 'string' || Object.keys(answer).length === 0) return answer;

    return { ...answer, result: [output, context].filter(Boolean).join('\n\n') };
  }
}

function guardHandlers<Functions extends Handlers>(
  handlers: Functions,
  onFault: (name: string, error: unknown) => void,
): GuardedHandlers<Functions> {
  checkCall('guard', 'handlers', [handlers]);
  const guarded = Object.entries(handlers).map(([name, handle]) => {
    const run = async (...args: never[]): Promise<unknown> => handle(...args);
    const fail = (error: unknown): undefined => void attempt(() => onFault(name, error));
    return [name, (...args: never[]) => run(...args).catch(fail)];
  });

  return Object.fromEntries(guarded) as GuardedHandlers<Functions>;
}

const WHERE_SHOWN = 'What it holds besides your own calls in this conversation:';

function makeOffer(root: string, env: NodeJS.ProcessEnv, host: string): AgentOffer {
  const { config } = composeConfig(root, env, readConfigFile);
  const { ownTools = [] } = HOOK_HOSTS.get(host) ?? {};
  const tools = listPlainTools(config, false)
    .filter(({ name }) => !ownTools.includes(name))
    .map(({ name, description, inputSchema: parameters }) => ({ name, description, parameters }));

  return { tools, guidance: renderToolGuidance(config, 'session_scratchpad', WHERE_SHOWN) };
}

async function callTool(
  env: NodeJS.ProcessEnv,
  name: string,
  params: unknown,
  { sessionId, cwd, agentId }: ToolCaller,
  sessions: AgentSessions,
): Promise<ToolResult> {
  try {
    const { root, worktree: workspace = root } = sessions.resolveWorkspace(cwd);
    const { openScratchpad } = await import('../library/scratchpad.ts');
    const caller = checkId(agentId) ?? sessionId;
    const isSubagent = caller !== sessionId || sessions.isChild(sessionId);
    const hasOwnPad = isSubagent || recall(join(root, DATA_DIR), caller).ownPad;
    const callerEnv = { ...env, SCRATCHPAD_HOST_SESSION: caller };
    const pad = await openScratchpad({ workspace, env: callerEnv, session: hasOwnPad ? caller : undefined });
    const { text, value } = await pad.callTool(name, params);
    return { text, details: value, failed: false };
  } catch (error) {
    const fault =
      error instanceof ScratchpadError
        ? error
        : failure('the scratchpad did not answer: nothing was changed');
    return { text: fault.explain('tool'), details: { error: fault.toFailure('tool') }, failed: true };
  }
}
