import { inTime } from '../assembly/in-time.ts';
import { answerEvent } from '../hosts/answer.ts';
import { HOOK_HOSTS } from '../hosts/index.ts';
import { isObject, type JsonObject, textAt } from '../transcript/json.ts';

/** Tool that a host's hooks of the kind `mcp_tool` call. It is in no list: it costs the model no context. */
export const HOOK_TOOL = 'hook';

/** How long a call waits until the one before it, of the same session, has written down what was said. */
const TURN_MS = 500;
/** Fields that hosts hand over as JSON inside a string. */
const NESTED = ['tool_input', 'tool_response'];

/**
 * Answers hooks in the process of the MCP server, which the host has started, owns and ends: the same answers as
 * `scratchpad hook`, without a process for each event. Calls of one session take turns; others run side by side.
 */
export class HookTool {
  readonly #env: NodeJS.ProcessEnv;
  readonly #cwd: string;
  /** What is still being written down, by session. */
  readonly #finishing = new Map<string, Promise<void>>();

  constructor(env: NodeJS.ProcessEnv, cwd: string) {
    this.#env = env;
    this.#cwd = cwd;
  }

  /**
   * @param args what the host fills in: `host`, `event` and the fields of its hook input
   * @returns the host's own form of an answer; `{}` for nothing to say
   */
  async answer(args: unknown): Promise<string> {
    const started = Date.now();
    const json = isObject(args) ? unfolded(args) : undefined;
    const host = HOOK_HOSTS.get(textAt(json, 'host') ?? 'claude-code');
    if (!host) return '{}';
    const session = textAt(json, 'session_id') ?? '';
    await inTime(this.#finishing.get(session) ?? Promise.resolve(), TURN_MS, () => undefined);
    const { text, finish } = await answerEvent({
      ...{ host, json, started, env: this.#env, cwd: this.#cwd, tools: true },
      event: textAt(json, 'event'),
    });
    // The answer goes out first.
    const finishing = new Promise<void>((resolve) => setImmediate(resolve)).then(finish).finally(() => {
      if (this.#finishing.get(session) === finishing) this.#finishing.delete(session);
    });
    this.#finishing.set(session, finishing);
    return text === undefined || text.trim() === '' ? '{}' : text.trim();
  }

  /** Waits until everything is written down. */
  async settled(): Promise<void> {
    await Promise.all(this.#finishing.values());
  }
}

/** The input as a command hook would read it: without the fields that the host left empty. */
function unfolded(args: JsonObject): JsonObject {
  const json: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) {
    if (value === '') continue;
    json[key] = NESTED.includes(key) && typeof value === 'string' ? parsed(value) : value;
  }
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
