import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { rollHash } from '../../src/base/text/strings.ts';
import type { Grams } from '../../src/sentiment/features.ts';
import { MODEL_VERSION, type Pack, type PackedLexicon, SCALE } from '../../src/sentiment/model.ts';
import type { Weights } from './linear.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The values of all n-grams by their hash. */
export function readValues(grams: readonly Grams[]): Map<number, number> {
  const values = new Map<number, number>();
  for (const { hashes, value } of grams) {
    for (const hash of hashes) values.set(hash, (values.get(hash) ?? 0) + value);
  }
  return values;
}

/** @throws Error when two words have the same hash */
export function packLexicon(lexicon: ReadonlyMap<string, number>): PackedLexicon {
  const rated = new Map<number, number>();
  for (const [word, rating] of lexicon) {
    const hash = rollHash(word) >>> 0;
    if (rated.has(hash)) throw new Error(`the hash of ${word} is taken`);
    rated.set(hash, Math.round(rating * SCALE));
  }
  const hashes = Uint32Array.from(rated.keys()).sort();
  return { hashes, ratings: Int8Array.from(hashes, (hash) => rated.get(hash) ?? 0) };
}

/** A column of weights as whole numbers from -127 to 127, and the size of one step. */
export function quantiseWeights(column: readonly number[]): { levels: Int8Array; scale: number } {
  const sizes = column.map(Math.abs).sort((a, b) => a - b);
  // The few largest weights are clipped so that the many small ones keep their differences.
  const largest = sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.9995))] ?? 0;
  const scale = largest > 0 ? largest / 127 : 1;
  const levels = Int8Array.from(column, (x) => Math.max(-127, Math.min(127, Math.round(x / scale))));
  return { levels, scale };
}

/** The sections that hold a model's functions. */
export function listSections({ rows, inputs, width }: Weights, { keys }: Vocabulary): Pack['sections'] {
  const levels = new Int8Array(rows.length);
  const scales = new Float32Array(width);
  for (let k = 0; k < width; k++) {
    const column = quantiseWeights(Array.from(keys, (_, i) => rows[i * width + k] ?? 0));
    scales[k] = column.scale;
    column.levels.forEach((level, i) => {
      levels[i * width + k] = level;
    });
  }
  return { keys: Uint32Array.from(keys), rows: levels, scales, inputs };
}

export function packMood(
  weights: Weights,
  vocabulary: Vocabulary,
  names: readonly string[],
  lexicon: ReadonlyMap<string, number>,
  calibration: readonly [number, number],
): { bytes: Uint8Array; id: string } {
  const words = packLexicon(lexicon);
  const parts = listSections(weights, vocabulary);
  const hash = createHash('sha256').update(words.hashes);
  for (const data of Object.values(parts))
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const id = `mood-${hash.digest('hex').slice(0, 12)}`;
  const header = {
    ...{ kind: 'mood', version: MODEL_VERSION, id, features: vocabulary.keys.length, names, calibration },
    notice: 'See models/NOTICE.md',
  };
  const sections = { ...parts, words: words.hashes, ratings: words.ratings };
  return { bytes: serialize({ header, sections }), id };
}

export function packAffect(base: string, weights: Weights, vocabulary: Vocabulary): Uint8Array {
  const header = {
    ...{ kind: 'affect', version: MODEL_VERSION, base, features: vocabulary.keys.length },
    names: ['valence', 'arousal'],
    notice: 'Trained on EmoBank, CC BY-SA 4.0; see models/NOTICE-emobank.md',
  };
  return serialize({ header, sections: listSections(weights, vocabulary) });
}
