import type { Strategy, Tone } from '../sentiment/types.ts';

/** What a remark about the answers can ask for; `good` is praise. */
export const MEANINGS = [
  'shorter',
  'longer',
  'no preamble',
  'preamble',
  'direct',
  'warm',
  'playful',
  'professional',
  'good',
] as const;

export type Meaning = (typeof MEANINGS)[number];

/** What levels are kept of: length and preamble from -2 (less) to 2 (more), each tone from -2 (away) to 2 (towards). */
export type Axis = 'verbosity' | 'preamble' | Tone;

export type Levels = Record<Axis, number>;

/** The part of a strategy that feedback speaks of. */
export type InForce = Pick<Strategy, 'style' | 'tone' | 'verbosity' | 'preamble'>;

/** One remark of a person about how they are answered. */
export interface FeedbackEvent {
  /** ISO 8601, UTC. */
  at: string;
  /** The name that the host gives them; empty where it gives none. */
  person: string;
  /** What they said, redacted, one plain line; of a remark in a transcript only the words that count. */
  text: string;
  meanings: readonly Meaning[];
  /** `said`: through the command; `noticed`: read in a transcript, and believed less. */
  source: 'said' | 'noticed';
  /** How they were being answered, where that is known. */
  strategy: InForce | null;
  /** Tells a message of a transcript that has been counted already. */
  mark?: string;
}
