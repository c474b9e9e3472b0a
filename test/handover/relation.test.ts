import { expect, test } from 'vitest';
import type { Said } from '../../src/handover/messages.ts';
import { forbidden, relationOf } from '../../src/handover/prompt.ts';
import type { WorkState } from '../../src/handover/state.ts';

const CLEAN: WorkState = { session: 's', at: 0, open: [], commits: [], edited: [], tasks: [] };

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

const OPEN: WorkState = {
  ...CLEAN,
  open: ['question', 'edits'],
  question: 'Shall I commit it?',
  lastWords: 'The rounding is mended. Shall I commit it?',
  edited: ['src/totals.ts'],
  uncommitted: ['src/totals.ts'],
  tasks: [{ text: 'Render the invoice', status: 'open' }],
};

test.each([
  ['now the invoice', 'goes on'],
  ['the limit hit us. go ahead', 'goes on'],
  ['what did I ask for yesterday?', 'goes on'],
  ['yes - commit it, push it, and then write a page about the new warehouse in Antwerp', 'goes on'],
  ['round totals.ts to cents', 'goes on'],
  ['now the landing page', 'unclear'],
  ['what does this project do?', 'unclear'],
  [`look at totals.ts, ${'where the customers of the second warehouse pay twice, '.repeat(4)}`, 'unclear'],
] as const)('with work open “%s” is: %s', (prompt, relation) => {
  expect(relationOf(prompt, OPEN, [], undefined)).toBe(relation);
});

const said = (text: string): Said => ({ id: text, text, agrees: false, rule: 0, rules: false });

test.each([
  ["don't change the signature of total(), the shop calls it", 'change the signature of total', true],
  ['never install packages', 'npm install left-pad', true],
  ["don't change the signature of total(), the shop calls it", 'what is the signature of total', false],
  ['do not push before Ines is back', 'show me what Ines wrote', false],
])('“%s” forbids “%s”: %s', (message, prompt, is) => {
  expect(forbidden(prompt, [said(message)]).length > 0).toBe(is);
});

test('what somebody asked for since is not forbidden any more', () => {
  expect(forbidden('commit', [said("write a plan, don't commit"), said('commit this')])).toEqual([]);
});
