import type { Usage } from '../pad/budget.ts';

/** One thing that happened in the session: words, or what a tool answered. */
export interface TimelineEvent {
  /** ISO 8601, UTC; absent where the host does not tell. */
  at?: string;
  who: 'person' | 'agent' | 'tool' | 'system';
  /** The tool, or the speaker in a group chat. */
  name?: string;
  text: string;
}

/** The plan after a change of it. */
export interface PlanMoment {
  at: string;
  by: string;
  steps: number;
  done: number;
  /** What the change did. */
  words: string;
}

/** One section of the present state with what each line rests on. */
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
  /** Where the events come from, for a person. */
  source?: string;
  events: readonly TimelineEvent[];
  plan: string;
  planMoments: readonly PlanMoment[];
  sections: readonly StateSection[];
  facts: readonly { kind: string; text: string; why: string; place: string; time?: string; open: boolean }[];
  told: readonly { at: string; text: string }[];
  /** Tokens of all that the model was told in its present window. */
  toldTokens: number;
  /** What was kept back at the last event, and why. */
  heldBack: readonly { text: string; reason: string }[];
  usage: readonly Usage[];
  state: { tokens: number; maxTokens: number };
  /** Outputs that were kept as entries: what they have, and what of it went into the conversation. */
  entries: readonly { name: string; characters: number; origin: string; savedTokens: number }[];
}
