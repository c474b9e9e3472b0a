import type { Message } from '../transcript/message.ts';
import type { Token } from './words.ts';

/** The six dimensions of a state, each 0 (none) to 1 (as strong as it gets). */
export const DIMENSIONS = [
  'frustration',
  'playfulness',
  'urgency',
  'curiosity',
  'fatigue',
  'engagement',
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** The strength of each dimension, 0 to 1. */
export type Dimensions = Record<Dimension, number>;

/** What a state is called when one dimension stands out; `neutral` when none does. */
export type Emotion = 'neutral' | 'frustrated' | 'playful' | 'urgent' | 'curious' | 'tired' | 'engaged';

/** The word for each dimension when it leads. */
export const EMOTION_OF: Readonly<Record<Dimension, Emotion>> = {
  frustration: 'frustrated',
  playfulness: 'playful',
  urgency: 'urgent',
  curiosity: 'curious',
  fatigue: 'tired',
  engagement: 'engaged',
};

/** Something that was found, and what it says. */
export interface Signal {
  name: string;
  /** Strength, 0 to 1. */
  score: number;
  /** The dimension that it raises; absent where an engine of the user's own does not say. */
  raises?: Dimension;
  /** Words and figures that a reader can check; short, never whole messages. */
  evidence: string[];
}

/** A message with what reading it found, so that extractors share the work. */
export interface ReadMessage extends Message {
  /** The person's own prose: code, logs, traces, diffs, quotes, URLs and paths taken out. */
  prose: string;
  /** The words, marks, numbers and faces of `prose`, in order. */
  tokens: readonly Token[];
  /** Its lower-case words. */
  words: readonly string[];
  /** Epoch milliseconds, `undefined` when the message tells no time. */
  time: number | undefined;
}

/** Where frustration went within the window: means of its earlier and later half. */
export interface Trajectory {
  /** Mean frustration of the earlier half of the person's turns, 0 to 1. */
  start: number;
  /** Mean frustration of the later half, 0 to 1. */
  now: number;
  direction: 'rising' | 'easing' | 'steady';
  /** How many of the person's turns it rests on. */
  turns: number;
  /** Mean valence of the two halves, -1 to 1. */
  valenceStart: number;
  valenceNow: number;
}

/** How a person seems to be, with what says so. */
export interface SentimentState extends Dimensions {
  /** The dimension that leads, `neutral` when none does or too little is known. */
  emotion: Emotion;
  /** The one after it, if it is strong enough to name. */
  secondary: Emotion | null;
  /** -1 (unpleasant) to 1 (pleasant). */
  valence: number;
  /** 0 (calm) to 1 (agitated); a weaker reading than valence. */
  arousal: number;
  /** How far to trust all of this, 0 to 1. */
  confidence: number;
  /** What was found, strongest first. */
  signals: Signal[];
  /** The person's messages that were read. */
  windowSize: number;
  /** ISO 8601 UTC time of the last one, `null` when it tells none. */
  timestamp: string | null;
  /** Who this is about in a group chat, `null` when the host does not name them. */
  sender: string | null;
  /** `null` with fewer than four turns. */
  trajectory: Trajectory | null;
}

export type Style = 'concise' | 'exploratory' | 'gentle' | 'matched' | 'neutral';
export type Tone = 'direct' | 'warm' | 'playful' | 'professional';
export type Verbosity = 'minimal' | 'moderate' | 'thorough';

/** How to answer; it speaks of the answer, never of the person. */
export interface Strategy {
  style: Style;
  tone: Tone;
  verbosity: Verbosity;
  preamble: boolean;
  /** Advice for the agent, most important first. */
  suggestions: string[];
  /** Which threshold gave what, for `--explain`. */
  reasons: string[];
}
