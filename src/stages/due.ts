import LANGUAGES from '../../models/words/due.json' with { type: 'json' };
import { compilePattern } from '../base/text/strings.ts';
import { DAY } from '../memory/dates.ts';

/** When a task is due, and its text without the date. */
export interface Due {
  /** `2026-02-09` */
  date: string;
  /** `14:00`, if given. */
  time?: string;
  task: string;
}

const languages = Object.values(LANGUAGES);
const words = (part: 'due' | 'joins' | 'months'): string[] =>
  languages.flatMap((language) => language[part].split(', '));
/** The longest first: an alternative that matches ends the search. */
const anyOf = (list: readonly string[]): string =>
  [...new Set(list)].sort((a, b) => b.length - a.length).join('|');

/** `nov` and `november`, in all languages, with the number of the month. */
const MONTHS = new Map(
  languages.flatMap(({ months }) =>
    months.split(', ').flatMap((name, at): [string, number][] => [
      [name, at + 1],
      [name.slice(0, 3), at + 1],
    ]),
  ),
);

const MONTH = `(?:${anyOf([...MONTHS.keys()])})`;
const DATES = [
  String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?![\d-])`,
  String.raw`(?<first>\d{1,2})(?<between>[./-])(?<second>\d{1,2})(?:\k<between>(?<lateYear>\d{4}|\d{2}))?(?!\d)\.?`,
  String.raw`(?<dayBefore>\d{1,2})(?:\.|st|nd|rd|th|er|º|ª)? (?:of |de |d')?(?<name>${MONTH})\.?(?!\p{L})(?:,? (?:de |del )?(?<namedYear>\d{4}))?`,
  String.raw`(?<nameFirst>${MONTH})\.? (?<dayAfter>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (?<lastYear>\d{4}))?`,
];
const TIME = String.raw`(?:(?:t|,? ?(?:at |um |à |a las |alle |às )?)(?<time>\d{1,2}[:.h]\d{2})(?!\d)(?: ?uhr)?)?`;
const WORD = String.raw`(?<!\p{L})(?<word>${anyOf(words('due'))})(?!\p{L})[\s*_:<]{0,6}(?:(?:${anyOf(words('joins'))})[\s*_:,.]{1,4}){0,3}`;

/** Written by hand, by Obsidian (Tasks, Dataview, Kanban), todo.txt, Org. The first match counts. */
const FORMS = [WORD, '📅\\ufe0f?\\s*', '@(?:due)?[({]?'].flatMap((start) =>
  DATES.map(
    (date) =>
      new RegExp(`[([]?[*_]{0,2}${start}${date}${TIME}(?: \\p{L}{2,3}\\.?(?=>))?>?[*_)}\\]]{0,4}`, 'iu'),
  ),
);
/** A date in brackets at the end says when a task is due, unless it has passed: then it may say when it was written. */
const AT_THE_END = new RegExp(`[([]${DATES[0]}${TIME}[)\\]]\\s*$`, 'iu');

/**
 * Reads the due date of a task: `(due 2026-02-09)`, `by 9 February`, `bis 9.2.`, `📅 2026-02-09`, `[due:: 2026-02-09]`,
 * `@due(2026-02-09)`, `DEADLINE: <2026-02-09 Mon>`. A date without a year is the nearest one to today.
 * @param today `2026-02-06`
 */
export function dueOf(task: string, today: string): Due | undefined {
  if (!/\d/.test(task)) return undefined;

  for (const form of FORMS) {
    const match = compilePattern(form).exec(task);
    const due = match && dueIn(match, today);
    if (due) return due;
  }

  const last = AT_THE_END.exec(task);
  const due = last && dueIn(last, today);

  return due && due.date >= today ? due : undefined;
}

function dueIn({ 0: whole, index, input, groups = {} }: RegExpExecArray, today: string): Due | undefined {
  const date = dateIn(groups, today);
  if (date === undefined) return undefined;
  const clock = groups.time?.replace(/[.h]/, ':').padStart(5, '0');
  const time = clock !== undefined && clock < '24' && clock.slice(3) < '60' ? clock : undefined;
  return { date, time, task: tidy(`${input.slice(0, index)}${input.slice(index + whole.length)}`) };
}

function dateIn(groups: Readonly<Record<string, string | undefined>>, today: string): string | undefined {
  const { year, month, day, first, second, lateYear, between, word } = groups;
  if (year !== undefined) return dateOf(year, month, day);

  if (first !== undefined) {
    const isCertain = between === '/' && Number(first) > 12 !== Number(second) > 12;
    // After "by" or "before" it may be a version, or a part of one.
    if (lateYear === undefined && isEnglish(word) && !isCertain) return undefined;

    const isMonthFirst = Number(second) > 12 || (between === '/' && isEnglish(word) && Number(first) <= 12);
    const [dayOf, monthOf] = isMonthFirst ? [second, first] : [first, second];

    return withYear(lateYear, monthOf, dayOf, today);
  }

  const name = (groups.name ?? groups.nameFirst ?? '').toLowerCase();
  const named = MONTHS.get(name)?.toString();

  return withYear(groups.namedYear ?? groups.lastYear, named, groups.dayBefore ?? groups.dayAfter, today);
}

const ENGLISH = LANGUAGES.English.due.split(', ');
const isEnglish = (word: string | undefined): boolean =>
  word === undefined || ENGLISH.includes(word.toLowerCase());

function withYear(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  today: string,
): string | undefined {
  if (year !== undefined) return dateOf(year.length === 2 ? `20${year}` : year, month, day);
  const now = Number(today.slice(0, 4));
  const near = [now - 1, now, now + 1].flatMap((each) => dateOf(String(each), month, day) ?? []);
  const distance = (date: string): number => Math.abs(daysBetween(today, date));
  return near.sort((a, b) => distance(a) - distance(b))[0];
}

/** Undefined if there is no such date. */
function dateOf(year: string, month = '', day = ''): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = Date.parse(date);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date) ? date : undefined;
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

function tidy(text: string): string {
  return text
    .replace(/\s+([,.;:!?])(?=\s|$)/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '');
}
