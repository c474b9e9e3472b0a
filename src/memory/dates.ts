import LANGUAGES from '../../models/words/due.json' with { type: 'json' };
import { DAY_MS } from '../base/text/durations.ts';
import { splitWordList } from '../base/text/strings.ts';

/** Number of the day (days since 1970-01-01) of a calendar date, or -1 if there is no such date. */
export function toDayNumber(year: number, month: number, day: number): number {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? Math.floor(time / DAY_MS) : -1;
}

/** The date in a file's name or its folders' (`2026-02-03-notes.md`, `2026/02/03.md`, `20260203.md`); -1 for none. */
export function parsePathDay(path: string): number {
  const match = /(?:^|[^\d])((?:19|20)\d{2})([-_/.]?)(\d{2})\2(\d{2})(?!\d)/.exec(path);
  return match === null ? -1 : toDayNumber(Number(match[1]), Number(match[3]), Number(match[4]));
}

/** When a line was written (`2026-02-03`), by its file's name, else by the nearest title with a date, else by its file. */
export function dateOfHit(hit: {
  path: string;
  headings: readonly string[];
  fileDate?: string;
}): string | undefined {
  const day = [hit.path, ...hit.headings.toReversed()].map(parsePathDay).find((each) => each >= 0);
  return day === undefined ? hit.fileDate : new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export interface DaySpan {
  from: number;
  to: number;
}

export const MONTH_NAMES = splitWordList(
  'January February March April May June July August September October November December',
);
/** `sep`, `sept` or `september`. A longer word that begins so, such as `marketing` or `decision`, is no month. */
const MONTH_STARTS = MONTH_NAMES.map((name) => name.slice(0, 3).toLowerCase());
const makeOptional = (letters: string): string =>
  [...letters].reduceRight((tail, letter) => `(?:${letter}${tail})?`, '');
const ENGLISH = MONTH_NAMES.map((name, index) => `${MONTH_STARTS[index]}${makeOptional(name.slice(3))}`);
/** Of other languages whole names only: `set` and `out` begin months, too. */
const MONTH_NUMBERS = new Map(
  Object.values(LANGUAGES).flatMap(({ months }) =>
    months.split(', ').map((name, index) => [name, index + 1] as const),
  ),
);
const MONTH = `(${[...ENGLISH, ...MONTH_NUMBERS.keys()].join('|')})(?![\\p{L}\\d])\\.?`;
const DAY_OF_MONTH = '([12]\\d|3[01]|0?[1-9])(?:st|nd|rd|th)?';
/** `3 Feb 2026`, `3rd of February`, `February 3`, `Feb 2026`, `in May`. */
const WRITTEN = new RegExp(
  `(?<![\\p{L}\\d])(?:${DAY_OF_MONTH}\\s+(?:of\\s+)?)?${MONTH}(?:\\s+${DAY_OF_MONTH}\\b)?(?:,?\\s*(?:of\\s+)?((?:19|20)\\d{2}))?`,
  'gu',
);
const ISO = /\b((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})\b/g;
/** The text in lower case, without its dates. */
export const removeDates = (text: string): string =>
  text.toLowerCase().replace(ISO, ' ').replace(WRITTEN, ' ');

const MOST_YEARS = 12;
const RELATIVE = { today: [0, 0], yesterday: [1, 1], 'last week': [5, 13], 'last month': [20, 62] } as const;

/**
 * Dates written in a question: `2026-02-03`, `3 February 2026`, `Feb 3rd`, `June 2025`, and days relative to `now`. A date
 * without a year gives one span for each of these years.
 */
export function parseDateSpans(text: string, now: number): DaySpan[] {
  const lower = text.toLowerCase();
  const next = new Date(now).getUTCFullYear() + 1;
  const years = Array.from({ length: MOST_YEARS }, (_, back) => next - back);
  const spans: DaySpan[] = [];
  const addDay = (year: string | number, month: string | number, day: string | number): void => {
    const number = toDayNumber(Number(year), Number(month), Number(day));
    if (number >= 0) spans.push({ from: number, to: number });
  };

  for (const [, year = '', month = '', day = ''] of lower.matchAll(ISO)) addDay(year, month, day);

  for (const { index, 1: before, 2: name = '', 3: after, 4: year } of lower.matchAll(WRITTEN)) {
    const day = before ?? after;
    const month = MONTH_NUMBERS.get(name) ?? MONTH_STARTS.indexOf(name.slice(0, 3)) + 1;
    // `may` and `march` alone are verbs more often than months.
    if (day === undefined && year === undefined && !lower.slice(0, index).endsWith('in ')) continue;

    for (const each of year === undefined ? years : [year]) {
      const from = toDayNumber(Number(each), month, 1);
      if (day === undefined) spans.push({ from, to: from + 30 });
      else addDay(each, month, day);
    }
  }

  const today = Math.floor(now / DAY_MS);
  for (const [words, [least, most]] of Object.entries(RELATIVE))
    if (lower.includes(words)) spans.push({ from: today - most, to: today - least });

  return spans;
}
