import type { SentimentState } from './types.ts';

/**
 * How little the answers seem to suit the person, about -1.5 to 1.7; for
 * putting moments of talks in order, with no threshold of its own. Nobody is
 * disappointed by answers not yet given: the first message counts .5 less, and
 * each further one half of that.
 */
export function dissatisfaction(
  state: Pick<SentimentState, 'frustration' | 'valence' | 'windowSize'>,
): number {
  return state.frustration - 0.7 * state.valence - 2 ** -Math.max(1, state.windowSize);
}
