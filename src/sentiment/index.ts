export { dissatisfaction } from './dissatisfaction.ts';
export { loadModel, tryLoadModel } from './load-model.ts';
export type { ModelReading, SentimentModel } from './model-types.ts';
export { parseState } from './parse-state.ts';
export { type AnalyzeOptions, analyze, analyzeBySender } from './state.ts';
export { mapStrategy } from './strategy.ts';
export {
  DIMENSIONS,
  type Dimension,
  type Dimensions,
  type Emotion,
  type ReadMessage,
  type SentimentState,
  type Signal,
  type SignalExtractor,
  type Strategy,
  type Style,
  type Tone,
  type Trajectory,
  type Verbosity,
} from './types.ts';
