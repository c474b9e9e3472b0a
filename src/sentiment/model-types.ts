import type { Lexicon } from './lexicon-file.ts';
import type { Token } from './words.ts';

/** What the trained model says about one text; probabilities are calibrated on text it was not trained on. */
export interface ModelReading {
  /** Probability of annoyance, anger, disapproval or disappointment, 0 to 1. */
  frustrated: number;
  /** Of amusement or joking, 0 to 1. */
  playful: number;
  /** Of curiosity or confusion, 0 to 1. */
  curious: number;
  /** Of excitement, admiration, interest, 0 to 1. */
  engaged: number;
  /** Of gratitude, approval, relief, joy, 0 to 1. */
  pleased: number;
  /** That this is displeasure with an agent, plain or sarcastic, 0 to 1. */
  displeased: number;
  /** Of a matter that cannot wait, 0 to 1. */
  urgent: number;
  /** Of tiredness, 0 to 1. */
  tired: number;
  /** Of joking with an agent, 0 to 1. */
  joking: number;
  /** -1 to 1. */
  valence: number;
  /** 0 to 1. */
  arousal: number;
}

/** A trained reader of single texts. */
export interface SentimentModel {
  readonly name: string;
  /** Word valences, -4 to 4. */
  readonly lexicon: Lexicon;
  /** Scores masked prose given as its tokens. */
  score(prose: string, tokens: readonly Token[]): ModelReading;
}
