import type { JsonObject } from '../text/json.ts';

/** How the person's words reached the agent. */
export type Voice =
  /** Typed at the prompt. */
  | 'prompt'
  /** Typed while the agent worked. */
  | 'queued'
  /** Given when refusing a tool call. */
  | 'rejection'
  /** An answer to a question that the agent asked with a tool. */
  | 'answer';

/** Result of a tool call. `denied`: by the host's rules, nobody was asked. `unknown`: the host does not say. */
export type CallOutcome = 'ok' | 'failed' | 'rejected' | 'denied' | 'interrupted' | 'unknown';

/** Position of an event. */
export interface EventPlace {
  /** The host's own id, or one derived from the position. */
  id: string;
  /** Start of its record: a byte offset in a file, a sequence number in a database. */
  at: number;
  /** ISO 8601 in UTC. */
  timestamp?: string;
  /** If one file holds several sessions. */
  session?: string;
  /** The speaker in a group chat, as the host names them. */
  sender?: string;
}

/** Words of the person, without any text written by a program. */
export interface PersonSaid extends EventPlace {
  type: 'person';
  voice: Voice;
  text: string;
  /** For a rejection or an answer: the id of its call. */
  call?: string;
  /** For an answer: the questions, with the person's answer to each. */
  answers?: readonly { question: string; answer: string }[];
  /** Which of several records of the same words this is. */
  way?: string;
}

/** Words of the agent. */
export interface AgentSaid extends EventPlace {
  type: 'agent';
  text: string;
  /** Shared by parts of one answer that are on several lines. */
  answer?: string;
  way?: string;
}

/** Text for the model that neither the person nor the agent wrote. */
export interface HostSaid extends EventPlace {
  type: 'host';
  text: string;
}

/** A tool call. */
export interface Call extends EventPlace {
  type: 'call';
  tool?: string;
  /** A string if the tool takes text, or if the host stores JSON as a string. */
  input: JsonObject | string;
}

/** The result of a tool call. */
export interface Result extends EventPlace {
  type: 'result';
  /** Id of the call. */
  call?: string;
  tool?: string;
  text: string;
  outcome: CallOutcome;
  /** Exit status, if the host records it. */
  exit?: number;
}

/** A plan that the host passed to the model on the person's behalf, or that the person approved. */
export interface PlanGiven extends EventPlace {
  type: 'plan';
  text: string;
  file?: string;
}

/** The person stopped the agent. */
export interface Interrupted extends EventPlace {
  type: 'interrupted';
  reason: string;
}

/** The host replaced earlier messages by a summary. */
export interface Compacted extends EventPlace {
  type: 'compacted';
  summary?: string;
  /** Only old tool results were dropped. */
  partial?: true;
}

/** A pull request that the host linked to the session. */
export interface Linked extends EventPlace {
  type: 'link';
  text: string;
}

/** What the session is called. */
export interface Titled extends EventPlace {
  type: 'title';
  text: string;
  by: 'person' | 'host';
}

/** The host's own summary of where the work stands, written for a person who was away. */
export interface Recapped extends EventPlace {
  type: 'recap';
  text: string;
}

/** A custom entry of ours in a host's session file. */
export interface Kept extends EventPlace {
  type: 'entry';
  key: string;
  data: unknown;
}

/** Facts of the session; later ones in the file replace earlier ones. */
export interface Facts {
  type: 'facts';
  session?: string;
  /** Where the session was started. */
  cwd?: string;
  /** The agent's working directory at this record. */
  workingDirectory?: string;
  branch?: string;
  model?: string;
  tokensUsed?: number;
  contextWindow?: number;
  utcOffsetHours?: number;
}

/** A record without content, and the reason. */
export interface Skip {
  type: 'skip';
  reason: string;
  count?: number;
}

/** The content of one record of a transcript, whatever host wrote it. */
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
  | Titled
  | Recapped
  | Kept
  | Facts
  | Skip;

/** Receives the events of a transcript, newest first. */
export interface EventSink {
  add(event: SessionEvent): void;
  /** Whether older events are no longer needed. */
  readonly full: boolean;
}

/**
 * Whether a result may contain words of the person. The host writes the results of its own tools; the result
 * of an MCP server's tool is whatever that server says.
 */
export function mayCarryWords(voice: Voice, tool: string | undefined): boolean {
  if (voice === 'answer') return tool === undefined || tool === 'AskUserQuestion';
  return voice !== 'rejection' || tool?.startsWith('mcp__') !== true;
}
