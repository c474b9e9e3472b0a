import type { EmbeddingSettings } from '../memory/embeddings/settings.ts';
import type { CommandSpec } from './command.ts';

/** The configuration in force, defaults filled in. Durations in milliseconds. */
export interface Config {
  primarySession: string;
  /** IANA name; `undefined` for the system's zone. */
  timezone: string | undefined;
  ttl: number;
  limits: { notes: number; plan: number; refs: number };
  state: { maxTokens: number };
  window: { messages: number; age: number };
  transcript: { paths: string[] };
  /** Kinds of facts that the trail shows; all where none is named. */
  trail: { kinds: string[] };
  memory: { paths: string[]; sources: string[]; results: number; embeddings: EmbeddingSettings };
  /** `user`: the commands that make sections of their own. */
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
  tokens: { exact: boolean };
  /** Turns; 0 turns a nudge off. */
  nudgeAfterTurns: number;
  nudgeOnPlanDetected: number;
  nudgeAfterCompaction: number;
  nudgeTurnsSinceLastUse: number;
  /** How long, in milliseconds, and how much of them, in megabytes, outputs are kept. */
  outputs: { keep: number; size: number };
  compaction: { warnAt: number; window: number; hold: 'off' | 'once' };
  primary: { onNewSession: 'keep' | 'archive' };
  /** How long what was put away is kept. */
  archive: { age: number };
  /** What of a plan is put before a session: of which age, and whether of other branches. */
  scope: { age: number; branches: 'apart' | 'shared'; worktrees: 'apart' | 'shared' };
  subagent: { copyNotepad: boolean; inherit: string[] };
  /** Address of the shared store (`docs/shared-store.md`). */
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
  /** Tokens of talk after which the plan is said again; 0: never. */
  recite: { step: number; plan: number };
}

export type SettingValue = string | number | boolean | readonly string[] | CommandSpec | undefined;

/** One setting: what it may be, what it is by default, and what it is for. */
export interface Setting {
  /** In full; or ending in `<id>`, for any names in that place. */
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
  /** Where `Config` has the values of a setting for any names, as a list. */
  into?: string;
  /** Names that are taken. */
  taken?: readonly string[];
  /** For a choice; for a list, what its items may be. */
  options?: readonly string[];
  /**
   * Taken from the user's own file alone: a workspace that came with a clone decides neither where words are sent
   * nor which variable of the environment goes with them. `outside`: only what lies outside the workspace; it
   * does not decide which of the user's other files are read to an agent either.
   */
  own?: boolean | 'outside';
  /** As a person would write it. */
  default: string | number | boolean | readonly string[] | undefined;
  about: string;
}
