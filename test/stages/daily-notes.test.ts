import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listDailyNotes } from '../../src/stages/tasks.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOTES = {
  'memory/2026-02-05.md': 'a',
  'memory/2026-02-06.md': 'b',
  'memory/2026-02-09.md': 'c',
  'memory/2026-02-06.txt': 'd',
  'memory/notes-2026.md': 'e',
};

const datesOf = (root: string, until = '2026-02-07'): string[] =>
  listDailyNotes(root, until).map((path) => path.slice(7, -3));

describe('daily notes', () => {
  test('up to a date, the newest first', () => {
    const root = testDir(NOTES);
    expect(datesOf(root)).toEqual(['2026-02-06', '2026-02-05']);
    expect(datesOf(root, '2026-02-09')).toHaveLength(3);
  });

  test('an added or removed note is noticed', () => {
    const root = testDir(NOTES);
    datesOf(root);
    writeFileSync(join(root, 'memory/2026-02-07.md'), 'f');
    expect(datesOf(root)).toEqual(['2026-02-07', '2026-02-06', '2026-02-05']);
    rmSync(join(root, 'memory/2026-02-06.md'));
    expect(datesOf(root)).toEqual(['2026-02-07', '2026-02-05']);
  });

  test('no folder gives no notes', () => {
    expect(listDailyNotes(testDir({}), '2026-02-07')).toEqual([]);
  });
});
