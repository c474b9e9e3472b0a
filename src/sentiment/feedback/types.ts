import { plainLine } from '../../base/safety/index.ts';
import { membersOf } from '../../base/text/json.ts';
import type { Strategy, Tone } from '../types.ts';

/** What a remark about the answers can ask for; `good` is praise. */
const MEANINGS = [
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

const TEXT_LENGTH = 200;
const KNOWN: ReadonlySet<unknown> = new Set(MEANINGS);
const STYLES: ReadonlySet<unknown> = new Set(['concise', 'exploratory', 'gentle', 'matched', 'neutral']);
const TONES: ReadonlySet<unknown> = new Set(['direct', 'warm', 'playful', 'professional']);
const VERBOSITIES: ReadonlySet<unknown> = new Set(['minimal', 'moderate', 'thorough']);

/** A stored remark. The file may have come with a clone, so every field is checked. */
export function eventOf(value: unknown): FeedbackEvent[] {
  const { at, person, text, meanings, source, strategy, mark } = membersOf(value);
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time) || typeof person !== 'string' || !Array.isArray(meanings)) return [];
  return [
    {
      at: new Date(time).toISOString(),
      person,
      text: typeof text === 'string' ? plainLine(text, TEXT_LENGTH) : '',
      meanings: meanings.filter((meaning): meaning is Meaning => KNOWN.has(meaning)),
      source: source === 'said' ? 'said' : 'noticed',
      strategy: strategyOf(strategy),
      ...(typeof mark === 'string' ? { mark } : {}),
    },
  ];
}

/** A stored strategy; `null` for anything else. */
export function strategyOf(value: unknown): InForce | null {
  const { style, tone, verbosity, preamble } = membersOf(value);
  const known = STYLES.has(style) && TONES.has(tone) && VERBOSITIES.has(verbosity);
  return known ? ({ style, tone, verbosity, preamble: preamble === true } as InForce) : null;
}
