import { HASH_BITS } from '../../src/sentiment/features.ts';

/** The features that are kept, in the order of their numbers, and the index of each one's row. */
export interface Vocabulary {
  keys: Int32Array;
  rowOf: Int32Array;
}

/** Keeps the features that occur in at least `least` texts. */
export function countVocabulary(texts: Iterable<{ features: Int32Array }>, least: number): Vocabulary {
  const counts = new Int32Array(1 << HASH_BITS);
  for (const { features } of texts) {
    for (const feature of features) counts[feature] = (counts[feature] ?? 0) + 1;
  }
  const rowOf = new Int32Array(1 << HASH_BITS).fill(-1);
  const keys: number[] = [];
  for (let key = 0; key < counts.length; key++) {
    if ((counts[key] ?? 0) < least) continue;
    rowOf[key] = keys.length;
    keys.push(key);
  }
  return { keys: Int32Array.from(keys), rowOf };
}

/** The same text with its features numbered by row; those without one are dropped. */
export function indexWords<T extends { features: Int32Array; values: Float32Array }>(
  text: T,
  vocabulary: Vocabulary,
): T {
  const features: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < text.features.length; i++) {
    const row = vocabulary.rowOf[text.features[i] ?? 0] ?? -1;
    if (row < 0) continue;
    features.push(row);
    values.push(text.values[i] ?? 0);
  }
  return { ...text, features: Int32Array.from(features), values: Float32Array.from(values) };
}
