import { TRAJECTORY_STEP, TRAJECTORY_TURNS } from './limits.ts';
import { round } from './round.ts';
import type { Turn } from './turn.ts';
import type { Trajectory } from './types.ts';

/**
 * Where frustration went: means of the earlier and the later half of the
 * session, which say more than any average that moves along. The direction
 * also heeds valence, which shows relief before frustration is gone.
 */
export function trajectoryOf(turns: readonly Turn[]): Trajectory | null {
  if (turns.length < TRAJECTORY_TURNS) return null;
  const half = Math.floor(turns.length / 2);
  const early = turns.slice(0, half);
  const late = turns.slice(turns.length - half);
  const start = mean(early, (t) => t.dimensions.frustration);
  const now = mean(late, (t) => t.dimensions.frustration);
  const valenceStart = mean(early, (t) => t.valence);
  const valenceNow = mean(late, (t) => t.valence);
  const strain = (now - start) / 2 - 2.1 * (valenceNow - valenceStart);
  const direction = strain > TRAJECTORY_STEP ? 'rising' : strain < -TRAJECTORY_STEP ? 'easing' : 'steady';
  return {
    start: round(start),
    now: round(now),
    direction,
    turns: turns.length,
    valenceStart: round(valenceStart),
    valenceNow: round(valenceNow),
  };
}

function mean(turns: readonly Turn[], value: (turn: Turn) => number): number {
  let sum = 0;
  for (const turn of turns) sum += value(turn);
  return turns.length === 0 ? 0 : sum / turns.length;
}
