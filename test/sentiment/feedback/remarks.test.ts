import { describe, expect, test } from 'vitest';
import { adjust, type FeedbackEvent, type Meaning } from '../../../src/sentiment/feedback/remarks.ts';
import type { Strategy } from '../../../src/sentiment/types.ts';

const DAY = 86_400_000;
const LASTS = 14 * DAY;
const NOW = Date.parse('2026-02-06T12:00:00Z');

function said(meaning: Meaning, daysAgo = 0, more: Partial<FeedbackEvent> = {}): FeedbackEvent {
  const at = new Date(NOW - daysAgo * DAY).toISOString();
  return { at, person: '', text: meaning, meanings: [meaning], source: 'said', ...more };
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

const adjusted = (events: FeedbackEvent[], strategy = NEUTRAL, person = '') =>
  adjust(strategy, { events, lastsMs: LASTS }, person, NOW);

test('the newest remark counts, however often the opposite was said before', () => {
  const many = Array.from({ length: 100 }, (_, k) => said('shorter', 1 + k / 20));
  expect(adjusted([...many, said('longer')]).strategy.verbosity).toBe('thorough');
  expect(adjusted([said('longer'), ...many]).strategy.verbosity).toBe('thorough');
});

test('praise changes nothing', () => {
  expect(adjusted([said('good')]).strategy).toEqual(NEUTRAL);
  expect(adjusted([said('shorter', 2), said('good')]).strategy.verbosity).toBe('minimal');
});

describe('the strategy', () => {
  test('becomes one step shorter, says why, and comes back by itself', () => {
    const { strategy, why } = adjusted([said('shorter', 1)]);
    expect(strategy).toMatchObject({ verbosity: 'minimal', tone: 'professional', preamble: true });
    expect(why.verbosity).toBe('feedback: "shorter", said 24 h ago; moderate without it');
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
    expect(adjusted([said('direct')], TIRED).strategy.tone).toBe('warm');
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

test('the reason names the remark that caused the change', () => {
  const caused = [
    said('shorter', 2, { text: 'too verbose' }),
    said('shorter', 1, { text: 'get to the point' }),
  ];
  expect(adjusted(caused).why.verbosity).toContain('"get to the point", said 24 h ago');
});
