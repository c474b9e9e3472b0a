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

/** The levels: length and preamble from -2 (less) to 2 (more), each tone from -2 (avoid) to 2 (prefer). */
export type Axis = 'verbosity' | 'preamble' | Tone;

export type Levels = Record<Axis, number>;

/** The part of a strategy that feedback is about. */
export type InForce = Pick<Strategy, 'style' | 'tone' | 'verbosity' | 'preamble'>;

/** One remark of a person about the answers. */
export interface FeedbackEvent {
  /** ISO 8601, UTC. */
  at: string;
  /** The name that the host gives them, or empty. */
  person: string;
  /** What they said, redacted, as one plain line; of a remark in a transcript only the relevant words. */
  text: string;
  meanings: readonly Meaning[];
  /** `said`: through the command; `noticed`: found in a transcript, with less weight. */
  source: 'said' | 'noticed';
  /** The strategy at the time, if known. */
  strategy: InForce | null;
  /** Identifies a message of a transcript that was counted already. */
  mark?: string;
}
