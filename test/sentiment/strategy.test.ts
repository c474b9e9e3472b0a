import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeMood, nameMood } from '../../src/sentiment/state.ts';
import { mapStrategy, renderAdvice } from '../../src/sentiment/strategy.ts';
import { DIMENSIONS, type SentimentState } from '../../src/sentiment/types.ts';

const state = (part: Partial<SentimentState>): SentimentState => {
  const read = { ...analyzeMood([]), confidence: 0.8, ...part };
  nameMood(read);
  return read;
};

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
    ['frustration before fatigue', { frustration: 0.8, fatigue: 0.9 }, { tone: 'direct' }],
    ['anything at low confidence', { frustration: 1, confidence: 0.39 }, { style: 'neutral' }],
  ])('%s', (_, part, expected) => {
    expect(mapStrategy(state(part))).toMatchObject(expected);
  });

  test('fatigue suggests deferring', () => {
    expect(mapStrategy(state({ fatigue: 0.7 })).suggestions.join(' ')).toMatch(/defer/i);
  });

  test('a mood is named where it changes how to answer, and nowhere else', () => {
    const level = fc.double({ min: 0, max: 1, noNaN: true });
    const readings = fc.record({
      confidence: level,
      ...(Object.fromEntries(DIMENSIONS.map((d) => [d, level])) as Record<string, fc.Arbitrary<number>>),
    });
    fc.assert(
      fc.property(readings, (part) => {
        const read = state(part);
        const strategy = mapStrategy(read);
        expect(read.emotion === 'neutral').toBe(strategy.style === 'neutral');
        expect(renderAdvice(strategy) === undefined).toBe(read.emotion === 'neutral');
        expect(read.secondary === null || read.emotion !== 'neutral').toBe(true);
      }),
    );
  });

  test.each<[Partial<SentimentState>, string]>([
    [{ frustration: 0.9, fatigue: 0.9 }, 'frustrated, tired'],
    [{ urgency: 0.7, fatigue: 0.9 }, 'urgent, tired'],
  ])('several moods are ranked by what they change: %o', (part, named) => {
    const { emotion, secondary } = state(part);
    expect(secondary === null ? emotion : `${emotion}, ${secondary}`).toBe(named);
  });

  test('how to answer is one line, and none for the ordinary way', () => {
    expect(renderAdvice(mapStrategy(state({})))).toBeUndefined();
    expect(renderAdvice(mapStrategy(state({ frustration: 0.9 })))).toBe(
      'Lead with the fix; check that it works before reporting it as done; keep it short.',
    );
    const usual = mapStrategy(state({}));
    expect(renderAdvice({ ...usual, verbosity: 'minimal', preamble: false })).toBe(
      'Keep it short; begin with the answer itself.',
    );
    expect(renderAdvice({ ...usual, preamble: false })).toBe('Begin with the answer itself.');
    expect(renderAdvice({ ...usual, tone: 'warm' })).toBe('Be warm.');
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
      analyzeMood(
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
    for (const part of [{ frustration: 0.9 }, { fatigue: 0.9 }, { urgency: 0.9 }, { playfulness: 0.9 }]) {
      expect(mapStrategy(state(part)).suggestions.join(' ')).not.toMatch(
        /\b(?:you seem|upset|angry|frustrated|mood)\b/i,
      );
    }
  });
});
