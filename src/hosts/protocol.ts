import { type JsonObject, parsedObject, textAt } from '../base/text/json.ts';
import type { Room } from '../ledger/compose.ts';

/** The kinds of events, independent of the hosts' names for them. */
export type HostEvent =
  | 'start'
  | 'prompt'
  | 'before-compaction'
  | 'after-compaction'
  | 'tool'
  | 'subagent'
  | 'stop'
  | 'end';

/** A host's data on an event; every field may be missing. */
export interface HookInput {
  /** The host's session id. */
  session?: string;
  /** Path of the session's transcript. */
  transcript?: string;
  cwd?: string;
  /** The text that the person typed; absent if somebody else wrote the prompt. */
  prompt?: string;
  /**
   * Who wrote the prompt, if not the person: `machine` for timers, notifications and other sessions, `parent` for a
   * task that an agent gives to a subagent with its own session.
   */
  speaker?: 'machine' | 'parent';
  /** Why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`. */
  source?: string;
  /** The cause of a compaction: `auto` or `manual`. */
  trigger?: string;
  /** Id of the subagent that the event belongs to, within its parent's session. */
  agent?: string;
  model?: string;
  /** How full the model's context is, if the host says so. */
  contextUse?: { used: number; window: number };
  /** Whether the host keeps a text of ours in its system part, which is to change seldom. */
  standing?: boolean;
  /** The last messages as JSON, from a host that passes them instead of a transcript. */
  messages?: string;
  tool?: { name: string; input: unknown; response: unknown; id?: string };
}

/** A hook's answer, independent of the host's format. */
export interface HookAnswer {
  /** Text for the model. */
  context?: string;
  /** Text for the host's system part, the same until the model's version of the pad is out of date. */
  standing?: string;
  /** Why the compaction should wait. */
  hold?: string;
  /** What the request for the summary should also ask for. */
  summaryRequest?: string;
  /** Replacement for a tool's output, in the shape of the original. */
  toolOutput?: unknown;
  /** The same as text, for a host that accepts nothing else. */
  toolText?: string;
}

export interface Recovered {
  /** More of the output than the host passed. */
  output?: string;
  /** For the model: why the output is incomplete. */
  loss?: string | undefined;
}

/** The contract of one host. */
export interface HookHost {
  readonly name: string;
  readonly events: ReadonlyMap<string, HostEvent>;
  /** Printed if there is nothing to say. */
  readonly silence: string;
  /** Whether a hook can hold a compaction. */
  readonly holds?: true;
  /** Whether text at a session's start causes problems, so that the first prompt carries it. */
  readonly silentStart?: true;
  /** Whether injected text disappears after its turn, so that every turn needs the full text. */
  readonly ephemeral?: true;
  /** Whether the host stamps each message with date, time and zone itself. */
  readonly stampsTime?: true;
  /**
   * Whether the host announces a compaction before every request that might need one, without reporting those that
   * happened. Then its transcript tells.
   */
  readonly unseenCompaction?: true;
  /** The model's name for the tool of our MCP server that changes the pad. */
  readonly tool: string;
  /** Its name for `scratchpad_read`, where it may call the tools of our server but not our commands. */
  readonly readTool?: string;
  /**
   * Whether a model may be asked without the schemas of our MCP server's tools, at first or until it looks for them.
   */
  readonly lateTools?: true;
  /** Tokens at which the host compacts, if its settings say so or its transcripts do not give the model's window. */
  compactsAt?(root: string, env: NodeJS.ProcessEnv, model?: string): Promise<number | undefined>;
  /** The host's limit for one piece of context. */
  readonly room: Room;
  /** Finds more of a command's output that the host has cut before passing it. */
  recover?(input: HookInput): Promise<Recovered>;
  /** Whether the host answers one prompt and ends. */
  isOneShot?(input: HookInput, env: NodeJS.ProcessEnv): boolean;
  /** Reads the host's input from stdin. */
  read(json: JsonObject): HookInput;
  /** The text to print for an answer; `silence` if the event cannot carry it. */
  render(event: string, answer: HookAnswer): string;
}

/** The fields that Claude Code, Codex and Gemini CLI have in common. */
export function readCommon(json: JsonObject): HookInput {
  const input: HookInput = {};
  const take = (
    field: Exclude<keyof HookInput, 'tool' | 'speaker' | 'contextUse' | 'standing'>,
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
  take('transcript', 'transcript_path');
  take('cwd', 'cwd');
  take('prompt', 'prompt', 'user_prompt');
  take('source', 'source');
  take('trigger', 'trigger');
  take('agent', 'agent_id');
  take('model', 'model');
  const name = textAt(json, 'tool_name');
  if (name !== undefined) {
    const response = json.tool_response ?? json.tool_output;
    input.tool = { name, input: json.tool_input, response, id: textAt(json, 'tool_use_id') };
  }
  return input;
}

/** The input of a prompt that no person wrote: it shows no mood, topic or request. */
export function spokenBy(speaker: NonNullable<HookInput['speaker']>, input: HookInput): HookInput {
  const { prompt: _, ...rest } = input;
  return { ...rest, speaker };
}

/** The object on stdin; `undefined` for anything else. */
export function parseInput(text: string): JsonObject | undefined {
  return parsedObject(text.replace(/^\uFEFF/, ''));
}

/** Only a plain id is shown to the model. */
export function plainId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** Less than the hosts' own limit of about 30,000 characters. */
export const LIMIT = 28_000;

/** Names of the hosts' tools that run commands. */
const COMMANDS = new Set(['Bash', 'run_shell_command', 'exec']);
/** Tools that make changes, with results mostly hidden from the model, and our own tools, with limited answers. */
const NOT_SPILLED = /^(?:Edit|MultiEdit|Write|NotebookEdit|Todo\w*|replace|write_file)$|scratchpad/i;

export const isCommand = (name: string): boolean => COMMANDS.has(name);
export const mayBeLong = (name: string): boolean => !NOT_SPILLED.test(name);

/**
 * Whether a tool's result may contain a text over the limit, or one that the host has cut. Judged by its JSON, which is
 * never shorter: most calls load none of the code that stores outputs.
 */
export function holdsLong(json: string): boolean {
  return json.length > LIMIT || json.includes('"persistedOutputPath"');
}

/**
 * Size of a model's context in tokens, by its name, as Claude Code 2.1.330 states it (November 2026). Unknown
 * models are left out: a wrong warning is worse than none.
 */
const WINDOWS: readonly [name: RegExp, tokens: number][] = [
  [/\[1m\]/i, 1_000_000],
  [/^claude-(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-\d{8})?$/, 200_000],
  [/^claude-opus-4-[78](?:-\d{8})?$/, 1_000_000],
  [/^claude-[a-z]+-5(?:-\d)?(?:-\d{8})?$/, 1_000_000],
];

/** @returns `undefined` for a model that is not in the table */
export function windowOf(model: string | undefined): number | undefined {
  return WINDOWS.find(([name]) => name.test(model ?? ''))?.[1];
}
