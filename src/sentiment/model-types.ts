import type { Lexicon } from './lexicon-file.ts';
import type { Token } from './words.ts';

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
