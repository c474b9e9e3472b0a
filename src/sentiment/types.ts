import type { Message } from '../transcript/types.ts';
import type { Token } from './features.ts';

/** The dimensions of a state, each from 0 (none) to 1 (maximal). */
export const DIMENSIONS = ['frustration', 'urgency', 'fatigue', 'playfulness'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export type Dimensions = Record<Dimension, number>;

/**
 * The name of a state with one leading dimension; `neutral` if none leads, `not read` for another language than English.
 * Another engine may name others.
 */
export type Emotion = 'neutral' | 'not read' | 'frustrated' | 'urgent' | 'tired' | 'playful' | (string & {});

export const EMOTION_OF: Readonly<Record<Dimension, Emotion>> = {
  frustration: 'frustrated',
  urgency: 'urgent',
  fatigue: 'tired',
  playfulness: 'playful',
};

export interface Signal {
  name: string;
  /** Strength, 0 to 1. */
  score: number;
  raises: Dimension;
  /** Words and figures that a reader can check; short, never whole messages. */
  evidence: string[];
}

/** A message with its preprocessing, shared by all extractors. */
export interface ReadMessage extends Message {
  /** The person's own prose, without code, logs, traces, diffs, quotes, URLs and paths. */
  prose: string;
  /** The words, punctuation, numbers and emoji of `prose`, in order. */
  tokens: readonly Token[];
  words: readonly string[];
  /** Epoch milliseconds; `undefined` if the message has no time. */
  time: number | undefined;
}

/**
 * Trend of frustration: from the mean of the earlier half of the person's turns to that of the later one; after one of
 * the last messages was angry and the last is not, from that message to what is left of it.
 */
export interface Trajectory {
  /** Frustration, 0 to 1. */
  start: number;
  now: number;
  direction: 'rising' | 'easing' | 'steady';
  peak: number;
  turns: number;
}

export interface SentimentState extends Dimensions {
  /** The leading dimension; `neutral` if none leads or too little is known. */
  emotion: Emotion;
  secondary: Emotion | null;
  /** -1 (unpleasant) to 1 (pleasant). */
  valence: number;
  /** 0 (calm) to 1 (agitated); less reliable than valence. */
  arousal: number;
  /** Reliability of the whole reading, 0 to 1; low for few words, another language, or nothing but a paste. */
  confidence: number;
  isRead: boolean;
  signals: Signal[];
  windowSize: number;
  /** ISO 8601 UTC time of the last one; `null` if it has none. */
  timestamp: string | null;
  /** The person's name in a group chat; `null` if the host does not give one. */
  sender: string | null;
  /** `null` with fewer than four turns. */
  trajectory: Trajectory | null;
}

export const STYLES = ['concise', 'gentle', 'matched', 'neutral'] as const;
export const TONES = ['direct', 'warm', 'playful', 'professional'] as const;
export const VERBOSITIES = ['minimal', 'moderate', 'thorough'] as const;

export type Style = (typeof STYLES)[number];
export type Tone = (typeof TONES)[number];
export type Verbosity = (typeof VERBOSITIES)[number];

/** How to answer: about the answer, never about the person. */
export interface Strategy {
  style: Style;
  tone: Tone;
  verbosity: Verbosity;
  preamble: boolean;
  suggestions: string[];
  /** Which threshold led to what, for `--explain`. */
  reasons: string[];
}
