import type { SignalExtractor } from '../types.ts';
import { complaint } from './complaint.ts';
import { apology, repetition } from './conversation.ts';
import { correction } from './correction.ts';
import { circles, elsewhereAsked, offerTaken, turnedDown } from './exchange.ts';
import { keywordSignals } from './keywords.ts';
import { sarcasm } from './sarcasm.ts';
import { punctuation, questions, terseness } from './style.ts';
import { cadence, timing } from './time.ts';

/** Every reading that needs no model, in the order it is shown when scores tie. */
export const signalExtractors: readonly SignalExtractor[] = [
  complaint,
  sarcasm,
  correction,
  ...keywordSignals,
  repetition,
  apology,
  elsewhereAsked,
  turnedDown,
  offerTaken,
  circles,
  punctuation,
  terseness,
  questions,
  timing,
  cadence,
];
