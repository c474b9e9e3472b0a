import type { EmbeddingSettings } from '../memory/embeddings/service.ts';
import type { CommandSpec } from './command.ts';

/** The configuration in force, with defaults filled in. Durations are in milliseconds. */
export interface Config {
  primarySession: string;
  /** IANA name; `undefined` for the system's zone. */
  timezone: string | undefined;
  ttl: number;
  limits: { notes: number; plan: number; refs: number };
  state: { maxTokens: number; write: 'turn' | 'prompt' };
  window: { messages: number; age: number };
  transcript: { paths: string[] };
  memory: { paths: string[]; sources: string[]; results: number; embeddings: EmbeddingSettings };
  /** `user`: commands that produce the user's own sections. */
  stages: { off: string[]; user: readonly CommandSpec[] };
  sentiment: { command: CommandSpec | undefined };
  mood: { history: boolean };
  feedback: { notice: boolean; halfLife: number };
  alerts: {
    calendars: string[];
    disk: number;
    disks: string[];
    brief: boolean;
    commands: readonly CommandSpec[];
  };
  routing: {
    low: string;
    medium: string;
    high: string;
    private: string;
    privateFrom: 'medium' | 'high' | 'never';
  };
  scratchpad: { enabled: boolean; maxTokens: number };
  mcp: { allTools: boolean };
  tokens: { exact: boolean };
  /** Turns; 0 turns a nudge off. */
  nudgeAfterTurns: number;
  nudgeOnPlanDetected: number;
  nudgeAfterCompaction: number;
  nudgeTurnsSinceLastUse: number;
  /** How long (milliseconds) and how much (megabytes) of the outputs to keep. */
  outputs: { keep: number; size: number };
  compaction: { warnAt: number; window: number; hold: 'off' | 'once' };
  primary: { onNewSession: 'keep' | 'archive' };
  /** How long archived sessions are kept. */
  archive: { age: number };
  /**
   * Which plans a new session is shown: up to what age, and whether those of other branches and worktrees.
   */
  scope: { age: number; branchAge: number; branches: 'apart' | 'shared'; worktrees: 'apart' | 'shared' };
  subagent: { copyNotepad: boolean; inherit: string[] };
  /** Address of the shared store (`docs/sessions.md`). */
  store: string | undefined;
  shared: {
    workspace: string | undefined;
    tenant: string | undefined;
    redact: boolean;
    largestEntry: number;
    /** Milliseconds. */
    wait: number;
    passwordCommand: CommandSpec | undefined;
  };
  hook: { deadline: number; say: 'once' | 'always'; pad: 'shared' | 'own' };
  /** Tokens of conversation after which the plan is repeated; 0 means never. */
  recite: { step: number; plan: number };
}

export type SettingValue = string | number | boolean | readonly string[] | CommandSpec | undefined;

/** One setting: its key, its type, its default and its purpose. */
export interface Setting {
  /** The full key; one that ends in `<id>` covers any name in that place. */
  key: string;
  kind:
    | 'text'
    | 'label'
    | 'zone'
    | 'duration'
    | 'count'
    | 'turns'
    | 'percent'
    | 'choice'
    | 'switch'
    | 'list'
    | 'command';
  /** The path in `Config` that lists all values of an `<id>` setting. */
  into?: string;
  /** Names that an `<id>` may not have, because built-in settings use them. */
  taken?: readonly string[];
  /** For a choice: its values. For a list: the values that its items may have. */
  options?: readonly string[];
  /**
   * `true`: only the user's own config may set it, because a cloned workspace must not decide where text is
   * sent or which environment variable goes with it. `'outside'`: a workspace may set it to paths inside the
   * workspace only, so that it cannot have the user's other files shown to an agent.
   */
  own?: boolean | 'outside';
  /** As a person would write it. */
  default: string | number | boolean | readonly string[] | undefined;
  about: string;
}
