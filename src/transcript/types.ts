import type { Message } from './message.ts';

/** What to read of a transcript. */
export interface ReadOptions {
  /**
   * Size of the window: how many user, assistant and system messages to give. Default 20; `Infinity` for all.
   * Tool messages are given beside them, at most as many again. See `window.ts`.
   */
  limit?: number;
  /** Messages older than this many milliseconds before the newest one are left out. */
  maxAgeMs?: number;
  /** In a database, the session to read (key or id); elsewhere the id to use when the transcript names none. */
  session?: string;
}

/** A custom entry that an agent kept for us in its session file. */
export interface CustomEntry {
  /** `openclaw:scratchpad`, or that with `:notes`, `:plan` or `:refs`. */
  key: string;
  data: unknown;
  id?: string;
  timestamp?: string;
}

/** The place where the host folded older messages into a summary. */
export interface Compaction {
  timestamp?: string;
  summary?: string;
}

/** What the host says about the session besides its messages, as far as it was read. */
export interface SessionFacts {
  id?: string;
  cwd?: string;
  /** The branch that was checked out at the last record, where the host tells. */
  branch?: string;
  model?: string;
  /** Tokens in the model's context at its last answer. */
  tokensUsed?: number;
  /** Size of the model's context in tokens. */
  contextWindow?: number;
  /** Hours east of UTC, where the input gives them. */
  utcOffsetHours?: number;
  /** The first words of the human in the session, where they are older than the window. */
  opening?: string;
  /** Oldest first. */
  compactions: Compaction[];
  /** Entries under our keys, oldest first. */
  entries: CustomEntry[];
}

/** Why lines gave no message, and how many. */
export interface Skipped {
  reason: string;
  count: number;
}

/** What the person did without words: refused a tool call, or stopped the agent. */
export interface Sign {
  kind: 'rejected' | 'interrupted';
  timestamp?: string;
}

/** A transcript in the form every stage reads. */
export interface Transcript {
  /** Name of the format that was recognised. */
  format: string;
  /** Oldest first. */
  messages: Message[];
  facts: SessionFacts;
  /** Oldest first. */
  signs?: Sign[];
  /** Most frequent first. */
  skipped: Skipped[];
}
