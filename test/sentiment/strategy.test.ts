import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/errors.ts';
import { mapStrategy, parseState, type SentimentState } from '../../src/sentiment/index.ts';

const state = (part: Partial<SentimentState>): SentimentState => parseState({ confidence: 0.8, ...part });

describe('mapStrategy', () => {
  test.each<[string, Partial<SentimentState>, object]>([
    ['nothing stands out', {}, { style: 'neutral', preamble: true }],
    [
      'frustration above .7',
      { frustration: 0.71 },
      { style: 'concise', tone: 'direct', verbosity: 'minimal', preamble: false },
    ],
    ['frustration of .7 itself', { frustration: 0.7 }, { style: 'concise', verbosity: 'moderate' }],
    [
      'playfulness without frustration',
      { playfulness: 0.51, frustration: 0.29 },
      { style: 'matched', tone: 'playful' },
    ],
    ['playfulness with frustration', { playfulness: 0.9, frustration: 0.3 }, { style: 'neutral' }],
    ['fatigue above .6', { fatigue: 0.61 }, { style: 'gentle', tone: 'warm' }],
    ['urgency', { urgency: 0.7 }, { style: 'concise', tone: 'professional', verbosity: 'minimal' }],
    ['curiosity', { curiosity: 0.7 }, { style: 'exploratory', verbosity: 'thorough' }],
    ['frustration before fatigue', { frustration: 0.8, fatigue: 0.9 }, { tone: 'direct' }],
    ['anything at low confidence', { frustration: 1, confidence: 0.39 }, { style: 'neutral' }],
  ])('%s', (_, part, expected) => {
    expect(mapStrategy(state(part))).toMatchObject(expected);
  });

  test('fatigue suggests deferring', () => {
    expect(mapStrategy(state({ fatigue: 0.7 })).suggestions.join(' ')).toMatch(/defer/i);
  });

  test('a strategy in force is kept until its reading has clearly fallen', () => {
    const before = mapStrategy(state({ frustration: 0.75 }));
    expect(mapStrategy(state({ frustration: 0.65 }), before).tone).toBe('direct');
    expect(mapStrategy(state({ frustration: 0.59 }), before).tone).toBe('professional');
    expect(mapStrategy(state({ frustration: 0.65 })).tone).toBe('professional');
  });

  test('advice speaks of the answer, not of the person', () => {
    for (const part of [
      { frustration: 0.9 },
      { fatigue: 0.9 },
      { urgency: 0.9 },
      { playfulness: 0.9 },
      { curiosity: 0.9 },
    ]) {
      expect(mapStrategy(state(part)).suggestions.join(' ')).not.toMatch(
        /\b(?:you seem|upset|angry|frustrated|mood)\b/i,
      );
    }
  });
});

describe('parseState', () => {
  test('fills what is absent', () => {
    expect(parseState('{"confidence":0.5}')).toMatchObject({
      emotion: 'neutral',
      frustration: 0,
      signals: [],
      trajectory: null,
    });
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no confidence', '{}'],
    ['a number out of range', '{"confidence":2}'],
    ['not a number', '{"confidence":0.5,"valence":"low"}'],
    ['an unknown emotion', '{"confidence":0.5,"emotion":"smug"}'],
    ['a bad time', '{"confidence":0.5,"timestamp":"noon"}'],
    ['a broken signal', '{"confidence":0.5,"signals":[{}]}'],
    ['a broken trajectory', '{"confidence":0.5,"trajectory":{"direction":"up"}}'],
  ])('refuses %s', (_, text) => {
    expect(() => parseState(text)).toThrow(ScratchpadError);
  });
});
