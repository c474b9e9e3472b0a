import { inTime } from '../assembly/in-time.ts';
import { type JsonObject, textAt } from '../base/text/json.ts';
import { TOOLS } from '../tools/registry.ts';
import { answerEvent, type HookReply, type HookRequest } from './answer.ts';
import { HOOK_HOSTS } from './index.ts';
import { plainId } from './protocol.ts';

/** Claude Code's event before a call: the call itself does not say that it is a subagent's. */
const BEFORE_CALL = 'PreToolUse';
/** How many calls of subagents are remembered. */
const MOST_CALLS = 100;

/** The tools that a plugin offers, with their schemas. */
export const PLUGIN_TOOLS = TOOLS.filter(
  ({ name }) => name === 'session.scratchpad' || name === 'scratchpad_read',
).map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }));

/** How long an event waits until the one before it, of the same session, has written down what was said. */
const TURN_MS = 500;
/** Commands that have seen no server have ended when it is older. */
const YOUNG_S = 20;

/**
 * Answers hooks in a process that stays, which the host has started, owns and ends: our MCP server, or a host that our
 * plugin runs in. The answers are those of `scratchpad hook`, without a process for each event. Events of one session
 * take turns; others run side by side.
 */
export class ResidentHooks {
  readonly #env: NodeJS.ProcessEnv;
  readonly #cwd: string;
  readonly #program: readonly string[];
  /** What is still being written down, by session. */
  readonly #finishing = new Map<string, Promise<void>>();

  /** The subagent of each of its calls of our tools, by the call's id. */
  readonly #callers = new Map<string, string>();

  /** The session of the last event that was not a subagent's: after a clear the host's variables name an old one. */
  session: string | undefined;

  /** @param program starts `scratchpad`, for work that is none of this process */
  constructor(env: NodeJS.ProcessEnv, cwd: string, program: readonly string[]) {
    this.#env = env;
    this.#cwd = cwd;
    this.#program = program;
  }

  /**
   * @param json the fields of the host's hook input, with `host` and `event`
   * @returns the host's own form of an answer; `{}` for nothing to say
   */
  async answer(json: JsonObject): Promise<string> {
    const started = Date.now();
    const host = HOOK_HOSTS.get(textAt(json, 'host') ?? 'claude-code');
    if (!host) return '{}';
    const session = textAt(json, 'session_id') ?? '';
    const agent = textAt(json, 'agent_id');
    if (session !== '' && agent === undefined) this.session = session;
    if (textAt(json, 'event') === BEFORE_CALL) {
      const call = textAt(json, 'tool_use_id');
      if (agent !== undefined && call !== undefined) this.#callers.set(call, agent);
      for (const old of [...this.#callers.keys()].slice(0, -MOST_CALLS)) this.#callers.delete(old);
      return '{}';
    }
    const { text, finish } = await this.reply({
      ...{ host, json, started, env: this.#env, cwd: this.#cwd, program: this.#program, tools: true },
      event: textAt(json, 'event'),
    });
    // The answer goes out first.
    setImmediate(finish);
    return text === undefined || text.trim() === '' ? '{}' : text.trim();
  }

  /** Answers an event in its session's turn, which lasts until what was said has been written down. */
  async reply(request: HookRequest): Promise<HookReply> {
    const session = textAt(request.json, 'session_id') ?? '';
    if (session !== '' && textAt(request.json, 'agent_id') === undefined) this.session = session;
    await inTime(this.#finishing.get(session) ?? Promise.resolve(), TURN_MS, () => undefined);
    const contested = process.uptime() < YOUNG_S;
    const reply = await answerEvent({ ...request, contested });
    let done = (): void => undefined;
    const finishing = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#finishing.set(session, finishing);
    return {
      ...reply,
      finish: async () => {
        await reply.finish();
        done();
        if (this.#finishing.get(session) === finishing) this.#finishing.delete(session);
      },
    };
  }

  /**
   * The subagent that calls a tool of ours; `undefined` for the session itself.
   * @param meta what the host says of the call: Claude Code its id, Codex the thread
   */
  callerOf(meta: JsonObject): string | undefined {
    const thread = textAt(meta, 'threadId');
    if (thread !== undefined && this.session !== undefined && thread !== this.session) return plainId(thread);
    return plainId(this.#callers.get(textAt(meta, 'claudecode/toolUseId') ?? ''));
  }

  /** Waits until everything is written down. */
  async settled(): Promise<void> {
    await Promise.all(this.#finishing.values());
  }
}
