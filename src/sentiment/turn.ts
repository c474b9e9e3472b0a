import { coreLexicon } from './core-words.ts';
import { englishness } from './language.ts';
import { MIN_WORDS } from './limits.ts';
import { modelSignals } from './model-signals.ts';
import type { SentimentModel } from './model-types.ts';
import {
  DIMENSIONS,
  type Dimension,
  type Dimensions,
  type Found,
  type ReadMessage,
  type Signal,
  type SignalExtractor,
} from './types.ts';
import { readValence } from './valence.ts';

/** What one message of a person says, with the messages before it in mind. */
export interface Turn {
  dimensions: Dimensions;
  /** -1 to 1. */
  valence: number;
  /** 0 to 1. */
  arousal: number;
  /** 0 to 1; low for a few words, another language, nothing but a paste. */
  confidence: number;
  signals: Signal[];
  time: number | undefined;
}

const REST_AROUSAL = 0.4;

/**
 * Scores the last message. Signals that raise a dimension add as independent
 * evidence, 1 - product of (1 - score x confidence x move); those that lower
 * it multiply what is there.
 */
export function scoreTurn(
  messages: readonly ReadMessage[],
  extractors: readonly SignalExtractor[],
  model: SentimentModel | null,
): Turn {
  const last = messages.at(-1);
  if (last === undefined) return quietTurn(undefined);
  const english = englishness(last.prose, last.words);
  const found = runExtractors(messages, extractors);
  const words = last.words.length;
  const reading =
    model !== null && english === 1 && words >= MIN_WORDS ? model.score(last.prose, last.tokens) : null;
  let valence = reading?.valence ?? 0;
  if (reading === null)
    valence = english * readValence(last.tokens, model?.lexicon ?? coreLexicon()).compound * 0.8;
  else found.push(...modelSignals(reading));
  // What the model has read already is not counted twice in full.
  const turn = combine(found, valence, reading?.arousal ?? REST_AROUSAL, reading === null ? 1 : 0.5);
  const said = words < MIN_WORDS ? 0.2 * words : 1 - Math.exp(-(words + 1) / 4);
  turn.confidence = Math.min(
    0.95,
    said * (english < 1 ? 0.3 * english : 1) * (0.72 + 0.25 * strongest(found)),
  );
  turn.time = last.time;
  return turn;
}

/** A turn that says nothing. */
export function quietTurn(time: number | undefined): Turn {
  const dimensions: Dimensions = {
    frustration: 0,
    playfulness: 0,
    urgency: 0,
    curiosity: 0,
    fatigue: 0,
    engagement: 0,
  };
  return { dimensions, valence: 0, arousal: REST_AROUSAL, confidence: 0, signals: [], time };
}

function runExtractors(messages: readonly ReadMessage[], extractors: readonly SignalExtractor[]): Found[] {
  const found: Found[] = [];
  for (const extractor of extractors) {
    const signal = extractor.extract(messages);
    if (signal.score > 0 && signal.confidence > 0) found.push({ signal, moves: extractor.moves });
  }
  return found;
}

function combine(found: readonly Found[], valence: number, arousal: number, share: number): Turn {
  const turn = quietTurn(undefined);
  if (found.length > 0)
    for (const dimension of DIMENSIONS) turn.dimensions[dimension] = level(found, dimension);
  let pleasant = valence;
  let agitated = arousal;
  for (const { signal, moves } of found) {
    const weight = signal.score * signal.confidence;
    pleasant += weight * share * (moves.valence ?? 0);
    agitated += weight * share * (moves.arousal ?? 0);
  }
  turn.valence = soften(pleasant);
  turn.arousal = clamp(agitated, 0, 1);
  turn.signals = found.map((f) => f.signal);
  return turn;
}

/** From 0 to 1, of what was found that moves the dimension at all. */
function level(found: readonly Found[], dimension: Dimension): number {
  const moving = found.filter(({ moves }) => moves[dimension] !== undefined);
  // Praise beside a plain complaint is irony: the surer the complaint, the less it soothes.
  const complaint =
    dimension === 'frustration'
      ? moving.reduce((most, each) => Math.max(most, pushOf(each, dimension)), 0)
      : 0;
  let miss = 1;
  let keep = 1;
  moving.forEach((each) => {
    const push = pushOf(each, dimension);
    if (push > 0) miss *= 1 - push;
    else keep *= 1 + push * (1 - complaint);
  });
  return clamp((1 - miss) * keep, 0, 1);
}

function pushOf({ signal, moves }: Found, dimension: Dimension): number {
  return signal.score * signal.confidence * (moves[dimension] ?? 0);
}

function strongest(found: readonly Found[]): number {
  let best = 0;
  for (const { signal } of found) best = Math.max(best, signal.score * signal.confidence);
  return best;
}

/** Straight to .7, then ever slower towards 1. */
function soften(x: number): number {
  const over = Math.abs(x) - 0.7;
  return over <= 0 ? x : Math.sign(x) * (0.7 + 0.3 * Math.tanh(over));
}

/** Limits a number; what is not a number becomes the lower limit. */
export function clamp(value: number, low: number, high: number): number {
  if (!(value >= low)) return low;
  return Math.min(value, high);
}
