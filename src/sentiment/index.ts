export type { ModelReading, SentimentModel } from './model.ts';
export { loadModel, tryLoadModel } from './model.ts';
export {
  type AnalyzeOptions,
  analyze,
  analyzeBySender,
  dimensionOf,
  isLeftOver,
} from './state.ts';
export { howToAnswer, mapStrategy } from './strategy.ts';
export {
  DIMENSIONS,
  type Dimension,
  type Dimensions,
  type Emotion,
  type ReadMessage,
  type SentimentState,
  type Signal,
  type Strategy,
  type Style,
  type Tone,
  type Trajectory,
  type Verbosity,
} from './types.ts';
