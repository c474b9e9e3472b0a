import { affectInputs } from '../../src/sentiment/affect.ts';
import { randomFrom, shuffle } from '../random.ts';
import type { Example } from './example.ts';
import type { Network } from './network.ts';
import type { WordVectors } from './vectors.ts';
import { indexed, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** A text for the linear readers of valence and arousal. */
export interface AffectText {
  features: Int32Array;
  values: Float32Array;
  inputs: Float32Array;
  meaning: Float32Array;
  wanted: number;
}

/** Weights of one linear reader. */
export interface LinearReader {
  rows: Float32Array;
  inputs: Float32Array;
  meaning: Float32Array;
}

interface LinearOptions {
  seed: number;
  epochs: number;
  step: number;
}

/** N-grams in fewer texts of EmoBank than this say more about those texts than about mood. */
const LEAST_TEXTS = 7;

export function affectVocabulary(texts: readonly Example[]): Vocabulary {
  return vocabularyOf(texts, LEAST_TEXTS);
}

/** The inputs that a text gets at run time, from its example with hashed features. */
export function affectText(
  hashed: Example,
  main: { network: Network; vocabulary: Vocabulary },
  own: Vocabulary,
  length: number,
  wanted: number,
): AffectText {
  const example = indexed(hashed, main.vocabulary);
  const hidden = new Float32Array(main.network.width);
  main.network.hidden(example.features, example.values, example.dense, example.meaning, hidden);
  const inputs = affectInputs(hidden, main.network.answer(example), hashed.dense, length);
  const { features, values } = indexed(hashed, own);
  return { features, values, inputs, meaning: hashed.meaning, wanted };
}

/** Least squares with Adagrad; the result is the mean of the weights over the last half of the epochs. */
export function trainLinear(
  texts: readonly AffectText[],
  features: number,
  options: LinearOptions,
): LinearReader {
  const count = texts[0]?.inputs.length ?? 0;
  const size = texts[0]?.meaning.length ?? 0;
  const [now, mean] = [empty(features, count, size), empty(features, count, size)];
  const rowSquares = new Float32Array(features);
  const inputSquares = new Float32Array(count).fill(1e-3);
  const meaningSquares = new Float32Array(size).fill(1e-3);
  const random = randomFrom(options.seed);
  const order = Int32Array.from(texts.keys());
  let averaged = 0;
  for (let epoch = 1; epoch <= options.epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const text = texts[at];
      if (text === undefined) continue;
      const error = readLinear(now, text) - text.wanted;
      for (let j = 0; j < count; j++) {
        descend(now.inputs, inputSquares, j, error * (text.inputs[j] ?? 0), 0.02);
      }
      for (let j = 0; j < size; j++) {
        descend(now.meaning, meaningSquares, j, error * (text.meaning[j] ?? 0), 0.02);
      }
      for (let j = 0; j < text.features.length; j++) {
        descend(now.rows, rowSquares, text.features[j] ?? 0, error * (text.values[j] ?? 0), options.step);
      }
    }
    if (epoch * 2 > options.epochs) {
      averaged++;
      blend(mean.rows, now.rows, averaged);
      blend(mean.inputs, now.inputs, averaged);
      blend(mean.meaning, now.meaning, averaged);
    }
  }
  return mean;
}

function empty(features: number, inputs: number, meaning: number): LinearReader {
  return {
    rows: new Float32Array(features),
    inputs: new Float32Array(inputs),
    meaning: new Float32Array(meaning),
  };
}

/** The reader with its weights of word vectors folded into the weights of the words, for the vocabulary `all`. */
export function foldReader(
  reader: LinearReader,
  own: Vocabulary,
  all: Vocabulary,
  { byKey }: WordVectors,
): LinearReader {
  const rows = new Float32Array(all.keys.length);
  for (const [row, key] of all.keys.entries()) {
    let sum = reader.rows[own.rowOf[key] ?? -1] ?? 0;
    const vector = byKey.get(key) ?? [];
    for (let i = 0; i < vector.length; i++) sum += (vector[i] ?? 0) * (reader.meaning[i] ?? 0);
    rows[row] = sum;
  }
  return { ...reader, rows };
}

export function readLinear(reader: LinearReader, text: AffectText): number {
  let sum = 0;
  for (let j = 0; j < text.meaning.length; j++) sum += (reader.meaning[j] ?? 0) * (text.meaning[j] ?? 0);
  for (let j = 0; j < text.inputs.length; j++) sum += (reader.inputs[j] ?? 0) * (text.inputs[j] ?? 0);
  for (let j = 0; j < text.features.length; j++) {
    sum += (reader.rows[text.features[j] ?? 0] ?? 0) * (text.values[j] ?? 0);
  }
  return sum;
}

const DECAY = 1e-4;

function descend(
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
  weights[at] = weight - (step * g) / (Math.sqrt(total) + 1e-5);
}

function blend(mean: Float32Array, now: Float32Array, count: number): void {
  for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + ((now[i] ?? 0) - (mean[i] ?? 0)) / count;
}
