import { expect, test } from 'vitest';
import { PRIORITY } from '../../src/stages/stage.ts';

test('the most important lines come first, and no two kinds have one rank', () => {
  const ranks = Object.values(PRIORITY);
  expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
  expect(new Set(ranks).size).toBe(ranks.length);
});
