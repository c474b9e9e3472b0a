import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCache } from '../../src/fs/cache.ts';
import { WindowCache, type WindowPart } from '../../src/transcript/window-cache.ts';
import { testDir } from '../helpers/test-dir.ts';

const cacheFile = (): string => join(testDir({ '.scratchpad/cache/': '' }), '.scratchpad/cache/window.json');
const numbers = (cache: WindowCache, name: string): WindowPart<number> =>
  cache.part(name, '1', (kept) => (typeof kept === 'number' ? kept : undefined));

test('parts share a file: what one keeps does not cost another its own', () => {
  const file = cacheFile();
  const first = new WindowCache(file);
  numbers(first, 'mood').set('a', 1);
  numbers(first, 'silent').set('a', 2);
  first.keep();
  const second = new WindowCache(file);
  numbers(second, 'mood').set('b', 3);
  // One that nobody opened stays as it is.
  second.keep();
  const third = new WindowCache(file);
  expect(numbers(third, 'mood').get('a')).toBeUndefined();
  expect(numbers(third, 'mood').get('b')).toBe(3);
  expect(numbers(third, 'silent').get('a')).toBe(2);
});

test('what was not asked for goes when something is new, and nothing is written when nothing is', () => {
  const file = cacheFile();
  const first = new WindowCache(file);
  const part = numbers(first, 'mood');
  part.set('a', 1);
  part.set('b', 2);
  first.keep();
  const written = readFileSync(file, 'utf8');
  const second = new WindowCache(file);
  expect(numbers(second, 'mood').get('a')).toBe(1);
  second.keep();
  expect(readFileSync(file, 'utf8')).toBe(written);
  const third = new WindowCache(file);
  const asked = numbers(third, 'mood');
  asked.get('b');
  asked.set('c', 3);
  third.keep();
  expect(readCache(file)).toEqual({
    mood: {
      version: '1',
      values: [
        ['b', 2],
        ['c', 3],
      ],
    },
  });
});
