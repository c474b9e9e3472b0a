import type { Facts } from './event.ts';

/** Who wrote a message. Only the person's own words are `user`. */
export type Role = 'user' | 'assistant' | 'tool' | 'system';

export interface Message {
  /** The host's own id, or one derived from the position when the host gives none. */
  id: string;
  role: Role;
  content: string;
  /** The speaker in a group chat; of a doubtful message, the doubt, so that it counts for nobody else. */
  sender?: string;
  /** Who else may have written it, as `perhaps text of the command /fix`. */
  doubt?: string;
  /** The way of a person's words to the agent, if not at the prompt. */
  voice?: 'queued' | 'rejection' | 'answer';
  tool?: string;
  /** ISO 8601 in UTC; absent if the host does not record it. */
  timestamp?: string;
  session: string;
}

export interface ReadOptions {
  /**
   * Size of the window: the number of user, assistant and system messages. Default 20; `Infinity` for all. Up
   * to as many tool messages are returned in addition. See `chooseWindow`.
   */
  limit?: number;
  /** Messages more than this many milliseconds older than the newest are left out. */
  maxAgeMs?: number;
  /** The session to read from a database (key or id); for a file, the id to use if it has none. */
  session?: string;
}

export interface CustomEntry {
  /** `openclaw:scratchpad`, or that with `:notes`, `:plan` or `:refs`. */
  key: string;
  data: unknown;
}

export interface Compaction {
  timestamp?: string;
  summary?: string;
}

/** Facts that the host recorded beside the messages. */
export interface SessionFacts
  extends Pick<Facts, 'cwd' | 'branch' | 'model' | 'tokensUsed' | 'contextWindow' | 'utcOffsetHours'> {
  id?: string;
  compactions: Compaction[];
}

export interface SkippedRows {
  reason: string;
  count: number;
}

/** An act of the person without words: they refused a tool call, or stopped the agent. */
export interface Sign {
  kind: 'rejected' | 'interrupted';
  timestamp?: string;
}

export interface Transcript {
  format: string;
  messages: Message[];
  facts: SessionFacts;
  signs?: Sign[];
  skipped: SkippedRows[];
}

export interface SessionRef {
  /** The agent that wrote it: `claude-code`, `codex`, `gemini`, `openclaw`, `pi`, or a format's name. */
  host: string;
  /** The host's id; for an OpenClaw database its session key. */
  id: string;
  /** The key of the chat that the session is held in, where `id` is another. */
  chat?: string;
  path: string;
  cwd?: string;
  lastActive: string;
}
