import { describe, expect, it } from 'vitest';
import { parseDateSpans, parsePathDay, removeDates, toDayNumber } from '../../src/memory/dates.ts';

const YEARS = [2027, 2026, 2025, 2024, 2023, 2022, 2021, 2020, 2019, 2018, 2017, 2016];
const NOW = Date.UTC(2026, 1, 6, 3);
const spans = (text: string): string[] =>
  parseDateSpans(text, NOW).map(({ from, to }) => [from, to].map(iso).join(' '));
const iso = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

describe('dayOfPath', () => {
  it.each([
    ['memory/2026-02-03.md', '2026-02-03'],
    ['memory/2026/02/03.md', '2026-02-03'],
    ['memory/20260203-slug.md', '2026-02-03'],
    ['memory/log-2026_02_03.md', '2026-02-03'],
  ])('%s', (path, expected) => {
    expect(iso(parsePathDay(path))).toBe(expected);
  });

  it.each(['MEMORY.md', 'memory/2026-02-31.md', 'memory/12026-02-03x.md', 'memory/202602031.md'])(
    '%s has none',
    (path) => {
      expect(parsePathDay(path)).toBe(-1);
    },
  );
});

describe('spansOf', () => {
  it.each([
    ['on 2026-02-03?', ['2026-02-03 2026-02-03']],
    ['3 February 2026', ['2026-02-03 2026-02-03']],
    ['Feb 3rd, 2026', ['2026-02-03 2026-02-03']],
    ['on the 3rd of March', YEARS.map((year) => `${year}-03-03 ${year}-03-03`)],
    ['in June 2025', ['2025-06-01 2025-07-01']],
    ['in May', YEARS.map((year) => `${year}-05-01 ${year}-05-31`)],
    ['you may go, march on', []],
    ['what did we do yesterday', ['2026-02-05 2026-02-05']],
    ['what was it last week', ['2026-01-24 2026-02-01']],
    ['in Sept. 2025', ['2025-09-01 2025-10-01']],
    ['im Juni 2026', ['2026-06-01 2026-07-01']],
    ['en septembre 2025', ['2025-09-01 2025-10-01']],
    ['el 3 marzo 2026', ['2026-03-03 2026-03-03']],
    ['no date at all', []],
    ['decision 12, marketing 20, maybe 5, separator 4', []],
  ])('%s', (text, expected) => {
    expect(spans(text)).toEqual(expected);
  });

  it('removes days of months, not a number after another word', () => {
    const text = 'marketing 42 seats, may 42';
    expect(removeDates(`${text} on 3 Sept. 2026`).trim()).toBe('marketing 42 seats,   42 on');
  });

  it('knows no 31 of June', () => {
    expect(spans('31 June 2026')).toEqual([]);
    expect(toDayNumber(2026, 2, 29)).toBe(-1);
  });
});
