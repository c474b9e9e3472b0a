import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../../src');

/** What loads or reads files itself, and why it may. */
const EXCEPTIONS = [
  // Before the program is there: it reads the program's own bundles and keeps their compiled form.
  'base/start.ts',
];

test('nothing outside of src/base/fs opens a file', () => {
  const opening = readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /['"`](?:node:)?fs(?:\/promises)?['"`]/.test(readFileSync(path, 'utf8')))
    .map((path) => relative(SRC, path).replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('base/fs/'));
  expect(opening.sort()).toEqual(EXCEPTIONS);
});

test('src/base/fs stands below everything else', () => {
  const others = readdirSync(join(SRC, 'base/fs')).flatMap((name) =>
    [...readFileSync(join(SRC, 'base/fs', name), 'utf8').matchAll(/from '(\.\.\/[^']+)'/g)].map(
      ([, path]) => path,
    ),
  );
  expect([...new Set(others)]).toEqual(['../errors.ts']);
});
