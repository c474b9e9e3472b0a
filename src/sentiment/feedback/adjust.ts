import { spellAge } from '../../pad/freshness.ts';
import type { Strategy, Tone, Verbosity } from '../types.ts';
import type { Axis, FeedbackEvent, InForce, Levels, Meaning } from './types.ts';

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
    `feedback: ${axis} ${levels[axis].toFixed(2)}${cause(axis, levels[axis], events, now)}; ${without} without it`;
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

/** The last remark that moved the level the way it stands: an opposite one is not what caused the change. */
function cause(axis: Axis, level: number, events: readonly FeedbackEvent[], now: number): string {
  const moves = ({ meanings, strategy }: FeedbackEvent): boolean =>
    meanings.some((meaning) => {
      const push = meaning === 'good' ? praised(strategy)[axis] : PUSHES[meaning][axis];
      return (push ?? 0) * level > 0;
    });
  const last = [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).findLast(moves);
  if (last === undefined) return '';
  return ` ("${last.text}", ${last.source} ${spellAge(now - Date.parse(last.at))} ago)`;
}

/** Weight of one remark, by its source. */
const WEIGHTS: Readonly<Record<FeedbackEvent['source'], number>> = { said: 1, noticed: 0.7 };
/** Maximum of a level, so that three remarks can reverse a hundred complaints. */
export const BOUND = 2;
/** From this level on the answers change. */
export const THRESHOLD = 0.5;
/** How far one praise moves a level towards the strategy that was praised. */
const PRAISE_STEP = 0.5;

const PUSHES: Readonly<Record<Exclude<Meaning, 'good'>, Partial<Levels>>> = {
  shorter: { verbosity: -1 },
  longer: { verbosity: 1 },
  'no preamble': { preamble: -1 },
  preamble: { preamble: 1 },
  direct: { direct: 1, warm: -1 },
  warm: { warm: 1, direct: -1 },
  playful: { playful: 1, professional: -1 },
  professional: { professional: 1, playful: -1, warm: -0.5 },
};
const AXES: readonly Axis[] = ['verbosity', 'preamble', 'direct', 'warm', 'playful', 'professional'];

/**
 * The levels that one person's remarks lead to. A level halves every `halfLifeMs`; a wish moves it by its
 * weight; praise moves it towards the strategy of that time.
 * @param now epoch milliseconds
 */
export function levelsOf(events: readonly FeedbackEvent[], now: number, halfLifeMs: number): Levels {
  const levels: Levels = { verbosity: 0, preamble: 0, direct: 0, warm: 0, playful: 0, professional: 0 };
  const fade = (ms: number): void => {
    // A clock that was set back must not amplify anything.
    const left = 2 ** (-Math.max(0, ms) / halfLifeMs);
    for (const axis of AXES) levels[axis] *= left;
  };
  const ordered = [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  let before: number | undefined;
  for (const { at, meanings, source, strategy } of ordered) {
    const time = Date.parse(at);
    if (before !== undefined) fade(time - before);
    before = time;
    for (const meaning of meanings) {
      if (meaning === 'good') praise(levels, strategy, WEIGHTS[source]);
      else push(levels, PUSHES[meaning], WEIGHTS[source]);
    }
  }
  if (before !== undefined) fade(now - before);
  return levels;
}

function push(levels: Levels, pushes: Partial<Levels>, weight: number): void {
  for (const axis of AXES) {
    const moved = levels[axis] + weight * (pushes[axis] ?? 0);
    levels[axis] = Math.min(BOUND, Math.max(-BOUND, moved));
  }
}

function praise(levels: Levels, strategy: InForce | null, weight: number): void {
  const target = praised(strategy);
  for (const axis of AXES) {
    const aim = target[axis];
    if (aim !== undefined) levels[axis] += weight * PRAISE_STEP * (aim - levels[axis]);
  }
}

/** The levels that praise of an answer aims at. */
function praised(strategy: InForce | null): Partial<Levels> {
  if (strategy === null) return {};
  return {
    verbosity: { minimal: -1, moderate: 0, thorough: 1 }[strategy.verbosity],
    preamble: strategy.preamble ? 0 : -1,
    // Without feedback the tone is plain.
    ...(strategy.tone === 'professional' ? {} : { [strategy.tone]: 1 }),
  };
}
