import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryReadJson } from '../../../src/base/fs/index.ts';
import { writeCache } from '../../../src/base/fs/json-shape.ts';
import { testDir } from '../../helpers/test-dir.ts';

const cacheDir = (): string => join(testDir({ '.scratchpad/cache/': '' }), '.scratchpad/cache');
const LONG = { words: 'long '.repeat(2000) };

test('keeps the last value, longer or shorter, readable for this user alone', () => {
  const file = join(cacheDir(), 'a.json');
  for (const value of [{ n: 1 }, LONG, { n: 2 }, null, LONG]) {
    writeCache(file, value);
    expect(tryReadJson(file, 'cache')).toEqual(value);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('half of a value is ignored', () => {
  const file = join(cacheDir(), 'a.json');
  writeCache(file, LONG);
  const whole = readFileSync(file, 'utf8');
  for (const at of [0, 40, whole.length - 1]) {
    writeFileSync(file, whole.slice(0, at));
    expect(tryReadJson(file, 'cache')).toBeUndefined();
  }
});

test('neither reads nor writes through a link', () => {
  const dir = cacheDir();
  const other = join(testDir({ other: '{"n":1}' }), 'other');
  const file = join(dir, 'a.json');
  symlinkSync(other, file);
  writeCache(file, { n: 2 });
  expect(readFileSync(other, 'utf8')).toBe('{"n":1}');
  expect(tryReadJson(file, 'cache')).toBeUndefined();
});

test('a folder that is not a workspace is left alone', () => {
  const file = join(testDir(), '.scratchpad/cache/a.json');
  writeCache(file, { n: 1 });
  expect(tryReadJson(file, 'cache')).toBeUndefined();
});
