import type { Lexicon } from './lexicon-file.ts';
import type { Token } from './words.ts';

/** What the trained model says about one text by itself. */
export interface ModelReading {
  /** Probability of annoyance, anger, disapproval or disappointment, 0 to 1, calibrated on text it was not trained on. */
  frustrated: number;
  /** -1 to 1. */
  valence: number;
  /** 0 to 1. */
  arousal: number;
  /** The output of each head, before any logistic function, by its name. */
  heads: Readonly<Record<string, number>>;
}

/** A trained reader of single texts. */
export interface SentimentModel {
  readonly name: string;
  /** The names of the heads. */
  readonly heads: readonly string[];
  /** Word valences, -4 to 4. */
  readonly lexicon: Lexicon;
  /** Scores masked prose given as its tokens. */
  score(prose: string, tokens: readonly Token[]): ModelReading;
}
