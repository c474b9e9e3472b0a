import { join } from 'node:path';
import { deserialize } from 'node:v8';
import WORDS from '../../models/words/sentiment.json' with { type: 'json' };
import { attempt, failure, getMessage } from '../base/errors.ts';
import { exists, readBytes } from '../base/fs/index.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { rollHash } from '../base/text/strings.ts';
import { extractFeatures, type Grams, type Lexicon, type Token } from './features.ts';

export const MODEL_VERSION = 4;

/**
 * Builds a model from its files. Without `affect` (the weights under another licence) valence is computed from the
 * lexicon and the main weights, and arousal is unknown.
 */
function buildModel({ header, sections }: Pack, affect: Pack | undefined): SentimentModel {
  const linear = readLinear({ header, sections });
  const { words: hashes = new Uint32Array(), ratings = new Int8Array() } = sections;
  const lexicon = openLexicon({ hashes, ratings });
  const [slope = 1, shift = 0] = header.calibration ?? [];
  const places = new Map(linear.names.map((name, i) => [name, i]));
  const felt = affect && readLinear(affect);
  const answer = (prose: string, tokens: readonly Token[]) => {
    const { grams, dense } = extractFeatures(prose, tokens, lexicon);
    const answers = linear.answer(grams, dense);
    return { grams, dense, answers, raw: (name: string): number => answers[places.get(name) ?? 0] ?? 0 };
  };

  return {
    score(prose, tokens): ModelReading {
      const { grams, dense, answers, raw } = answer(prose, tokens);
      const whole = readFrustration(raw);
      // Technical terms can only make a text seem calmer.
      const rest = neutralizeTechnicalTerms(tokens);
      const calm = rest === tokens ? whole : Math.min(whole, readFrustration(answer(prose, rest).raw));
      const technical = toProbability(2 * raw('technical') + 4);
      const strain = technical * calm + (1 - technical) * whole;
      const [valence, arousal] =
        felt === undefined ? [] : felt.answer(grams, buildAffectInputs(dense, answers, prose.length));

      return {
        frustrated: round(toProbability(slope * strain + shift)),
        valence: round(computeValence(dense[4] ?? 0, raw('valence'), valence)),
        arousal: arousal === undefined ? REST_AROUSAL : round(toProbability(0.46 * arousal + AROUSAL_SHIFT)),
        heads: Object.fromEntries(linear.names.map((name) => [name, round(raw(name))])),
      };
    },
  };
}

/** Of log-odds. */
export const toProbability = (x: number): number => 1 / (1 + Math.exp(-x));

/** Four decimals, so that a cached reading equals a computed one. */
const round = (x: number): number => Math.round(x * 1e4) / 1e4 + 0;

export const REST_AROUSAL = 0.4;
const AROUSAL_SHIFT = Math.log(REST_AROUSAL / (1 - REST_AROUSAL));

/**
 * Displeasure is expressed differently in technical and in private talk: one head was trained on each, and
 * how technical the text is determines their weights.
 */
export function readFrustration(raw: (head: string) => number): number {
  const technical = toProbability(1.5 * raw('technical') + 2);
  const among = raw('frustrated');
  const about = raw('uncivil') + 0.8 * raw('impatient');
  return (1 - technical) * among + technical * about - 0.1 * raw('engaged');
}

/**
 * The lexicon is best for strong words, the model of valence for everything else. Valence and arousal come in
 * standard deviations and are scaled by their correlation (r .6 and .46), since a reading of one deviation is at best that share
 * of one.
 */
function computeValence(lexicon: number, words: number, felt: number | undefined): number {
  if (felt === undefined) return Math.tanh(0.5 * (lexicon + 1.1 * words));
  return 0.18 * felt + 0.02 * lexicon;
}

/**
 * Technical terms that are unpleasant elsewhere: a killed process, a dead branch and a fatal error say
 * nothing about a mood. The words around them still count.
 */
const TECHNICAL_TERMS = new Set(WORDS.technical.split(' '));

function neutralizeTechnicalTerms(tokens: readonly Token[]): readonly Token[] {
  const isTechnical = ({ kind, lower }: Token): boolean => kind === 'word' && TECHNICAL_TERMS.has(lower);
  return tokens.some(isTechnical) ? tokens.map((token) => (isTechnical(token) ? NEUTRAL : token)) : tokens;
}

const NEUTRAL: Token = { raw: 'thing', lower: 'thing', kind: 'word' };

export interface ModelReading {
  /** Probability of annoyance, anger, disapproval or disappointment, 0 to 1, calibrated on held-out text. */
  frustrated: number;
  /** -1 to 1. */
  valence: number;
  /** 0 to 1. */
  arousal: number;
  heads: Readonly<Record<string, number>>;
}

export interface SentimentModel {
  score(prose: string, tokens: readonly Token[]): ModelReading;
}

/** The main weights, under permissive licences, and those trained on EmoBank (CC BY-SA 4.0). */
export const MOOD_FILE = 'mood.bin';
export const AFFECT_FILE = 'affect-emobank.bin';

/**
 * Loads the trained model from `folder`, by default `models/` of the package that contains this code. The
 * EmoBank file may be missing.
 * @throws ScratchpadError `environment` if there is no usable model
 */
export function loadModel(folder = join(findPackageFolder(), 'models')): SentimentModel {
  const affectFile = join(folder, AFFECT_FILE);
  try {
    const mood = read(join(folder, MOOD_FILE), 'mood');
    const affect = exists(affectFile) ? read(affectFile, 'affect') : undefined;
    if (affect && affect.header.base !== mood.header.id)
      throw new Error('valence and arousal weights made for another model');
    return buildModel(mood, affect);
  } catch (error) {
    throw failure('The sentiment model cannot be read', {
      expected: 'a model file of this version',
      found: getMessage(error),
      where: folder,
      next: 'Install the package again; until then no mood is read.',
    });
  }
}

/** Like {@link loadModel}, but `null` instead of an error: assembly works without a model. */
export const tryLoadModel = (folder?: string): SentimentModel | null =>
  attempt(() => loadModel(folder)) ?? null;

/** A model file, as `node:v8` serializes it. */
export interface Pack {
  header: {
    kind: string;
    version: number;
    names: readonly string[];
    /** Of the main weights, and in the EmoBank file, of those that it goes with. */
    id?: string;
    base?: string;
    calibration?: readonly number[];
  };
  sections: {
    keys: Uint32Array;
    rows: Int8Array;
    scales: Float32Array;
    inputs: Float32Array;
    words?: Uint32Array;
    ratings?: Int8Array;
  };
}

function read(file: string, kind: string): Pack {
  const bytes = readBytes(file, 'package');
  if (bytes === undefined) throw new Error(`no such file: ${file}`);
  const { header, sections } = deserialize(bytes) as Pack;
  if (header.kind !== kind || header.version !== MODEL_VERSION) throw new Error('another kind or version');
  return { header, sections };
}

/** Where ascending numbers hold one; -1 if they do not. */
export function findNumber(numbers: Uint32Array, wanted: number): number {
  let low = 0;
  let high = numbers.length;

  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }

  return numbers[low] === wanted ? low : -1;
}

/** A lexicon as stored in a file: 32-bit hashes of its words, ascending, and one byte per word for its valence times 30. */
export interface PackedLexicon {
  hashes: Uint32Array;
  ratings: Int8Array;
}

export const SCALE = 30;

/**
 * Looks words up by their hash, so that nothing has to be parsed first. One in some 500,000 words outside the
 * lexicon gets the rating of another word; English has fewer.
 */
export function openLexicon({ hashes, ratings }: PackedLexicon): Lexicon {
  const get = (word: string): number | undefined => {
    const place = findNumber(hashes, rollHash(word) >>> 0);
    return place < 0 ? undefined : (ratings[place] ?? 0) / SCALE;
  };
  return { get, has: (word) => get(word) !== undefined };
}

/** The functions in a pack; the weights of n-grams are int8 with one scale per function. */
function readLinear({ header: { names }, sections }: Pack) {
  const { keys, rows, scales, inputs: weights } = sections;
  const width = names.length;
  return {
    names,
    answer(grams: readonly Grams[], inputs: Float32Array): Float32Array {
      const sums = new Float32Array(width);
      for (const { hashes, value } of grams) {
        // Integers until the end: V8's interpreter, which a cold process does not leave, allocates every
        // fraction on the heap.
        const counts = new Int32Array(width);
        for (const hash of hashes) {
          const row = findNumber(keys, hash);
          if (row < 0) continue;
          const at = row * width;
          for (let k = 0; k < width; k++) counts[k] = (counts[k] ?? 0) + (rows[at + k] ?? 0);
        }

        for (let k = 0; k < width; k++)
          sums[k] = (sums[k] ?? 0) + value * (counts[k] ?? 0) * (scales[k] ?? 0);
      }

      inputs.forEach((value, d) => {
        if (value === 0) return;
        for (let k = 0; k < width; k++) sums[k] = (sums[k] ?? 0) + value * (weights[d * width + k] ?? 0);
      });

      return sums;
    },
  };
}

/**
 * The inputs of valence and arousal besides n-grams: lexicon and style, each answer as a logit and as a
 * probability, and the length of the text.
 */
export function buildAffectInputs(dense: Float32Array, answers: Float32Array, length: number): Float32Array {
  const inputs = [
    ...dense,
    ...answers.map((x) => x / 4),
    ...answers.map(toProbability),
    Math.log(1 + length) / 6,
  ];

  return Float32Array.from(inputs);
}
