import { MIN_CONFIDENCE, NAMED, NAMED_SECONDARY } from './limits.ts';
import { DIMENSIONS, type Dimension, EMOTION_OF, type SentimentState } from './types.ts';

/** Names the dimension that leads and the one after it, where they are strong and believed enough. */
export function nameEmotion(state: SentimentState): void {
  if (state.confidence < MIN_CONFIDENCE) return;
  const ranked = [...DIMENSIONS].sort((a, b) => state[b] - state[a]);
  const [first, second] = ranked as [Dimension, Dimension];
  if (state[first] < NAMED) return;
  state.emotion = EMOTION_OF[first];
  if (state[second] >= NAMED_SECONDARY) state.secondary = EMOTION_OF[second];
}
