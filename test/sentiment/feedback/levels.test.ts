import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adjust, BOUND, levelsOf } from '../../../src/sentiment/feedback/adjust.ts';
import type { FeedbackEvent, Meaning } from '../../../src/sentiment/feedback/types.ts';
import type { Strategy } from '../../../src/sentiment/types.ts';

const DAY = 86_400_000;
const HALF_LIFE = 14 * DAY;
const NOW = Date.parse('2026-02-06T12:00:00Z');

function said(meaning: Meaning, daysAgo = 0, more: Partial<FeedbackEvent> = {}): FeedbackEvent {
  const at = new Date(NOW - daysAgo * DAY).toISOString();
  return { at, person: '', text: meaning, meanings: [meaning], source: 'said', strategy: null, ...more };
}

const NEUTRAL: Strategy = {
  style: 'neutral',
  tone: 'professional',
  verbosity: 'moderate',
  preamble: true,
  suggestions: [],
  reasons: [],
};
const FRUSTRATED: Strategy = {
  ...NEUTRAL,
  style: 'concise',
  tone: 'direct',
  verbosity: 'minimal',
  preamble: false,
};
const TIRED: Strategy = { ...FRUSTRATED, style: 'gentle', tone: 'warm' };

const levels = (events: FeedbackEvent[]) => levelsOf(events, NOW, HALF_LIFE);
const adjusted = (events: FeedbackEvent[], strategy = NEUTRAL, person = '') =>
  adjust(strategy, { events, halfLifeMs: HALF_LIFE }, person, NOW);

describe('levels', () => {
  test('a remark loses half its weight in one half-life', () => {
    expect(levels([said('shorter')]).verbosity).toBe(-1);
    expect(levels([said('shorter', 14)]).verbosity).toBeCloseTo(-0.5);
    expect(levels([said('shorter', 28)]).verbosity).toBeCloseTo(-0.25);
  });

  test('one that was noticed weighs less than one that was submitted', () => {
    expect(levels([said('shorter', 0, { source: 'noticed' })]).verbosity).toBeCloseTo(-0.7);
  });

  test('however often something is said, levels stay within bounds, and three remarks reverse any', () => {
    const meaning = fc.constantFrom<Meaning>('shorter', 'longer', 'direct', 'warm', 'playful', 'good');
    const remarks = fc.array(fc.tuple(meaning, fc.integer({ min: -3, max: 400 })), { maxLength: 60 });
    fc.assert(
      fc.property(remarks, (all) => {
        const events = all.map(([each, days]) => said(each, days, { strategy: FRUSTRATED }));
        for (const level of Object.values(levels(events))) expect(Math.abs(level)).toBeLessThanOrEqual(BOUND);
        const past = events.filter(({ at }) => Date.parse(at) <= NOW);
        const turned = [...past, ...[1, 2, 3].map(() => said('longer'))];
        expect(levels(turned).verbosity).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('praise pulls towards what was in force, and says nothing where that is not known', () => {
    expect(levels([said('good')]).verbosity).toBe(0);
    expect(levels([said('good', 0, { strategy: FRUSTRATED })])).toMatchObject({
      verbosity: -0.5,
      direct: 0.5,
      preamble: -0.5,
    });
    const held = levels([said('shorter', 14), said('good', 0, { strategy: NEUTRAL })]);
    expect(held.verbosity).toBeCloseTo(-0.25);
  });
});

describe('the strategy', () => {
  test('becomes one step shorter, says why, and comes back by itself', () => {
    const { strategy, why } = adjusted([said('shorter', 1)]);
    expect(strategy).toMatchObject({ verbosity: 'minimal', tone: 'professional', preamble: true });
    expect(why.verbosity).toBe('feedback: verbosity -0.95 ("shorter", said 24 h ago); moderate without it');
    expect(adjusted([said('shorter', 15)]).strategy).toEqual(NEUTRAL);
    const many = [1, 2, 3, 4, 5].map(() => said('longer'));
    expect(adjusted(many, FRUSTRATED).strategy.verbosity).toBe('moderate');
  });

  test("is moved by that person's words alone", () => {
    const events = [said('shorter', 0, { person: 'Ray' })];
    expect(adjusted(events, NEUTRAL, 'Ray').strategy.verbosity).toBe('minimal');
    expect(adjusted(events, NEUTRAL, 'Kim').strategy).toEqual(NEUTRAL);
    expect(adjusted(events).strategy).toEqual(NEUTRAL);
  });

  test('takes a tone that was asked for, but jokes with nobody strained and is blunt to nobody tired', () => {
    expect(adjusted([said('playful')]).strategy.tone).toBe('playful');
    expect(adjusted([said('playful')], FRUSTRATED).strategy.tone).toBe('direct');
    expect(adjusted([said('playful')], TIRED).strategy.tone).toBe('warm');
    expect(adjusted([said('direct')], TIRED).strategy.tone).toBe('professional');
    expect(adjusted([said('warm')], FRUSTRATED).strategy.tone).toBe('warm');
    expect(adjusted([said('professional')], { ...NEUTRAL, tone: 'playful' }).strategy.tone).toBe(
      'professional',
    );
  });

  test('drops a preamble, and brings none back for somebody in a hurry', () => {
    expect(adjusted([said('no preamble')]).strategy.preamble).toBe(false);
    expect(adjusted([said('preamble')], FRUSTRATED).strategy.preamble).toBe(false);
  });
});

test('the reason names the remark that caused the change, not a later one for the opposite', () => {
  const caused = [
    said('shorter', 2, { text: 'too verbose' }),
    said('shorter', 1, { text: 'get to the point' }),
  ];
  const later = [said('longer', 0, { text: 'too terse', source: 'noticed' })];
  expect(adjusted([...caused, ...later]).why.verbosity).toContain('("get to the point", said 24 h ago)');
  const praise = [said('good', 0, { text: 'that was perfect', strategy: FRUSTRATED })];
  expect(adjusted([...caused, ...praise]).why.verbosity).toContain('"that was perfect"');
});
