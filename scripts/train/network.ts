import { randomFrom, shuffle } from '../random.ts';
import type { Example } from './example.ts';
import type { Head } from './heads.ts';

export interface TrainingOptions {
  seed: number;
  /** Width of the shared hidden layer. */
  width: number;
  epochs: number;
  /** Share of features dropped at random each time a text is seen. */
  dropout: number;
  /** Adagrad step size of feature rows and of everything else. */
  rowStep: number;
  step: number;
  /** Weight decay of feature rows. */
  decay: number;
}

/**
 * Hashed features -> shared hidden layer (leaky rectifier, slope .1) -> heads.
 * Dense features enter the hidden layer and each head directly. Trained one
 * text at a time with Adagrad; the final weights are the mean over the last half of the epochs, which approximates
 * an ensemble.
 */
export class Network {
  readonly rows: Float32Array;
  readonly hiddenBias: Float32Array;
  /** dense x width */
  readonly denseHidden: Float32Array;
  /** size of a word vector x width */
  readonly meaningHidden: Float32Array;
  /** heads x width */
  readonly headHidden: Float32Array;
  /** heads x dense */
  readonly headDense: Float32Array;
  readonly width: number;
  readonly denseCount: number;
  readonly heads: readonly Head[];

  constructor(features: number, denseCount: number, meanings: number, heads: readonly Head[], width: number) {
    this.rows = new Float32Array(features * width);
    this.hiddenBias = new Float32Array(width);
    this.denseHidden = new Float32Array(denseCount * width);
    this.meaningHidden = new Float32Array(meanings * width);
    this.headHidden = new Float32Array(heads.length * width);
    this.headDense = new Float32Array(heads.length * denseCount);
    this.width = width;
    this.denseCount = denseCount;
    this.heads = heads;
  }

  /** Everything that is learned. */
  parameters(): Float32Array[] {
    return [
      this.rows,
      this.hiddenBias,
      this.denseHidden,
      this.meaningHidden,
      this.headHidden,
      this.headDense,
    ];
  }

  /** Values of the hidden layer before the rectifier. */
  hidden(
    features: ArrayLike<number>,
    values: ArrayLike<number>,
    dense: Float32Array,
    meaning: Float32Array,
    into: Float32Array,
  ): void {
    const { width, rows } = this;
    into.set(this.hiddenBias);
    for (let i = 0; i < features.length; i++) {
      const at = (features[i] ?? 0) * width;
      const value = values[i] ?? 0;
      for (let k = 0; k < width; k++) into[k] = (into[k] ?? 0) + value * (rows[at + k] ?? 0);
    }
    this.enter(dense, this.denseHidden, into);
    this.enter(meaning, this.meaningHidden, into);
  }

  private enter(inputs: Float32Array, weights: Float32Array, into: Float32Array): void {
    const { width } = this;
    for (let i = 0; i < inputs.length; i++) {
      const value = inputs[i] ?? 0;
      if (value === 0) continue;
      for (let k = 0; k < width; k++) into[k] = (into[k] ?? 0) + value * (weights[i * width + k] ?? 0);
    }
  }

  /** Output of one head, before the logistic function. */
  output(head: number, hidden: Float32Array, dense: Float32Array): number {
    let sum = 0;
    const at = head * this.width;
    for (let k = 0; k < this.width; k++) sum += rectify(hidden[k] ?? 0) * (this.headHidden[at + k] ?? 0);
    const from = head * this.denseCount;
    for (let d = 0; d < dense.length; d++) sum += (dense[d] ?? 0) * (this.headDense[from + d] ?? 0);
    return sum;
  }

  /** All heads for one text, before the logistic function. */
  answer(example: Example): Float32Array {
    const hidden = new Float32Array(this.width);
    this.hidden(example.features, example.values, example.dense, example.meaning, hidden);
    return Float32Array.from(this.heads, (_, h) => this.output(h, hidden, example.dense));
  }
}

export function rectify(x: number): number {
  return x > 0 ? x : 0.1 * x;
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Trains a network; features must be numbered 0 to `features` - 1. */
export function train(
  examples: readonly Example[],
  features: number,
  heads: readonly Head[],
  options: TrainingOptions,
  report: (epoch: number, network: Network) => void = () => {},
): Network {
  const random = randomFrom(options.seed);
  const denseCount = examples[0]?.dense.length ?? 0;
  const meanings = examples[0]?.meaning.length ?? 0;
  const network = new Network(features, denseCount, meanings, heads, options.width);
  for (let i = 0; i < network.rows.length; i++) network.rows[i] = (random() - 0.5) * 0.2;
  for (let i = 0; i < network.headHidden.length; i++) {
    network.headHidden[i] = ((random() - 0.5) * 2) / Math.sqrt(options.width);
  }
  const mean = new Network(features, denseCount, meanings, heads, options.width);
  const trainer = new Trainer(network, options, random);
  const order = Int32Array.from(examples.keys());
  let averaged = 0;
  for (let epoch = 1; epoch <= options.epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const example = examples[at];
      if (example !== undefined) trainer.learn(example);
    }
    if (epoch * 2 > options.epochs) average(mean, network, ++averaged);
    report(epoch, averaged > 0 ? mean : network);
  }
  return mean;
}

function average(mean: Network, network: Network, count: number): void {
  const sources = network.parameters();
  mean.parameters().forEach((target, p) => {
    const source = sources[p];
    if (source === undefined) return;
    for (let i = 0; i < target.length; i++) {
      target[i] = (target[i] ?? 0) + ((source[i] ?? 0) - (target[i] ?? 0)) / count;
    }
  });
}

class Trainer {
  readonly network: Network;
  readonly options: TrainingOptions;
  readonly random: () => number;
  /** Sums of squared gradients, one per feature row. */
  readonly rowSquares: Float32Array;
  readonly squares: Map<Float32Array, Float32Array>;
  readonly hidden: Float32Array;
  readonly back: Float32Array;

  constructor(network: Network, options: TrainingOptions, random: () => number) {
    this.network = network;
    this.options = options;
    this.random = random;
    this.rowSquares = new Float32Array(network.rows.length / network.width);
    this.squares = new Map(
      network
        .parameters()
        .map((p) => [p, p === network.rows ? new Float32Array(0) : new Float32Array(p.length).fill(1e-4)]),
    );
    this.hidden = new Float32Array(network.width);
    this.back = new Float32Array(network.width);
  }

  learn(example: Example): void {
    const { dropout } = this.options;
    const features: number[] = [];
    const values: number[] = [];
    const scale = 1 / (1 - dropout);
    for (let i = 0; i < example.features.length; i++) {
      if (dropout > 0 && this.random() < dropout) continue;
      features.push(example.features[i] ?? 0);
      values.push((example.values[i] ?? 0) * scale);
    }
    const { network, hidden, back } = this;
    network.hidden(features, values, example.dense, example.meaning, hidden);
    back.fill(0);
    for (let h = 0; h < network.heads.length; h++) this.learnHead(h, example);
    for (let k = 0; k < back.length; k++) if ((hidden[k] ?? 0) <= 0) back[k] = (back[k] ?? 0) * 0.1;
    this.learnHidden(features, values, example);
  }

  private learnHead(h: number, example: Example): void {
    const wanted = example.targets[h] ?? Number.NaN;
    const head = this.network.heads[h];
    if (Number.isNaN(wanted) || head === undefined) return;
    const { network, hidden, back } = this;
    const raw = network.output(h, hidden, example.dense);
    const error = ((head.kind === 'logistic' ? logistic(raw) : raw) - wanted) * head.weight * example.weight;
    const at = h * network.width;
    for (let k = 0; k < network.width; k++) {
      back[k] = (back[k] ?? 0) + error * (network.headHidden[at + k] ?? 0);
      this.adjust(network.headHidden, at + k, error * rectify(hidden[k] ?? 0), 1e-5);
    }
    const from = h * network.denseCount;
    for (let d = 0; d < example.dense.length; d++) {
      const value = example.dense[d] ?? 0;
      if (value !== 0) this.adjust(network.headDense, from + d, error * value, 1e-6);
    }
  }

  private learnHidden(
    features: readonly number[],
    values: readonly number[],
    { dense, meaning }: Example,
  ): void {
    const { network, back, options } = this;
    const { width, rows } = network;
    let square = 0;
    for (let k = 0; k < width; k++) {
      const g = back[k] ?? 0;
      square += g * g;
      this.adjust(network.hiddenBias, k, g, 0);
    }
    if (square === 0) return;
    this.learnInputs(dense, network.denseHidden);
    this.learnInputs(meaning, network.meaningHidden);
    square /= width;
    for (let i = 0; i < features.length; i++) {
      const feature = features[i] ?? 0;
      const value = values[i] ?? 0;
      const total = (this.rowSquares[feature] ?? 0) + square * value * value;
      this.rowSquares[feature] = total;
      const step = options.rowStep / (Math.sqrt(total) + 1e-6);
      const at = feature * width;
      for (let k = 0; k < width; k++) {
        const weight = rows[at + k] ?? 0;
        rows[at + k] = weight - step * ((back[k] ?? 0) * value + options.decay * weight);
      }
    }
  }

  private learnInputs(inputs: Float32Array, weights: Float32Array): void {
    const { back } = this;
    for (let i = 0; i < inputs.length; i++) {
      const value = inputs[i] ?? 0;
      if (value === 0) continue;
      for (let k = 0; k < back.length; k++)
        this.adjust(weights, i * back.length + k, (back[k] ?? 0) * value, 1e-6);
    }
  }

  private adjust(weights: Float32Array, at: number, gradient: number, decay: number): void {
    const squares = this.squares.get(weights);
    if (squares === undefined) return;
    const weight = weights[at] ?? 0;
    const g = gradient + decay * weight;
    const total = (squares[at] ?? 0) + g * g;
    squares[at] = total;
    weights[at] = weight - (this.options.step * g) / Math.sqrt(total);
  }
}
