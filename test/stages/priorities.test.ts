import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRIORITY } from '../../src/stages/priorities.ts';

test('the order in docs/state.md is the one that is used', () => {
  const page = readFileSync(new URL('../../docs/state.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| .*\(`(\w+)`\) \|$/gm)].map(([, worth, name]) => [
    name,
    Number(worth),
  ]);
  expect(rows).toEqual(Object.entries(PRIORITY));
  expect(rows.map(([, worth]) => worth)).toEqual(Object.values(PRIORITY).toSorted((a, b) => b - a));
});
