import { expect, test } from 'vitest';
import { relationOf } from '../../src/handover/prompt.ts';
import type { WorkState } from '../../src/handover/state.ts';

const CLEAN: WorkState = { session: 's', at: 0, open: [], commits: [], edited: [], others: 0, tasks: [] };

test.each([
  ['continue', 'goes on'],
  ['mach bitte mit dem Warenkorb weiter', 'goes on'],
  ['let us continue with the cart', 'goes on'],
  ['fix the tests', 'goes on'],
  ['mise run lint fails', 'goes on'],
  ['can you review the changes in this branch again', 'goes on'],
  ['I opened a PR and there is feedback to address', 'goes on'],
  ['can you review pr 227 for me please?', 'unclear'],
  ['/review https://example.org/pull/6', 'unclear'],
  ['add a page that lists all customers with their orders of the last year', 'unclear'],
  ['Implement the following plan:\n\n# Totals', 'own work'],
] as const)('after a clean end “%s” is: %s', (prompt, relation) => {
  expect(relationOf(prompt, CLEAN, [], undefined)).toBe(relation);
});
