import type { ModelReading } from './model-types.ts';
import type { Found } from './types.ts';

/**
 * Probabilities at which yes and no cost the same (the highest F1 on texts kept
 * back in training), one a dimension; they become the middle of its scale.
 */
const MIDDLE = { frustration: 0.38, playfulness: 0.4, curiosity: 0.4, engagement: 0.35, chat: 0.5 };

/** The model's reading as signals, one a dimension that it knows. */
export function modelSignals(reading: ModelReading): Found[] {
  return [
    one('model: frustrated', reading.frustrated, strength(reading.frustrated, MIDDLE.frustration), {
      frustration: 1,
    }),
    one('model: displeased', reading.displeased, strength(reading.displeased, MIDDLE.chat), {
      frustration: 0.85,
      valence: -0.35,
    }),
    one('model: urgent', reading.urgent, strength(reading.urgent, MIDDLE.chat), {
      urgency: 0.95,
      arousal: 0.2,
    }),
    one('model: tired', reading.tired, strength(reading.tired, MIDDLE.chat), { fatigue: 0.9, arousal: -0.2 }),
    one('model: joking', reading.joking, strength(reading.joking, MIDDLE.chat), { playfulness: 0.7 }),
    one('model: playful', reading.playful, strength(reading.playful, MIDDLE.playfulness), {
      playfulness: 0.9,
    }),
    one('model: curious', reading.curious, strength(reading.curious, MIDDLE.curiosity), { curiosity: 0.9 }),
    one('model: engaged', reading.engaged, strength(reading.engaged, MIDDLE.engagement), {
      engagement: 0.8,
      frustration: -0.25,
    }),
  ];
}

function one(name: string, probability: number, score: number, moves: Found['moves']): Found {
  return {
    signal: { name, score, confidence: 1, evidence: [`probability ${probability.toFixed(2)}`] },
    moves,
  };
}

/** Straight from 0 to .5 at the middle, and on to 1. */
function strength(probability: number, middle: number): number {
  return probability < middle
    ? (0.5 * probability) / middle
    : 0.5 + (0.5 * (probability - middle)) / (1 - middle);
}
