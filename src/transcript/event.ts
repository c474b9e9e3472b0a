import type { JsonObject } from './json.ts';

/** How the person's words reached the agent. */
export type Voice =
  /** Typed at the prompt. */
  | 'prompt'
  /** Typed while the agent worked. */
  | 'queued'
  /** Given with the refusal of a tool call. */
  | 'rejection'
  /** An answer to a question that the agent asked with a tool. */
  | 'answer';

/** What became of a tool call. `unknown`: the host does not say. */
export type Outcome = 'ok' | 'failed' | 'rejected' | 'interrupted' | 'unknown';

/** Where an event stands. */
export interface Place {
  /** The host's own id, or one derived from the position. */
  id: string;
  /** Where its record begins: a byte offset in a file, a sequence number in a database. */
  at: number;
  /** ISO 8601 in UTC. */
  timestamp?: string;
  /** Where one file holds several sessions. */
  session?: string;
  /** Who spoke in a group chat, as the host names them. */
  sender?: string;
}

/** Words of the person. Nothing that a program wrote is among them. */
export interface PersonSaid extends Place {
  type: 'person';
  voice: Voice;
  text: string;
  /** For a rejection or an answer: the id of the call that it belongs to. */
  call?: string;
  /** For an answer: the questions with what the person said to each. */
  answers?: readonly { question: string; answer: string }[];
  /** The same words are written in several ways: which one this is. */
  way?: string;
}

/** Words of the agent. */
export interface AgentSaid extends Place {
  type: 'agent';
  text: string;
  /** Parts of one answer that are written on several lines share this. */
  answer?: string;
  way?: string;
}

/** Words that neither the person nor the agent spoke, meant for the model. */
export interface HostSaid extends Place {
  type: 'host';
  text: string;
}

/** A tool call. */
export interface Call extends Place {
  type: 'call';
  tool?: string;
  /** Text where the tool takes text, or where the host keeps JSON as text. */
  input: JsonObject | string;
}

/** What came back from a tool call. */
export interface Result extends Place {
  type: 'result';
  /** Id of the call. */
  call?: string;
  tool?: string;
  text: string;
  outcome: Outcome;
  /** Exit status, where the host tells it. */
  exit?: number;
}

/** A plan that the host put before the model in the person's place, or that the person approved. */
export interface PlanGiven extends Place {
  type: 'plan';
  text: string;
  file?: string;
}

/** The person stopped the agent. */
export interface Interrupted extends Place {
  type: 'interrupted';
  reason: string;
}

/** The host folded what was before into a summary. */
export interface Compacted extends Place {
  type: 'compacted';
  summary?: string;
  /** Only old results of tools were dropped. */
  partial?: true;
}

/** A pull request that the host linked to the session. */
export interface Linked extends Place {
  type: 'link';
  text: string;
}

/** A custom entry of ours in a host's session file. */
export interface Kept extends Place {
  type: 'entry';
  key: string;
  data: unknown;
}

/** Facts of the session; what is told later in the file counts. */
export interface Facts {
  type: 'facts';
  session?: string;
  /** Where the session was started. */
  cwd?: string;
  /** Where the agent was at this record. */
  workingDirectory?: string;
  branch?: string;
  model?: string;
  tokensUsed?: number;
  contextWindow?: number;
  utcOffsetHours?: number;
}

/** A record that says nothing, and why. */
export interface Skip {
  type: 'skip';
  reason: string;
  count?: number;
}

/** What one record of a transcript says, whatever host wrote it. */
export type SessionEvent =
  | PersonSaid
  | AgentSaid
  | HostSaid
  | Call
  | Result
  | PlanGiven
  | Interrupted
  | Compacted
  | Linked
  | Kept
  | Facts
  | Skip;

/** Takes the events of a transcript, newest first. */
export interface EventSink {
  add(event: SessionEvent): void;
  /** True when nothing older is wanted. */
  readonly full: boolean;
}

/**
 * Whether words that a result claims for the person can be theirs. A result is written by the host for its own
 * tools; the text of a tool that a server brings (MCP) is whatever that server says.
 */
export function mayCarryWords(voice: Voice, tool: string | undefined): boolean {
  if (voice === 'answer') return tool === undefined || tool === 'AskUserQuestion';
  return voice !== 'rejection' || tool?.startsWith('mcp__') !== true;
}
