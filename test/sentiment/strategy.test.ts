import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/errors.ts';
import {
  analyze,
  DIMENSIONS,
  mapStrategy,
  parseState,
  type SentimentState,
  type Strategy,
} from '../../src/sentiment/index.ts';

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

  test('readings that waver by less than .1 never bring back a strategy that was left', () => {
    const level = fc.double({ min: 0, max: 0.9, noNaN: true });
    const levels = fc.tuple(level, level, level, level, level, level);
    const waver = fc.array(fc.double({ min: 0, max: 0.099, noNaN: true }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(levels, fc.array(waver, { minLength: 2, maxLength: 30 }), (base, turns) => {
        const seen: string[] = [];
        let previous: Strategy | undefined;
        for (const turn of turns) {
          const part = Object.fromEntries(DIMENSIONS.map((d, i) => [d, (base[i] ?? 0) + (turn[i] ?? 0)]));
          previous = mapStrategy(state(part), previous);
          const { style, tone, verbosity } = previous;
          const shown = `${style} ${tone} ${verbosity}`;
          if (seen.at(-1) === shown) continue;
          // The neutral one may come first; after that each step is to a stronger rule.
          expect(seen).not.toContain(shown);
          seen.push(shown);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a mood said once fades over the turns that follow, and no step is a leap', () => {
    const ordinary = [
      'add a test for it',
      'run the linter',
      'rename the column',
      'list the files',
      'commit it',
    ];
    const lines = ['this is so frustrating, you broke it again', ...ordinary];
    const at = (n: number) =>
      analyze(
        lines.slice(0, n).map((content, i) => ({ id: String(i), role: 'user', content, session: 's' })),
      );
    const levels = lines.map((_, i) => at(i + 1).frustration);
    expect(levels[0]).toBeGreaterThan(0.5);
    for (let i = 1; i < levels.length; i++) {
      expect(levels[i]).toBeLessThanOrEqual(levels[i - 1] ?? 0);
      expect(levels[i]).toBeGreaterThan((levels[i - 1] ?? 0) * 0.5);
    }
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

  test('names the emotion by the dimensions, unless it is told', () => {
    const told = { confidence: 0.9, fatigue: 0.8, urgency: 0.4 };
    expect(parseState(told)).toMatchObject({ emotion: 'tired', secondary: 'urgent' });
    expect(parseState({ ...told, emotion: 'neutral' })).toMatchObject({
      emotion: 'neutral',
      secondary: null,
    });
    expect(parseState({ ...told, confidence: 0.2 }).emotion).toBe('neutral');
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
