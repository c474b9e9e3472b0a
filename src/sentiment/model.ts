import { membersOf } from '../text/json.ts';
import { type AffectReader, affectInputs, affectOf } from './affect.ts';
import { featuresOf } from './features.ts';
import { layersOf, logistic, want } from './network.ts';
import { broken, HashedLexicon, type Lexicon, unpack } from './pack.ts';
import type { Token } from './words.ts';

/** Format version of the model files; files of other versions are rejected. */
export const MODEL_VERSION = 2;

/** The heads that {@link frustrationOf} uses. */
const FRUSTRATION = ['technical', 'frustrated', 'uncivil', 'impatient', 'engaged'];

/** A linear function of a head's logit that makes it a calibrated probability. */
type Calibration = ReadonlyMap<string, readonly [slope: number, shift: number]>;

/**
 * Builds a model from the bytes of its files. Without `affect` (the weights under another licence) valence is
 * computed from the lexicon and the main network, and arousal is unknown.
 * @throws ScratchpadError `environment` if a file is invalid
 */
export function parseModel(mood: Uint8Array, affect: Uint8Array | null, where = 'model'): SentimentModel {
  const main = unpack(mood, where);
  if (main.header.kind !== 'mood' || main.header.version !== MODEL_VERSION)
    throw broken(where, 'another kind or version');
  const layers = layersOf(main, where);
  const hashes = want(main.sections, 'words', Uint32Array, undefined, where);
  const ratings = want(main.sections, 'ratings', Int8Array, hashes.length, where);
  const lexicon = new HashedLexicon({ hashes, ratings });
  const calibration = calibrationOf(main.header.calibration);
  const places = new Map(layers.heads.map((name, i) => [name, i]));
  for (const name of [...FRUSTRATION, 'valence'])
    if (!places.has(name)) throw broken(where, `no head ${name}`);
  const asked = FRUSTRATION.map((name) => places.get(name) ?? 0);
  const affectReader = affect === null ? null : readerOf(affect, main.header.id, where);
  const reader =
    (answers: Float32Array) =>
    (name: string): number =>
      answers[places.get(name) ?? 0] ?? 0;
  const probability = (name: string, x: number): number => {
    const [slope, shift] = calibration.get(name) ?? [1, 0];
    return logistic(slope * x + shift);
  };
  /** Technical terms can only make a text seem calmer. */
  const strain = (prose: string, tokens: readonly Token[], raw: (head: string) => number): number => {
    const whole = frustrationOf(raw);
    const rest = withoutTrade(tokens);
    if (rest === tokens) return whole;
    const features = featuresOf(prose, rest, lexicon);
    const answers = layers.answer(layers.hidden(features), features.dense, asked);
    const calm = Math.min(whole, frustrationOf(reader(answers)));
    const technical = logistic(2 * raw('technical') + 4);
    return technical * calm + (1 - technical) * whole;
  };

  return {
    name: String(main.header.id ?? 'mood'),
    heads: layers.heads,
    lexicon,
    score(prose, tokens): ModelReading {
      const features = featuresOf(prose, tokens, lexicon);
      const { grams, dense } = features;
      const hidden = layers.hidden(features);
      const answers = layers.answer(hidden, dense);
      const raw = reader(answers);
      const felt = affectReader?.read(grams, affectInputs(hidden, answers, dense, prose.length));
      return {
        frustrated: round(probability('frustration', strain(prose, tokens, raw))),
        valence: round(valenceOf(dense[4] ?? 0, raw('valence'), felt?.valence)),
        arousal: felt === undefined ? REST_AROUSAL : round(logistic(0.46 * felt.arousal + AROUSAL_SHIFT)),
        heads: Object.fromEntries(layers.heads.map((name) => [name, round(raw(name))])),
      };
    },
  };
}

/** Four decimals, so that a cached reading equals a computed one. */
function round(x: number): number {
  return Math.round(x * 1e4) / 1e4 + 0;
}

const REST_AROUSAL = 0.4;
const AROUSAL_SHIFT = Math.log(REST_AROUSAL / (1 - REST_AROUSAL));

/**
 * Displeasure is expressed differently in technical and in private talk: one head was trained on each, and
 * how technical the text is determines their weights.
 */
export function frustrationOf(raw: (head: string) => number): number {
  const technical = logistic(raw('technical') + 0.5);
  const among = raw('frustrated');
  const about = raw('uncivil') + 0.5 * raw('impatient');
  return (1 - technical) * among + technical * about - 0.1 * raw('engaged');
}

/**
 * The lexicon is best for strong words, the model of valence for everything else. Both this and arousal are
 * scaled by the models' correlation (r .61 and .46), since a reading of one deviation is at best that share
 * of one.
 */
function valenceOf(lexicon: number, network: number, felt: number | undefined): number {
  if (felt === undefined) return Math.tanh(0.5 * (lexicon + 1.1 * network));
  return 0.18 * felt + 0.07 * lexicon;
}

function readerOf(bytes: Uint8Array, id: unknown, where: string): AffectReader {
  const pack = unpack(bytes, where);
  if (pack.header.kind !== 'affect' || pack.header.version !== MODEL_VERSION || pack.header.base !== id) {
    throw broken(where, 'valence and arousal weights made for another model');
  }
  return affectOf(pack, where);
}

function calibrationOf(value: unknown): Calibration {
  const lines = new Map<string, readonly [number, number]>();
  for (const [name, line] of Object.entries(membersOf(value))) {
    if (Array.isArray(line)) lines.set(name, [Number(line[0]), Number(line[1])]);
  }
  return lines;
}

/**
 * Technical terms that are unpleasant elsewhere: a killed process, a dead branch and a fatal error say
 * nothing about a mood. The words around them still count.
 */
const TRADE =
  'fail fails failing failed failure failures error errors bug bugs crash crashes crashed crashing kill kills killed killing dead abort aborts aborted aborting exception exceptions invalid missing drop drops dropped dropping delete deletes deleted deleting deprecated dirty fatal warning warnings conflict conflicts conflicting leak leaks leaking hang hangs hanging corrupt corrupted corruption panic panics issue issues problem problems critical severe attack attacks exploit vulnerability orphan orphaned zombie poison illegal undefined null reject rejects rejected rejection denied deny denies block blocked blocking blocks lock locked deadlock interrupt interrupted timeout timeouts flaky debug debugging incorrect unexpected negative lose loses lost loss force forced cancel cancelled canceled stop stops stopped remove removed removing revert reverted undo exclude worst';

let words: Set<string> | undefined;

/** The tokens with technical terms made neutral; the same array if there are none. */
function withoutTrade(tokens: readonly Token[]): readonly Token[] {
  words ??= new Set(TRADE.split(' '));
  const set = words;
  if (!tokens.some((t) => t.kind === 'word' && set.has(t.lower))) return tokens;
  return tokens.map((t) => (t.kind === 'word' && set.has(t.lower) ? NEUTRAL : t));
}

const NEUTRAL: Token = { raw: 'thing', lower: 'thing', kind: 'word' };

/** The trained model's result for a single text. */
export interface ModelReading {
  /** Probability of annoyance, anger, disapproval or disappointment, 0 to 1, calibrated on held-out text. */
  frustrated: number;
  /** -1 to 1. */
  valence: number;
  /** 0 to 1. */
  arousal: number;
  /** Each head's logit, by its name. */
  heads: Readonly<Record<string, number>>;
}

/** A trained model of single texts. */
export interface SentimentModel {
  readonly name: string;
  /** The names of the heads. */
  readonly heads: readonly string[];
  /** Word valences, -4 to 4. */
  readonly lexicon: Lexicon;
  /** Scores masked prose, given with its tokens. */
  score(prose: string, tokens: readonly Token[]): ModelReading;
}
