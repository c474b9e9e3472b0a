import type { Axis, FeedbackEvent, InForce, Levels, Meaning } from './types.ts';

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
  if (strategy === null) return;
  const target: Partial<Levels> = {
    verbosity: { minimal: -1, moderate: 0, thorough: 1 }[strategy.verbosity],
    preamble: strategy.preamble ? 0 : -1,
    // Without feedback the tone is plain.
    ...(strategy.tone === 'professional' ? {} : { [strategy.tone]: 1 }),
  };
  for (const axis of AXES) {
    const aim = target[axis];
    if (aim !== undefined) levels[axis] += weight * PRAISE_STEP * (aim - levels[axis]);
  }
}
