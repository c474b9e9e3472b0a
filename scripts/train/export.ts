import { createHash } from 'node:crypto';
import { MODEL_VERSION } from '../../src/sentiment/model.ts';
import type { SectionData } from '../../src/sentiment/pack.ts';
import type { Weights } from './linear.ts';
import { pack, packKeys, packLexicon } from './pack.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A column of weights as whole numbers from -127 to 127, and the size of one step. */
export function quantise(column: readonly number[]): { levels: Int8Array; scale: number } {
  const sizes = column.map(Math.abs).sort((a, b) => a - b);
  // The few largest weights are clipped so that the many small ones keep their differences.
  const largest = sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.9995))] ?? 0;
  const scale = largest > 0 ? largest / 127 : 1;
  const levels = Int8Array.from(column, (x) => Math.max(-127, Math.min(127, Math.round(x / scale))));
  return { levels, scale };
}

/** The sections that hold a model's functions. */
export function sectionsOf({ rows, inputs, width }: Weights, { keys }: Vocabulary): [string, SectionData][] {
  const levels = new Int8Array(rows.length);
  const scales = new Float32Array(width);
  for (let k = 0; k < width; k++) {
    const column = quantise(Array.from(keys, (_, i) => rows[i * width + k] ?? 0));
    scales[k] = column.scale;
    column.levels.forEach((level, i) => {
      levels[i * width + k] = level;
    });
  }
  return [...Object.entries(packKeys(keys)), ['rows', levels], ['scales', scales], ['inputs', inputs]];
}

export function packMood(
  weights: Weights,
  vocabulary: Vocabulary,
  names: readonly string[],
  lexicon: ReadonlyMap<string, number>,
  calibration: readonly [number, number],
): { bytes: Uint8Array; id: string } {
  const words = packLexicon(lexicon);
  const parts = sectionsOf(weights, vocabulary);
  const hash = createHash('sha256').update(words.hashes);
  for (const [, data] of parts) hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const id = `mood-${hash.digest('hex').slice(0, 12)}`;
  const header = {
    ...{ kind: 'mood', version: MODEL_VERSION, id, features: vocabulary.keys.length, names, calibration },
    notice: 'See models/NOTICE.md',
  };
  const sections = new Map([...parts, ['words', words.hashes], ['ratings', words.ratings]] as const);
  return { bytes: pack({ header, sections }), id };
}

export function packAffect(base: string, weights: Weights, vocabulary: Vocabulary): Uint8Array {
  const header = {
    ...{ kind: 'affect', version: MODEL_VERSION, base, features: vocabulary.keys.length },
    names: ['valence', 'arousal'],
    notice: 'Trained on EmoBank, CC BY-SA 4.0; see models/NOTICE-emobank.md',
  };
  return pack({ header, sections: new Map(sectionsOf(weights, vocabulary)) });
}
