import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCache, writeCache } from '../../src/fs/cache.ts';
import { dailyNotes } from '../../src/stages/daily-notes.ts';
import { WindowCache } from '../../src/transcript/window-cache.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOTES = {
  'memory/2026-02-05.md': 'a',
  'memory/2026-02-06.md': 'b',
  'memory/2026-02-09.md': 'c',
  'memory/2026-02-06.txt': 'd',
  'memory/notes-2026.md': 'e',
  '.scratchpad/cache/': '',
};
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

/** The dates up to one, as one process after another finds them. */
function datesOf(root: string, until = '2026-02-07'): string[] {
  const cache = new WindowCache(cacheIn(root));
  const dates = dailyNotes(root, until, cache).map(({ date }) => date);
  cache.keep();
  return dates;
}
const cacheIn = (root: string): string => join(root, '.scratchpad/cache/window.json');
const settle = (root: string, at = LONG_AGO): void => utimesSync(join(root, 'memory'), at, at);

describe('daily notes', () => {
  test('up to a date, the newest first; of a folder that stays as it is from what was kept', () => {
    const root = testDir(NOTES);
    settle(root);
    for (let look = 0; look < 3; look += 1) expect(datesOf(root)).toEqual(['2026-02-06', '2026-02-05']);
    expect(datesOf(root, '2026-02-09')).toHaveLength(3);
    const kept = readFileSync(cacheIn(root), 'utf8');
    expect(kept).toContain('2026-02-09');
    // A folder that were listed again would show it.
    writeFileSync(join(root, 'memory/2026-02-07.md'), 'f');
    settle(root);
    expect(datesOf(root)).toEqual(['2026-02-06', '2026-02-05']);
  });

  test('a note that comes or goes is noticed', () => {
    const root = testDir(NOTES);
    settle(root);
    datesOf(root);
    writeFileSync(join(root, 'memory/2026-02-07.md'), 'f');
    expect(datesOf(root)).toEqual(['2026-02-07', '2026-02-06', '2026-02-05']);
    settle(root, new Date('2026-01-02T00:00:00Z'));
    datesOf(root);
    rmSync(join(root, 'memory/2026-02-06.md'));
    expect(datesOf(root)).toEqual(['2026-02-07', '2026-02-05']);
  });

  test('a folder that changed just now is not kept: it may change again without its time', () => {
    const root = testDir(NOTES);
    settle(root, new Date(Date.now() + 5000));
    datesOf(root);
    expect(readCache(cacheIn(root))).toBeUndefined();
  });

  test('what was kept of another kind is worth nothing, and no folder gives no notes', () => {
    const root = testDir(NOTES);
    settle(root);
    datesOf(root);
    const kept = JSON.stringify(readCache(cacheIn(root)));
    for (const hostile of ['../../etc/passwd', '2026-02-06\n', 7])
      for (const value of [hostile, [hostile], null]) {
        const other = JSON.parse(kept) as { 'daily notes': { values: [string, unknown][] } };
        other['daily notes'].values.forEach((entry) => {
          entry[1] = value;
        });
        writeCache(cacheIn(root), other);
        expect(datesOf(root)).toEqual(['2026-02-06', '2026-02-05']);
      }
    expect(dailyNotes(testDir({}), '2026-02-07')).toEqual([]);
  });
});
