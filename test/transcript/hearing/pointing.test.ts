import { expect, test } from 'vitest';
import { describePicked, findPicked } from '../../../src/transcript/pasted-text.ts';

const TWO_LISTS =
  'Kept are:\n1. all\n2. the newest four\n\nNames:\n1. `a.tar`\n2. `b.tar`\n3. `c.tar`\n\nWhich?';

test('a number that stands in two lists may mean either', () => {
  expect(describePicked(findPicked('2 for what is kept', TWO_LISTS))).toBe(
    '2: `b.tar`, or of another list: the newest four',
  );
  expect(describePicked(findPicked('option 3', TWO_LISTS))).toBe('3: `c.tar`');
});

test.each([
  ['2', ['b']],
  ['the second one', ['b']],
  ['1 and 3', ['a', 'c']],
  ['the last one', ['c']],
  ['2 hours is too long', []],
])('%s', (said, picked) => {
  expect(findPicked(said, '1. a\n2. b\n3. c'.replace(/[abc]/g, '$&$&')).map(({ text }) => text[0])).toEqual(
    picked,
  );
});
