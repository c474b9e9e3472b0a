import { plainLine } from '../safety/index.ts';
import { type FeedbackEvent, type InForce, MEANINGS, type Meaning } from './types.ts';

const TEXT_LENGTH = 200;
const KNOWN: ReadonlySet<unknown> = new Set(MEANINGS);
const STYLES: ReadonlySet<unknown> = new Set(['concise', 'exploratory', 'gentle', 'matched', 'neutral']);
const TONES: ReadonlySet<unknown> = new Set(['direct', 'warm', 'playful', 'professional']);
const VERBOSITIES: ReadonlySet<unknown> = new Set(['minimal', 'moderate', 'thorough']);

/** A stored remark. The file may have come with a clone, so every field is checked. */
export function eventOf(value: unknown): FeedbackEvent[] {
  if (value === null || typeof value !== 'object') return [];
  const { at, person, text, meanings, source, strategy, mark } = value as Record<string, unknown>;
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
  if (value === null || typeof value !== 'object') return null;
  const { style, tone, verbosity, preamble } = value as Record<string, unknown>;
  const known = STYLES.has(style) && TONES.has(tone) && VERBOSITIES.has(verbosity);
  return known ? ({ style, tone, verbosity, preamble: preamble === true } as InForce) : null;
}
