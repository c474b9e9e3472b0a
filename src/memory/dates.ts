import { wordList } from '../base/text/strings.ts';

export const DAY = 86_400_000;

/** Number of the day (days since 1970-01-01) of a calendar date, or -1 if there is no such date. */
export function dayNumber(year: number, month: number, day: number): number {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? Math.floor(time / DAY) : -1;
}

/** The date in a file's name or its folders' (`2026-02-03-notes.md`, `2026/02/03.md`, `20260203.md`); -1 for none. */
export function dayOfPath(path: string): number {
  const match = /(?:^|[^\d])((?:19|20)\d{2})([-_/.]?)(\d{2})\2(\d{2})(?!\d)/.exec(path);
  return match === null ? -1 : dayNumber(Number(match[1]), Number(match[3]), Number(match[4]));
}

/** A span of days mentioned in a text, both ends included. */
export interface DaySpan {
  from: number;
  to: number;
}

export const MONTH_NAMES = wordList(
  'January February March April May June July August September October November December',
);
/** `jan` */
export const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3).toLowerCase());
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY_OF_MONTH = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d{2})';

/** Relative words for days: the minimum and maximum number of days ago. */
const RELATIVE: readonly (readonly [phrase: RegExp, least: number, most: number])[] = [
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/, 0, 0],
  [/\b(?:yesterday|last night)\b/, 1, 1],
  [/\bthis week\b/, 0, 6],
  [/\blast week\b/, 5, 13],
  [/\blast month\b/, 20, 62],
];

/**
 * Dates written in a question: `2026-02-03`, `3 February 2026`, `Feb 3rd`, `in June 2025`, `in May`, and `today`,
 * `yesterday`, `last week` relative to `now`. A date without a year gives one span for each year in `years` (those
 * covered by the memory).
 */
export function spansOf(text: string, now: number, years: () => readonly number[]): DaySpan[] {
  const spans: DaySpan[] = [];
  const add = (from: number, to: number): void => {
    if (from >= 0 && to >= from) spans.push({ from, to });
  };
  const lower = text.toLowerCase();
  addDates(lower, add);
  if (MONTHS.some((month) => lower.includes(month))) addWritten(lower, years, add);
  addRelative(lower, Math.floor(now / DAY), add);
  return spans;
}

type AddSpan = (from: number, to: number) => void;

function addDates(lower: string, add: AddSpan): void {
  for (const [, y, m, d] of lower.matchAll(/\b((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})\b/g)) {
    const day = dayNumber(Number(y), Number(m), Number(d));
    add(day, day);
  }
}

function addWritten(lower: string, years: () => readonly number[], add: AddSpan): void {
  const written = new RegExp(
    `\\b(?:${DAY_OF_MONTH}\\s+(?:of\\s+)?)?${MONTH}(?:\\s+${DAY_OF_MONTH}\\b)?(?:,?\\s*(?:of\\s+)?${YEAR})?`,
    'g',
  );
  for (const match of lower.matchAll(written)) {
    const [whole, before, name = '', after, year] = match;
    const date = before ?? after;
    // `may`, `march` alone are verbs more often than months.
    if (date === undefined && year === undefined && /^(?:may|mar|march)$/.test(whole.trim())) {
      if (!/\b(?:in|of|since|during|by|until|last|this|early|late)\s+$/.test(lower.slice(0, match.index)))
        continue;
    }
    const month = MONTHS.indexOf(name.slice(0, 3)) + 1;
    for (const y of year === undefined ? years() : [Number(year)]) {
      if (date === undefined) add(dayNumber(y, month, 1), dayNumber(y, month, 28) + 3);
      else {
        const day = dayNumber(y, month, Number(date));
        add(day, day);
      }
    }
  }
}

function addRelative(lower: string, today: number, add: AddSpan): void {
  for (const [phrase, least, most] of RELATIVE) if (phrase.test(lower)) add(today - most, today - least);
  const [, count = '', unit = ''] =
    /\b(\d{1,3}|an?|two|three|four) (day|week|month)s? ago\b/.exec(lower) ?? [];
  const days = { day: 1, week: 7, month: 30 }[unit];
  if (days === undefined) return;
  const number = { a: 1, an: 1, two: 2, three: 3, four: 4 }[count] ?? Number(count);
  const slack = Math.floor(days / 2);
  add(today - number * days - slack, today - number * days + slack);
}
