import type { Room } from '../injection/compose.ts';
import { isObject, type JsonObject, textAt } from '../transcript/json.ts';

/** What happens in a host, whatever the host calls it. */
export type HostEvent =
  | 'start'
  | 'prompt'
  | 'before-compaction'
  | 'after-compaction'
  | 'tool'
  | 'failed-tool'
  | 'subagent'
  | 'stop'
  | 'end';

/** What a host says of an event; every field may be missing. */
export interface HookInput {
  /** The host's session id. */
  session?: string;
  /** What the host's own files call the session, where that is another name. */
  sessionFile?: string;
  /** Path of the session's transcript. */
  transcript?: string;
  cwd?: string;
  /** What the person typed; absent where somebody else wrote the prompt. */
  prompt?: string;
  /**
   * Who wrote the prompt, where that is not the person: `machine` for timers, notifications and other sessions,
   * `parent` for the task that an agent gives to a subagent which has a session of its own.
   */
  speaker?: 'machine' | 'parent';
  /** Why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`. */
  source?: string;
  /** What asks for a compaction: `auto` or `manual`. */
  trigger?: string;
  /** Id of the subagent that the event belongs to, inside the session of its parent. */
  agent?: string;
  /** The agent's last words, where the host hands them over. */
  lastWords?: string;
  model?: string;
  /** How full the model's context is, where the host says so. */
  contextUse?: { used: number; window: number };
  /** The last messages as JSON, from a host that hands them over instead of a transcript. */
  messages?: string;
  tool?: { name: string; input: unknown; response: unknown; id?: string };
}

/** What a hook has to say, whatever the form its host wants it in. */
export interface HookAnswer {
  /** Text for the model. */
  context?: string;
  /** Why the compaction should wait. */
  hold?: string;
  /** In place of a tool's output, in the tool's own shape. */
  toolOutput?: unknown;
  /** The same as a text, for a host that takes nothing else. */
  toolText?: string;
}

export interface Recovered {
  /** More of the output than was handed over. */
  output?: string;
  /** For the model: why what there is of it is not all. */
  loss?: string;
}

/** The contract of one host. */
export interface HookHost {
  readonly name: string;
  readonly events: ReadonlyMap<string, HostEvent>;
  /** Printed when there is nothing to say. */
  readonly silence: string;
  /** Whether a hook can hold a compaction. */
  readonly holds?: true;
  /** Whether text at a session's start goes wrong, so that the first prompt carries it. */
  readonly silentStart?: true;
  /** Whether injected text is gone after its turn: then the whole view is given at each. */
  readonly ephemeral?: true;
  /** Whether the host stamps each message with date, time and zone itself. */
  readonly stampsTime?: true;
  /**
   * Whether the host announces a compaction before every request that might need one, and says
   * nothing after those that came: then its transcript tells.
   */
  readonly unseenCompaction?: true;
  /** Whether its session files may hold a scratchpad, under the keys of the designs. */
  readonly keepsEntries?: true;
  /** What the model calls the tool `session.scratchpad` of our MCP server. */
  readonly tool: string;
  /** Whether a model may be asked before our MCP server has answered: its first request has no tool of ours then. */
  readonly lateTools?: true;
  /** Tokens at which the host compacts, where settings of its own say so or its transcripts do not give the model's window. */
  compactsAt?(root: string, env: NodeJS.ProcessEnv, model?: string): Promise<number | undefined>;
  /** What the host takes in one piece of context. */
  readonly room: Room;
  /** What can be found of a command's output that the host has cut before it hands it over. */
  recover?(input: HookInput): Promise<Recovered>;
  /** Reads what the host wrote to stdin. */
  read(json: JsonObject): HookInput;
  /** What to print for an answer, `silence` when the event cannot carry it. */
  render(event: string, answer: HookAnswer): string;
}

/** The fields that Claude Code, Codex and Gemini CLI have in common. */
export function readCommon(json: JsonObject): HookInput {
  const input: HookInput = {};
  const take = (
    field: Exclude<keyof HookInput, 'tool' | 'speaker' | 'contextUse'>,
    ...keys: string[]
  ): void => {
    for (const key of keys) {
      const value = textAt(json, key);
      if (value === undefined || value === '') continue;
      input[field] = value;
      return;
    }
  };
  take('session', 'session_id');
  take('sessionFile', 'session_file');
  take('transcript', 'transcript_path');
  take('cwd', 'cwd');
  take('prompt', 'prompt', 'user_prompt');
  take('source', 'source');
  take('trigger', 'trigger');
  take('agent', 'agent_id');
  take('lastWords', 'last_assistant_message', 'prompt_response');
  take('model', 'model');
  const name = textAt(json, 'tool_name');
  if (name !== undefined) {
    const response = json.tool_response ?? json.tool_output ?? json.error;
    const id = textAt(json, 'tool_use_id');
    input.tool = { name, input: json.tool_input, response, ...(id === undefined ? {} : { id }) };
  }
  return input;
}

/** The input of a prompt that no person wrote: its words are nobody's mood, topic or request. */
export function spokenBy(speaker: NonNullable<HookInput['speaker']>, input: HookInput): HookInput {
  const { prompt: _, ...rest } = input;
  return { ...rest, speaker };
}

/** The object that stdin holds; `undefined` for anything else. */
export function parseInput(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An id is put before the model only when it can be nothing else. */
export function plainId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}
