import { expect, test } from 'vitest';
import { atPrompt } from '../../src/trail/at-prompt.ts';
import type { Fact, Kind } from '../../src/trail/index.ts';
import type { Trail } from '../../src/trail/trail.ts';

const fact = (kind: Kind, text: string): Fact => ({
  id: kind,
  kind,
  text,
  place: 1,
  why: 'for the test',
  open: true,
});
/** A session with an edited file and a failed check. */
const trail = {
  facts: [
    fact('edited', 'src/cart.ts'),
    fact('check', '`npm test` failed'),
    fact('failing', 'cart > adds up'),
  ],
} as Trail;

const about = (prompt: string): string[] =>
  atPrompt(trail, { prompt, budgetTokens: 250 }).map(({ kind }) => kind);

test.each([
  'fix the tests',
  'tests are still failing for me',
  'can you resolve the tsc compile error in server.ts',
  'try to fix errors again, think more carefully',
  'another failure',
  'ugh it looks like the latest run failed. any idea why?',
  'the build is red',
])('"%s" is about what fails', (prompt) => {
  expect(about(prompt)).toEqual(['check', 'failing']);
});

test.each([
  "any idea why this doesn't work?",
  'showing diffs side by side looks broken',
  'start with green representing 3 and stop with red representing 7',
  'make sure to first make a test that fails before fixing it',
  'if any test fails that passed before, we should not push',
  'i want to use colors like "red" from the palette',
])('"%s" is not', (prompt) => {
  expect(about(prompt)).toEqual([]);
});

test.each([
  'commit this',
  'great, can you commit and push up these changes please?!',
  'go ahead and make a commit; then the header',
])('"%s" asks for a commit', (prompt) => {
  expect(about(prompt)).toEqual(['edited']);
});

test.each([
  'why did you commit to the main branch?',
  'create a task to add a `git commit` command',
  'there is nothing to commit',
  "i'll do a revert to my latest git commit",
])('"%s" does not', (prompt) => {
  expect(about(prompt)).toEqual([]);
});
