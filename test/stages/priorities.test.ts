import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRIORITY } from '../../src/stages/priorities.ts';

test('the order that docs/state.md gives is the one in force', () => {
  const page = readFileSync(new URL('../../docs/state.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| .*\(`(\w+)`\) \|$/gm)].map(([, worth, name]) => [
    name,
    Number(worth),
  ]);
  expect(rows).toEqual(Object.entries(PRIORITY));
  expect(rows.map(([, worth]) => worth)).toEqual(Object.values(PRIORITY).toSorted((a, b) => b - a));
});
