import { createHash } from 'node:crypto';
import { MODEL_VERSION } from '../../src/sentiment/model.ts';
import type { SectionData } from '../../src/sentiment/pack.ts';
import type { LinearReader } from './affect.ts';
import type { Network } from './network.ts';
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

export function packMood(
  network: Network,
  vocabulary: Vocabulary,
  lexicon: ReadonlyMap<string, number>,
  calibration: Record<string, [number, number]>,
): { bytes: Uint8Array; id: string } {
  const { width } = network;
  const count = vocabulary.keys.length;
  const rows = new Int8Array(count * width);
  const scales = new Float32Array(width);
  for (let k = 0; k < width; k++) {
    const { levels, scale } = quantise(
      Array.from({ length: count }, (_, i) => network.rows[i * width + k] ?? 0),
    );
    scales[k] = scale;
    levels.forEach((level, i) => {
      rows[i * width + k] = level;
    });
  }
  const words = packLexicon(lexicon);
  const id = `mood-${createHash('sha256').update(rows).update(words.hashes).digest('hex').slice(0, 12)}`;
  const header = {
    kind: 'mood',
    version: MODEL_VERSION,
    id,
    width,
    features: count,
    heads: network.heads.map((h) => h.name),
    calibration,
    notice: 'See models/NOTICE.md',
  };
  const sections = new Map<string, SectionData>([
    ...Object.entries(packKeys(vocabulary.keys)),
    ['rows', rows],
    ['scales', scales],
    ['hiddenBias', network.hiddenBias],
    ['denseHidden', network.denseHidden],
    ['headHidden', network.headHidden],
    ['headDense', network.headDense],
    ['words', words.hashes],
    ['ratings', words.ratings],
  ]);
  return { bytes: pack({ header, sections }), id };
}

export function packAffect(
  base: string,
  vocabulary: Vocabulary,
  valence: LinearReader,
  arousal: LinearReader,
  spread: [number, number],
): Uint8Array {
  const count = vocabulary.keys.length;
  const weights = new Int8Array(count * 2);
  const scales = new Float32Array(2);
  [valence, arousal].forEach((reader, which) => {
    const { levels, scale } = quantise(Array.from(reader.rows));
    scales[which] = scale;
    levels.forEach((level, i) => {
      weights[i * 2 + which] = level;
    });
  });
  const header = {
    kind: 'affect',
    version: MODEL_VERSION,
    base,
    features: count,
    spread,
    notice: 'Trained on EmoBank, CC BY-SA 4.0; see models/NOTICE-emobank.md',
  };
  return pack({
    header,
    sections: new Map<string, SectionData>([
      ...Object.entries(packKeys(vocabulary.keys)),
      ['weights', weights],
      ['scales', scales],
      ['inputs', Float32Array.from([...valence.inputs, ...arousal.inputs])],
    ]),
  });
}
