import type { Message } from '../tasks.ts';

/** What happened in a session, in order, in the same words for every host. */
export type Happened =
  | { prompt: string }
  | { call: string; arg: string; id?: string; failed?: boolean }
  | { say: string };

/** What one line of a host's output tells. */
export type Told =
  | Happened
  | { session: string }
  | { done: string; failed: boolean }
  /** Of one request; "turn" is of all of them. */
  | { usage: Usage; of: string }
  | { model: string }
  | { error: string };

export interface Usage {
  /** Tokens that were read, with those from a cache. */
  input: number;
  cached: number;
  output: number;
}

export interface Place {
  /** The home of the person, which is only read, and the temporary one. */
  person: string;
  home: string;
  work: string;
  sandbox: boolean;
}

export interface Program {
  command: string;
  args: string[];
}

export interface Turn {
  text: Message['text'];
  session?: string | undefined;
  model?: string | undefined;
  sandbox: boolean;
}

export interface Host {
  name: string;
  /** The command as a person types it, and what to do if it is missing. */
  command: string;
  install: string;
  /** The file of instructions that it loads by itself. */
  instructions: string;
  /** What it reads of the person's configuration, below their home: these files are compared before and after. */
  configuration: string[];
  /** Variables that may carry a login. */
  variables: RegExp;
  /** Makes the temporary home from the person's configuration: login and model, no hooks, servers, memories. */
  prepare(place: Place): void;
  turn(turn: Turn): string[];
  env(place: Place): Record<string, string>;
  /** Reads a line of output. */
  read(line: Record<string, unknown>): Told[];
  /** Everything that a session has used so far, where its output does not tell what one turn used. */
  used?(place: Place, session: string): Usage;
  /** A program beside it that prints lines for `read`, where the host itself prints nothing while it works. */
  follow?(place: Place, program: Program): Program;
  /** Whether its sessions are in a database, whose times a script cannot set back. */
  database?: true;
  /** How it compacts a session without a person: the arguments of one turn, and settings that hold during it. */
  compact:
    | { args(session: string, sandbox: boolean): string[]; during?(place: Place): () => void }
    | undefined;
  /** Every text that was put into the context by hooks, as the host itself recorded it. */
  injected(place: Place, session: string): string[];
}

/** Said in a turn that is only there to make the host compact. */
export const WAIT = 'Wait for my next message.';

export type Json = Record<string, unknown>;

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : []);
export const string = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The text of a message's content, which is a string or parts. */
export const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => string(part.text))
        .join('\n');

const KINDS: readonly [RegExp, string][] = [
  [/^(bash|shell|local_shell|exec|exec_command|run_shell_command|command_execution|process)$/i, 'bash'],
  [/^(read|read_file|read_many_files|view|glob|grep|ls|list_directory|search_file_content)$/i, 'read'],
  [/^(write|write_file|create_file)$/i, 'write'],
  [/^(edit|multiedit|replace|apply_patch|file_change|str_replace.*)$/i, 'edit'],
];

/** A call of any host's tool, in our words. */
export function callOf(name: string, input: unknown, id?: string): Happened {
  const fields = object(input);
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  const known = ['command', 'cmd', 'file_path', 'path', 'absolute_path', 'pattern'].map((key) => fields[key]);
  const found = known.find((value) => value !== undefined);
  const arg = Array.isArray(found) ? found.join(' ') : string(found);
  return { call: kind, arg: arg || JSON.stringify(input ?? ''), ...(id ? { id } : {}) };
}
