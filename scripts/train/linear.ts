import { createRandom, shuffleList } from '../random.ts';

/** A text to learn from: its features are numbered from 0, its inputs go to each function directly. */
export interface Text {
  features: Int32Array;
  values: Float32Array;
  inputs: Float32Array;
  /** What each function should say; NaN where nothing is known. */
  targets: Float32Array;
  /** The weight of its error. */
  weight: number;
}

export interface TrainingOptions {
  seed: number;
  features: number;
  /** For each function: a probability, or a value. */
  kinds: readonly ('logistic' | 'linear')[];
  epochs: number;
  /** Adagrad step of n-grams and of inputs. */
  step: number;
  inputStep: number;
  /** Share of the n-grams left out at random each time a text is seen. */
  dropout: number;
}

/** Weights by feature and function, and by input and function. */
export interface Weights {
  rows: Float32Array;
  inputs: Float32Array;
  width: number;
}

const DECAY = 1e-5;

/** Adagrad, one text at a time; the result is the mean of the weights over the last half of the epochs. */
export function trainLinear(texts: readonly Text[], options: TrainingOptions): Weights {
  const { features, kinds, epochs, dropout } = options;
  const width = kinds.length;
  const count = texts[0]?.inputs.length ?? 0;
  const now = createEmpty(features, count, width);
  const mean = createEmpty(features, count, width);
  const squares = {
    rows: new Float32Array(features * width),
    inputs: new Float32Array(count * width).fill(1e-2),
  };
  const random = createRandom(options.seed);
  const order = Int32Array.from(texts.keys());
  const scale = 1 / (1 - dropout);
  let averaged = 0;
  for (let epoch = 1; epoch <= epochs; epoch++) {
    shuffleList(order, random);
    for (const at of order) {
      const text = texts[at] as Text;
      const kept = text.features.map((_, i) => i).filter(() => dropout === 0 || random() >= dropout);
      for (let k = 0; k < width; k++) {
        const wanted = text.targets[k] ?? Number.NaN;
        if (Number.isNaN(wanted)) continue;
        let sum = 0;
        for (const i of kept)
          sum += (now.rows[(text.features[i] ?? 0) * width + k] ?? 0) * (text.values[i] ?? 0) * scale;
        for (let d = 0; d < count; d++) sum += (now.inputs[d * width + k] ?? 0) * (text.inputs[d] ?? 0);
        const error = ((kinds[k] === 'logistic' ? 1 / (1 + Math.exp(-sum)) : sum) - wanted) * text.weight;
        for (const i of kept) {
          const place = (text.features[i] ?? 0) * width + k;
          descendGradient(now.rows, squares.rows, place, error * (text.values[i] ?? 0) * scale, options.step);
        }
        for (let d = 0; d < count; d++) {
          const value = text.inputs[d] ?? 0;
          if (value !== 0)
            descendGradient(now.inputs, squares.inputs, d * width + k, error * value, options.inputStep);
        }
      }
    }
    if (epoch * 2 <= epochs) continue;
    averaged += 1;
    blendWeights(mean.rows, now.rows, averaged);
    blendWeights(mean.inputs, now.inputs, averaged);
  }
  return mean;
}

/** What each function says about a text. */
export function answer(
  { rows, inputs, width }: Weights,
  text: Omit<Text, 'targets' | 'weight'>,
): Float32Array {
  const sums = new Float32Array(width);
  for (let k = 0; k < width; k++) {
    let sum = 0;
    for (let i = 0; i < text.features.length; i++)
      sum += (rows[(text.features[i] ?? 0) * width + k] ?? 0) * (text.values[i] ?? 0);
    for (let d = 0; d < text.inputs.length; d++) sum += (inputs[d * width + k] ?? 0) * (text.inputs[d] ?? 0);
    sums[k] = sum;
  }
  return sums;
}

const createEmpty = (features: number, inputs: number, width: number): Weights => ({
  rows: new Float32Array(features * width),
  inputs: new Float32Array(inputs * width),
  width,
});

function descendGradient(
  weights: Float32Array,
  squares: Float32Array,
  at: number,
  gradient: number,
  step: number,
): void {
  const weight = weights[at] ?? 0;
  const g = gradient + DECAY * weight;
  const total = (squares[at] ?? 0) + g * g;
  squares[at] = total;
  weights[at] = weight - (step * g) / (Math.sqrt(total) + 1e-3);
}

function blendWeights(mean: Float32Array, now: Float32Array, count: number): void {
  for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + ((now[i] ?? 0) - (mean[i] ?? 0)) / count;
}
