import { spellAge } from '../pad/freshness.ts';
import type { Strategy, Tone, Verbosity } from '../sentiment/types.ts';
import { levelsOf, THRESHOLD } from './levels.ts';
import type { Axis, FeedbackEvent, Levels, Meaning } from './types.ts';

/** Feedback on the answers, and how long it counts. */
export interface Feedback {
  events: readonly FeedbackEvent[];
  /** Half-life of a remark in milliseconds. */
  halfLifeMs: number;
}

/** A strategy after feedback, with the reason for each changed part. */
export interface Adjusted {
  strategy: Strategy;
  why: { verbosity?: string; tone?: string; preamble?: string };
}

const VERBOSITIES: readonly Verbosity[] = ['minimal', 'moderate', 'thorough'];
const TONES: readonly Tone[] = ['direct', 'warm', 'playful', 'professional'];

/**
 * Applies feedback on earlier answers to the strategy that the mood suggests. Limits: the length changes by
 * at most one step; a preamble does not return while the mood calls for speed or rest; no jokes for somebody
 * who is strained or tired, no bluntness for somebody tired. The style depends on the mood alone.
 * @param person the name that the host gives them, or empty
 * @param now epoch milliseconds
 */
export function adjust(strategy: Strategy, feedback: Feedback, person: string, now: number): Adjusted {
  const events = feedback.events.filter((event) => event.person === person);
  if (events.length === 0) return { strategy, why: {} };
  const levels = levelsOf(events, now, feedback.halfLifeMs);
  const verbosity = lengthFor(strategy, levels);
  const tone = toneFor(strategy, levels);
  const preamble = preambleFor(strategy, levels);
  const told = (axis: Axis, without: string): string =>
    `feedback: ${axis} ${levels[axis].toFixed(2)}${lastOn(axis, events, now)}; ${without} without it`;
  const why: Adjusted['why'] = {};
  if (verbosity !== strategy.verbosity) why.verbosity = told('verbosity', strategy.verbosity);
  // A tone is replaced by the plain one because of feedback against it.
  if (tone !== strategy.tone)
    why.tone = told(levels[tone] >= THRESHOLD ? tone : strategy.tone, strategy.tone);
  if (preamble !== strategy.preamble) why.preamble = told('preamble', strategy.preamble ? 'YES' : 'NO');
  return { strategy: { ...strategy, verbosity, tone, preamble }, why };
}

function lengthFor({ verbosity }: Strategy, levels: Levels): Verbosity {
  if (Math.abs(levels.verbosity) < THRESHOLD) return verbosity;
  const step = VERBOSITIES.indexOf(verbosity) + Math.sign(levels.verbosity);
  return VERBOSITIES[Math.min(2, Math.max(0, step))] ?? verbosity;
}

function preambleFor({ style, preamble }: Strategy, levels: Levels): boolean {
  if (levels.preamble <= -THRESHOLD) return false;
  return levels.preamble >= THRESHOLD && style !== 'concise' && style !== 'gentle' ? true : preamble;
}

function toneFor({ style, tone }: Strategy, levels: Levels): Tone {
  const fits = (candidate: Tone): boolean =>
    !(candidate === 'playful' && (style === 'concise' || style === 'gentle')) &&
    !(candidate === 'direct' && style === 'gentle');
  const wanted = TONES.filter((candidate) => fits(candidate) && levels[candidate] >= THRESHOLD);
  const best = wanted.sort((a, b) => levels[b] - levels[a])[0];
  if (best !== undefined) return best;
  return levels[tone] <= -THRESHOLD ? 'professional' : tone;
}

const LENGTH: ReadonlySet<Meaning> = new Set(['shorter', 'longer', 'good']);
const PREAMBLE: ReadonlySet<Meaning> = new Set(['no preamble', 'preamble', 'good']);
const TONE: ReadonlySet<Meaning> = new Set(['direct', 'warm', 'playful', 'professional', 'good']);

function lastOn(axis: Axis, events: readonly FeedbackEvent[], now: number): string {
  const about = axis === 'verbosity' ? LENGTH : axis === 'preamble' ? PREAMBLE : TONE;
  const last = events.findLast(({ meanings }) => meanings.some((meaning) => about.has(meaning)));
  if (last === undefined) return '';
  return ` ("${last.text}", ${last.source} ${spellAge(now - Date.parse(last.at))} ago)`;
}
