import type { Usage } from '../../pad/budget.ts';

/** One event of the session: a message, or the output of a tool. */
export interface TimelineEvent {
  /** ISO 8601, UTC; absent if the host does not record it. */
  at?: string;
  who: 'person' | 'agent' | 'tool' | 'system';
  /** The tool, or the speaker in a group chat. */
  name?: string;
  text: string;
}

/** The plan after a change. */
export interface PlanMoment {
  at: string;
  by: string;
  steps: number;
  done: number;
  /** What the change did. */
  words: string;
}

/** One section of the current state, with the source of each line. */
export interface StateSection {
  title: string;
  status: string;
  reason?: string;
  lines: readonly { text: string; why?: string }[];
}

/** Everything that the page shows; all texts without secrets. */
export interface ReportData {
  workspace: string;
  session: string;
  /** ISO 8601, UTC. */
  made: string;
  /** The source of the events, for a person. */
  source?: string;
  events: readonly TimelineEvent[];
  plan: string;
  notes: string;
  refs: readonly string[];
  planMoments: readonly PlanMoment[];
  sections: readonly StateSection[];
  /** Where the session stands, in a line. */
  handover: string;
  /** The person's messages, and whether a session that goes on is told them. */
  said: readonly { text: string; told: boolean; at?: string }[];
  told: readonly { at: string; text: string }[];
  /** Tokens of everything that the model was told in its current context window. */
  toldTokens: number;
  /** ISO 8601, UTC: the last event at which hooks had lines to tell or to hold back. */
  heldAt?: string;
  /** What was held back at it, and why. */
  heldBack: readonly { text: string; reason: string }[];
  usage: readonly Usage[];
  state: { tokens: number; maxTokens: number };
  /** Outputs that were stored as entries: their size, and how much of it went into the conversation. */
  entries: readonly { name: string; characters: number; origin: string; savedTokens: number }[];
}
