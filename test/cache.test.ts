import { linkSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { overwriteCache, readOverwritten } from '../src/cache.ts';
import { testDir } from './helpers/test-dir.ts';

const cacheDir = (): string => join(testDir({ '.scratchpad/cache/': '' }), '.scratchpad/cache');
const LONG = { words: 'long '.repeat(2000) };

describe('overwriteCache', () => {
  test('keeps the last value, longer or shorter, in one file', () => {
    const file = join(cacheDir(), 'a.json');
    overwriteCache(file, { n: 1 });
    const { ino } = statSync(file);
    for (const value of [LONG, { n: 2 }, null, LONG]) {
      overwriteCache(file, value);
      expect(readOverwritten(file)).toEqual(value);
    }
    expect(statSync(file)).toMatchObject({ ino, nlink: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a beginning of one value before the end of another is none', () => {
    const file = join(cacheDir(), 'a.json');
    overwriteCache(file, { n: 1, filler: 'x'.repeat(5000) });
    const old = readFileSync(file, 'utf8');
    const now = Date.now();
    while (Date.now() === now);
    overwriteCache(file, { n: 2, filler: 'x'.repeat(5000) });
    const young = readFileSync(file, 'utf8');
    expect(young).toHaveLength(old.length);
    for (const at of [40, 100, 4096, young.length - 16]) {
      writeFileSync(file, young.slice(0, at) + old.slice(at));
      expect(readOverwritten(file)).toBeUndefined();
      writeFileSync(file, young.slice(0, at));
      expect(readOverwritten(file)).toBeUndefined();
    }
  });

  test('does not write through a link, and takes its place', () => {
    const dir = cacheDir();
    const other = join(dir, 'other');
    writeFileSync(other, 'of somebody else, and a good deal longer than what is kept\n'.repeat(9));
    const before = readFileSync(other, 'utf8');
    symlinkSync(other, join(dir, 'soft.json'));
    linkSync(other, join(dir, 'hard.json'));
    for (const name of ['soft.json', 'hard.json']) {
      const file = join(dir, name);
      overwriteCache(file, { n: 1 });
      expect(readFileSync(other, 'utf8')).toBe(before);
      expect(readOverwritten(file)).toEqual({ n: 1 });
      expect(lstatSync(file)).toMatchObject({ nlink: 1 });
      expect(lstatSync(file).isFile()).toBe(true);
    }
  });

  test('a folder that is no workspace stays as it is', () => {
    const file = join(testDir(), '.scratchpad/cache/a.json');
    overwriteCache(file, { n: 1 });
    expect(readOverwritten(file)).toBeUndefined();
  });
});
