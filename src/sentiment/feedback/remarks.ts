import { plainLine } from '../../base/safety/index.ts';
import { membersOf } from '../../base/text/json.ts';
import { spellAge } from '../../pad/freshness.ts';
import type { Strategy, Tone, Verbosity } from '../types.ts';

/** The part of a strategy that feedback is about. */
export type InForce = Pick<Strategy, 'style' | 'tone' | 'verbosity' | 'preamble'>;

/** What is wished of the answers: `verbosity` in steps, 0 for the usual. */
interface Wish {
  verbosity?: number;
  preamble?: boolean;
  tone?: Tone;
}

const WISHES = {
  shorter: { verbosity: -1 },
  longer: { verbosity: 1 },
  'no preamble': { preamble: false },
  preamble: { preamble: true },
  direct: { tone: 'direct' },
  warm: { tone: 'warm' },
  playful: { tone: 'playful' },
  professional: { tone: 'professional' },
} as const satisfies Record<string, Wish>;

/** What a remark about the answers can ask for; `good` is praise. */
export type Meaning = keyof typeof WISHES | 'good';

export interface FeedbackEvent {
  /** ISO 8601, UTC. */
  at: string;
  /** The name that the host gives them, or empty. */
  person: string;
  /** What they said, redacted, as one plain line; of a remark in a transcript only the relevant words. */
  text: string;
  meanings: readonly Meaning[];
  /** `said`: through the command; `noticed`: found in a transcript. */
  source: 'said' | 'noticed';
  strategy: InForce | null;
}

/** Feedback on the answers, and for how many milliseconds a remark counts. */
export interface Feedback {
  events: readonly FeedbackEvent[];
  lastsMs: number;
}

/** A strategy after feedback, with the reason for each changed part. */
export interface Adjusted {
  strategy: Strategy;
  why: { verbosity?: string; tone?: string; preamble?: string };
}

const VERBOSITIES: readonly Verbosity[] = ['minimal', 'moderate', 'thorough'];

/**
 * Applies a person's newest wishes to the strategy that the mood suggests. Limits: the length changes by one step; a
 * preamble does not return while the mood calls for speed or rest; no jokes for somebody who is strained or tired, no
 * bluntness for somebody tired. The style depends on the mood alone.
 * @param person the name that the host gives them, or empty
 * @param now epoch milliseconds
 */
export function adjust(usual: Strategy, feedback: Feedback, person: string, now: number): Adjusted {
  const strategy = { ...usual };
  const why: Adjusted['why'] = {};
  const counts = ({ at, person: by }: FeedbackEvent): boolean =>
    by === person && now - Date.parse(at) < feedback.lastsMs;
  const isStrained = usual.style === 'concise' || usual.style === 'gentle';
  for (const event of inOrder(feedback.events.filter(counts))) {
    const because = (without: string): string =>
      `feedback: "${event.text}", ${event.source} ${spellAge(now - Date.parse(event.at))} ago; ${without} without it`;
    for (const { verbosity, preamble, tone } of event.meanings.map((meaning) => wishOf(meaning, event))) {
      if (verbosity !== undefined) {
        const step = VERBOSITIES.indexOf(usual.verbosity) + verbosity;
        strategy.verbosity = VERBOSITIES[Math.min(2, Math.max(0, step))] ?? usual.verbosity;
        why.verbosity = because(usual.verbosity);
      }
      if (preamble === false || (preamble === true && !isStrained)) {
        strategy.preamble = preamble;
        why.preamble = because(usual.preamble ? 'YES' : 'NO');
      }
      const suits = tone !== 'playful' || !isStrained;
      if (tone !== undefined && suits && !(tone === 'direct' && usual.style === 'gentle')) {
        strategy.tone = tone;
        why.tone = because(usual.tone);
      }
    }
  }
  for (const part of ['verbosity', 'preamble', 'tone'] as const)
    if (strategy[part] === usual[part]) delete why[part];
  return { strategy, why };
}

export function inOrder(events: readonly FeedbackEvent[]): FeedbackEvent[] {
  return [...events].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Praise wishes for what was in force. */
function wishOf(meaning: Meaning, { strategy }: FeedbackEvent): Wish {
  if (meaning !== 'good') return WISHES[meaning];
  if (strategy === null) return {};
  const wish: Wish = { verbosity: { minimal: -1, moderate: 0, thorough: 1 }[strategy.verbosity] };
  if (!strategy.preamble) wish.preamble = false;
  // Without feedback the tone is plain.
  if (strategy.tone !== 'professional') wish.tone = strategy.tone;
  return wish;
}

/** `concise, direct, minimal, no preamble`. */
export function spellStrategy({ style, tone, verbosity, preamble }: InForce): string {
  return `${style}, ${tone}, ${verbosity}, ${preamble ? 'preamble' : 'no preamble'}`;
}

const TEXT_LENGTH = 200;
const STYLES: ReadonlySet<unknown> = new Set(['concise', 'exploratory', 'gentle', 'matched', 'neutral']);
const TONES: ReadonlySet<unknown> = new Set(['direct', 'warm', 'playful', 'professional']);

/** A stored remark. The file may have come with a clone, so every field is checked. */
export function eventOf(value: unknown): FeedbackEvent[] {
  const { at, person, text, meanings, source, strategy } = membersOf(value);
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time) || typeof person !== 'string' || !Array.isArray(meanings)) return [];
  return [
    {
      at: new Date(time).toISOString(),
      person,
      text: typeof text === 'string' ? plainLine(text, TEXT_LENGTH) : '',
      meanings: meanings.filter(
        (meaning): meaning is Meaning => meaning === 'good' || Object.hasOwn(WISHES, String(meaning)),
      ),
      source: source === 'said' ? 'said' : 'noticed',
      strategy: strategyOf(strategy),
    },
  ];
}

export function strategyOf(value: unknown): InForce | null {
  const { style, tone, verbosity, preamble } = membersOf(value);
  const isKnown = STYLES.has(style) && TONES.has(tone) && VERBOSITIES.includes(verbosity as Verbosity);
  return isKnown ? ({ style, tone, verbosity, preamble: preamble === true } as InForce) : null;
}
