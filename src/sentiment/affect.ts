import { DENSE_NAMES, type Grams } from './features.ts';
import { keysOf, leak, logistic, want } from './network.ts';
import { broken, type Pack, rowOf } from './pack.ts';

/** Valence and arousal of a text, in standard deviations from the mean. */
export interface Affect {
  valence: number;
  arousal: number;
}

export interface AffectReader {
  read(grams: readonly Grams[], inputs: Float32Array): Affect;
}

/**
 * The inputs of the linear models of valence and arousal besides n-grams: the hidden layer before and after
 * its rectifier, each head as a logit and as a probability, the dense features, the density of rated words,
 * and the length of the text.
 */
export function affectInputs(
  hidden: Float32Array,
  answers: Float32Array,
  dense: Float32Array,
  length: number,
): Float32Array {
  const thick = thickness(dense);
  const inputs = new Float32Array(hidden.length * 2 + answers.length * 2 + dense.length + thick.length + 1);
  let at = 0;
  for (const x of hidden) inputs[at++] = x / 2;
  for (const x of hidden) inputs[at++] = leak(x) / 2;
  for (const x of answers) inputs[at++] = x / 4;
  for (const x of answers) inputs[at++] = logistic(x);
  for (const x of dense) inputs[at++] = x;
  for (const x of thick) inputs[at++] = x;
  inputs[at] = Math.log(1 + length) / 6;
  return inputs;
}

/** Density of rated words: one strong word weighs more in a short text, and less next to its opposite. */
function thickness(dense: Float32Array): number[] {
  const get = (name: (typeof DENSE_NAMES)[number]): number => dense[DENSE_NAMES.indexOf(name)] ?? 0;
  const length = get('length');
  const compound = get('compound');
  return [
    get('positive words') / (0.3 + length),
    get('negative words') / (0.3 + length),
    compound * length,
    compound * Math.abs(compound),
    Math.sqrt(get('pleasant')),
    Math.sqrt(get('unpleasant')),
    get('strongest positive') * (1 - get('unpleasant')),
    get('strongest negative') * (1 - get('pleasant')),
  ];
}

/** The models in a pack of kind `affect`. */
export function affectOf({ header, sections }: Pack, where: string): AffectReader {
  const { features, spread } = header;
  const [valenceSpread, arousalSpread] = Array.isArray(spread) ? spread.map(Number) : [];
  if (typeof features !== 'number' || valenceSpread === undefined || arousalSpread === undefined) {
    throw broken(where, 'a header without features and spread');
  }
  const keys = keysOf(sections, features, where);
  const weights = want(sections, 'weights', Int8Array, features * 2, where);
  const scales = want(sections, 'scales', Float32Array, 2, where);
  const inputWeights = want(sections, 'inputs', Float32Array, undefined, where);
  const count = inputWeights.length / 2;

  return {
    read(grams, inputs) {
      let valence = 0;
      let arousal = 0;
      for (const { hashes, value } of grams) {
        let [valences, arousals] = [0, 0];
        for (const hash of hashes) {
          const row = rowOf(keys, hash);
          if (row < 0) continue;
          valences += weights[row * 2] ?? 0;
          arousals += weights[row * 2 + 1] ?? 0;
        }
        valence += value * valences;
        arousal += value * arousals;
      }
      valence *= scales[0] ?? 0;
      arousal *= scales[1] ?? 0;
      for (let i = 0; i < count; i++) {
        valence += (inputs[i] ?? 0) * (inputWeights[i] ?? 0);
        arousal += (inputs[i] ?? 0) * (inputWeights[count + i] ?? 0);
      }
      return { valence: valence / valenceSpread, arousal: arousal / arousalSpread };
    },
  };
}
