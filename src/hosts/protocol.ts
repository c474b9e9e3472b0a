import { isProcessGone } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { getString, type JsonObject, parseObject } from '../base/text/json.ts';
import { cutBlanks, cutMiddle } from '../base/text/strings.ts';
import type { Room } from '../ledger/compose.ts';

export const HOST_EVENTS = [
  'start',
  'prompt',
  'before-compaction',
  'after-compaction',
  'tool',
  'subagent',
  'stop',
  'end',
] as const;
export type EventKind = (typeof HOST_EVENTS)[number];

/** A host's data on an event; every field may be missing. */
export interface HookInput {
  session?: string;
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
  trigger?: string;
  /** Id of the subagent that the event belongs to, within its parent's session. */
  agent?: string;
  model?: string;
  contextUse?: { used: number; window: number };
  /** After a compaction: all that the model's window holds now, the summary first, where the host passes it. */
  summary?: string;
  /** Before a compaction: results of tools that the host takes out of the conversation. */
  results?: readonly OldResult[];
  /** Whether the host keeps a text of ours in its system part, which is to change seldom. */
  standing?: boolean;
  /** The last messages as JSON, from a host that passes them instead of a transcript. */
  messages?: string;
  tool?: {
    name: string;
    input: unknown;
    response: unknown;
    id?: string;
    /** The host's own file with all of a result that it has cut. */
    file?: string;
  };
  /** Whether the result of the tool reaches the model without our answer. */
  isAnswered?: boolean;
}

export interface OldResult {
  id: string;
  about: string;
  text: string;
}

export interface HookAnswer {
  context?: string;
  /** Text for the host's system part, the same until the model's version of the pad is out of date. */
  standing?: string;
  hold?: string;
  summaryRequest?: string;
  /** Whether old results of tools are to be cut instead of a summary made (`compaction.prune`). */
  prunes?: boolean;
  /** How the model reads each of the results in question, by its id. */
  kept?: Readonly<Record<string, string>>;
  /** Replacement for a tool's output, in the shape of the original. */
  toolOutput?: unknown;
  toolText?: string;
}

export interface RecoveredOutput {
  /** More of the output than the host passed. */
  output?: string;
  /** For the model: why the output is incomplete. */
  loss?: string | undefined;
}

interface HookEvent {
  /** Absent if only our server takes note of the event. */
  kind?: EventKind;
  /** Whether an answer can have text for the model. */
  carriesText?: true;
  /** The hook that `install` writes; absent for an event that other settings report. */
  hook?: {
    matcher?: string;
    /** Fields of the event that the MCP server is given, which answers it where there is one. */
    fields?: readonly string[];
    /** Whether a command answers if the server does not. */
    hasStandIn?: true;
    /** Whether our plugin's mod answers first, and a command only if the mod did not. */
    isForMod?: true;
    /** Whether the host shows a line for the hook, so that our plugin leaves the event to its mod. */
    isVisible?: true;
    /** Whether only the server has use for the event. */
    needsServer?: true;
    /** Whether the host goes on without waiting for a plugin's command: it would give it up after 1.5 s. */
    isAsync?: true;
    /** Seconds until the host aborts the hook, if not as long as for others. */
    timeout?: number;
  };
}

/** Variable of the shell that keeps our server alive: its pid and that of the host (`install/hook-command.ts`). */
export const KEPT_BY = 'SCRATCHPAD_KEPT_BY';

/** The host's pid, from the shell that keeps our server, or from Claude Code; a hook's own parent may be any shell. */
export function findHostPid({ inProcess, name }: HookHost, env: NodeJS.ProcessEnv): number | undefined {
  if (inProcess) return process.pid;
  const [, hostOfShell] = (env[KEPT_BY] ?? '').split(' ');
  const pid = Number(hostOfShell ?? (name === 'claude-code' && env.CLAUDE_PID));
  return pid > 0 && !isProcessGone(pid) ? pid : undefined;
}

export interface HookHost {
  readonly name: string;
  readonly events: Readonly<Record<string, HookEvent>>;
  /** The text to print for an answer with nothing in it. */
  readonly silence: string;
  /** Whether the host can hold a compaction back. */
  readonly holds?: true;
  readonly inProcess?: true;
  /** Whether text at a session's start causes problems, so that the first prompt carries it. */
  readonly silentStart?: true;
  /** Whether injected text disappears after its turn, so that every turn needs the full text. */
  readonly ephemeral?: true;
  /** Whether the host shows its model branch, `git status` and the last commits at a start. */
  readonly showsGit?: true;
  /** Whether the host stamps each message with date, time and zone itself. */
  readonly stampsTime?: true;
  /**
   * Whether the host announces a compaction before every request that might need one, without reporting those that
   * happened. Then its transcript tells.
   */
  readonly unseenCompaction?: true;
  /** The model's name for our tool that changes the pad, where it has it. */
  readonly tool?: string;
  /** Tools of ours that are not offered, since the host has its own of that name. */
  readonly ownTools?: readonly string[];
  /** Whether a model may be asked without the schemas of our server's tools, at first or until it looks for them. */
  readonly lateTools?: true;
  /** Tokens at which the host compacts, if its settings say so or its transcripts do not give the model's window. */
  compactsAt?(root: string, env: NodeJS.ProcessEnv): Promise<number>;
  readonly room: Room;
  /** Finds more of a command's output that the host has cut before passing it. */
  recover?(input: HookInput): Promise<RecoveredOutput>;
  /** Whether the host answers one prompt and ends. */
  isOneShot?(input: HookInput, env: NodeJS.ProcessEnv): boolean;
  /** Whether an answer can replace the result of a tool. */
  readonly replaces: boolean;
  /** Lets the commands of a session that starts show that an agent runs them, where the host does not. */
  markCommands?(input: HookInput, env: NodeJS.ProcessEnv): void;
  /** Whether the host reports a prompt without words after each call of a tool. */
  readonly emptyPrompts?: true;
  read(json: JsonObject, env?: NodeJS.ProcessEnv): HookInput;
  /** The text to print for an answer; `silence` if the event cannot carry it. */
  render(event: string, answer: HookAnswer): string;
}

/** The event of that name; nothing for another. */
export const getEvent = ({ events }: HookHost, name: string): HookEvent =>
  (Object.hasOwn(events, name) ? events[name] : undefined) ?? {};

/** Characters of a prompt that are read: its beginning and its end. */
const MOST_PROMPT = 100_000;

const FIELD_NAMES = {
  session: ['session_id', 'sessionId'],
  transcript: ['transcript_path', 'transcriptPath'],
  cwd: ['cwd'],
  prompt: ['prompt', 'user_prompt'],
  tool: ['tool_name', 'toolName'],
} as const;

export function readCommon(json: JsonObject): HookInput {
  const readText = (...names: readonly string[]): string | undefined =>
    names.map((name) => getString(json, name)).find(Boolean);
  const getValue = (...names: string[]): unknown =>
    names.map((name) => json[name]).find((value) => value !== undefined);
  const name = readText(...FIELD_NAMES.tool);
  const prompt = readText(...FIELD_NAMES.prompt);

  return {
    session: readText(...FIELD_NAMES.session),
    transcript: readText(...FIELD_NAMES.transcript),
    cwd: readText(...FIELD_NAMES.cwd),
    prompt: prompt && cutBlanks(cutMiddle(prompt, MOST_PROMPT)),
    source: readText('source'),
    trigger: readText('trigger'),
    agent: readText('agent_id', 'agentId'),
    model: readText('model'),
    tool:
      name === undefined
        ? undefined
        : {
            name,
            input: getValue('tool_input', 'toolInput', 'toolArgs'),
            response: getValue('tool_response', 'tool_output', 'tool_result', 'toolResult'),
            id: readText('tool_use_id', 'toolCallId'),
            file: readText('toolResultFile'),
          },
  };
}

/** The fields that an event lacks, or has in another type: a host of another version may have changed them. */
export function listFieldFaults(kind: EventKind, json: JsonObject, { speaker }: HookInput): string[] {
  const isMissing = (name: string): boolean => json[name] === undefined || json[name] === null;
  const needed: (keyof typeof FIELD_NAMES)[] = ['session'];
  if (kind === 'tool') needed.push('tool');
  if (kind === 'prompt' && speaker === undefined) needed.push('prompt');

  return [
    ...needed
      .map((field) => FIELD_NAMES[field])
      .filter((names) => names.every(isMissing))
      .map(([name]) => `no ${name}`),
    ...Object.values(FIELD_NAMES)
      .flat()
      .filter((name) => !isMissing(name) && typeof json[name] !== 'string')
      .map((name) => `no text as ${name}`),
  ];
}

/** The input of a prompt that no person wrote: it shows no mood, topic or request. */
export function markSpeaker(speaker: NonNullable<HookInput['speaker']>, input: HookInput): HookInput {
  const { prompt: _, ...rest } = input;
  return { ...rest, speaker };
}

/** The object on stdin; `undefined` for anything else. */
export const parseInput = (text: string): JsonObject | undefined => parseObject(text.replace(/^\uFEFF/, ''));

/** A digest, a UUID, or a text too short for a key: the search for secrets takes a while, and these need none. */
const HARMLESS_ID = /^(?:[\da-f-]{1,36}|[\w.:-]{1,19})$/;

/** The id if it may be shown to the model: a plain one that cannot be a key. */
export function checkId(id: string | undefined): string | undefined {
  if (id === undefined || HARMLESS_ID.test(id)) return id;
  return /^[\w.:-]{1,128}$/.test(id) && redactSecrets(id) === id ? id : undefined;
}

/** Characters of an output that a hook leaves as it is: fewer than the 30,000 or so at which hosts cut it themselves. */
export const HOOK_OUTPUT_LIMIT = 28_000;

const COMMAND_TOOLS = new Set(['Bash', 'bash', 'run_shell_command', 'exec', 'Execute']);
/** Tools that change files, whose results the model mostly does not see, and our own tools, whose answers are limited. */
const NEVER_STORED =
  /^(?:edit|multiedit|write|notebookedit|todo\w*|replace|write_file|apply_patch|create)$|scratchpad/i;

export const isCommand = (name: string): boolean => COMMAND_TOOLS.has(name);
export const isStorable = (name: string): boolean => !NEVER_STORED.test(name);

/**
 * Whether a tool's result may contain a text over the limit. Judged by its JSON, which is never shorter: most calls
 * load none of the code that stores outputs.
 */
export const hasLongText = (json: string): boolean => json.length > HOOK_OUTPUT_LIMIT;

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
export const getWindowSize = (model: string | undefined): number | undefined =>
  WINDOWS.find(([name]) => name.test(model ?? ''))?.[1];
