import LANGUAGES from '../../models/words/due.json' with { type: 'json' };
import { DAY_MS } from '../base/text/durations.ts';
import { compilePattern, splitWordList } from '../base/text/strings.ts';

export interface Due {
  /** `2026-02-09` */
  date: string;
  /** `14:00`, if given. */
  time?: string;
  task: string;
}

const languages = Object.values(LANGUAGES);
type Part = keyof (typeof languages)[number];
const splitPhrases = (list: string): string[] => list.split(', ');
const listWords = (part: Part): string[] => languages.flatMap((language) => splitPhrases(language[part]));
/** The longest first: an alternative that matches ends the search. */
const joinAlternatives = (list: Iterable<string>): string =>
  `(?:${[...new Set(list)].sort((a, b) => b.length - a.length).join('|')})`;

/** `nov`, `sept` and `november`, in all languages, with the number of the month: `NaN` for `jui`, which two begin with. */
const MONTHS = languages.reduce((months, language) => {
  for (const [index, name] of splitPhrases(language.months).entries())
    for (const start of [name, name.slice(0, 4), name.slice(0, 3)]) {
      const isShared = (months.get(start) ?? index + 1) !== index + 1;
      months.set(start, isShared ? Number.NaN : index + 1);
    }

  return months;
}, new Map<string, number>());
/** `mon` and `monday`, with the number of the day: 1 for Monday. */
const WEEKDAYS = new Map(
  languages.flatMap(({ weekdays }) =>
    splitPhrases(weekdays).flatMap((names, index) =>
      splitWordList(names).map((name) => [name, index + 1] as const),
    ),
  ),
);
/** `tomorrow`, with the number of days. */
const DAYS = new Map(
  languages.flatMap(({ days }) =>
    days.split('; ').flatMap((names, index) => splitPhrases(names).map((name) => [name, index - 1] as const)),
  ),
);
/** `days` and `weeks`, in days. */
const UNITS = new Map(
  languages.flatMap(({ units }) =>
    splitPhrases(units).flatMap((names, index) =>
      splitWordList(names).map((name) => [name, index === 0 ? 1 : 7] as const),
    ),
  ),
);

const MONTH = joinAlternatives(MONTHS.keys());
const LETTER = String.raw`\p{Script=Latin}\p{Script=Cyrillic}`;
const END = `(?![${LETTER}'’])`;
/** `next Monday`, `tomorrow`, `in 3 days`. */
const RELATIVE = [
  String.raw`(?:(?<next>${joinAlternatives(listWords('next'))})\s?)?(?<weekday>${joinAlternatives(WEEKDAYS.keys())})${END}\.?`,
  `(?<relative>${joinAlternatives(DAYS.keys())})${END}`,
  String.raw`${joinAlternatives(listWords('in'))}\s?(?<count>\d{1,3}|${joinAlternatives(listWords('one'))})\s?(?<unit>${joinAlternatives(UNITS.keys())})${END}`,
].map((day) => `${day}(?: ${joinAlternatives(listWords('after'))}${END})?`);
const DATES = [
  String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?![\d-])`, // 2026-02-09
  String.raw`(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})(?!\d)`, // 20260209
  String.raw`(?:(?<year>\d{4})\s?年\s?)?(?<month>\d{1,2})\s?[月월]\s?(?<day>\d{1,2})\s?[日号일]`, // 2026年2月9日
  String.raw`(?<first>\d{1,2})(?<between>[./-])(?<second>\d{1,2})(?:\k<between>(?<year>\d{4}|\d{2}))?(?!\d)(?<stop>\.?)`, // 9.2. 09/02/2026
  String.raw`(?<day>\d{1,2})(?:(?:\.|st|nd|rd|th|er|º|ª)? (?:of |de |d')?|-)(?<name>${MONTH})\.?(?!\p{L})(?:(?:,? (?:de |del )?|-)(?<year>\d{4}))?`, // 9 February 2026, 9-Feb
  String.raw`(?<name>${MONTH})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (?<year>\d{4}))?`, // Feb 9th, 2026
  ...RELATIVE,
];
const TIME = String.raw`(?:(?:t|,? ?(?:at |@ ?|um |à |a las |alle |às )?)(?<time>\d{1,2}[:.h]\d{2}|\d{1,2}(?= ?(?:[ap]m\b|[ap]\.m\.|uhr\b|h\b)))(?!\d)(?::\d\d)?z?(?: ?(?<half>[ap]m\b|[ap]\.m\.)| ?uhr\b| ?h\b)?)?`;
/** A time before the date: `by 5pm on 30 November`. */
const EARLY = String.raw`(?:(?<early>\d{1,2}(?:[:h]\d{2}|(?:\.\d{2})?(?= ?(?:[ap]m\b|[ap]\.m\.|uhr\b|h\b))))(?: ?(?<side>[ap]m\b|[ap]\.m\.)| ?uhr\b| ?h\b)?[\s,]{1,2})?`;
const JOIN = joinAlternatives([...listWords('joins'), ...WEEKDAYS.keys()]);
const GAP = '[\\s*_:：=<("\'`–—]{0,6}';
const WORD = String.raw`(?<![${LETTER}])(?<!(?<![${LETTER}])(?:was|were|originally|formerly|previously|not|war|ursprünglich|était|era) )(?<word>${joinAlternatives(listWords('due'))})${END}${GAP}${EARLY}(?:${JOIN}[\s*_:,.=|]{1,4}){0,4}`;
const SOON = String.raw`(?<![${LETTER}])${joinAlternatives(listWords('for'))}${END}\s`;

/** Written by hand, by Obsidian (Tasks, Dataview, Kanban), todo.txt, Org. The first match counts. */
const STARTS = [
  '@(?:due)?[({]?',
  WORD,
  '[📅📆🗓⏰]\\ufe0f?\\s*',
  // The word may follow: `11月30日までに`.
  `(?=[^日号일]{0,12}[日号일]\\s?${joinAlternatives(listWords('behind').filter(Boolean))})`,
];
const FORMS = [
  ...STARTS.flatMap((start) => DATES.map((date) => start + date)),
  ...DATES.map((date) => String.raw`(?:(?<!\p{L})(?:am|on) )?${date},? (?<word>due|fällig)(?!\p{L}| to )`),
  // `for` joins many things: only a day at the end of a task or a part of it is when the task is due.
  ...RELATIVE.map((day) => String.raw`${SOON}${day}(?=\s*(?:[,.;:!?)\]]|$))`),
].map((form) => new RegExp(`(?<open>[*_"'\`]{0,3})${form}${TIME}(?: \\p{L}{2,3}\\.?(?=>))?`, 'iu'));
const START = new RegExp([...STARTS, SOON].join('|').replaceAll('?<word>', '?:'), 'iu');
/** A date in brackets at the end says when a task is due, unless it has passed: then it may say when it was written. */
const AT_THE_END = new RegExp(`[([]${DATES[0]}${TIME}[)\\]]\\s*$`, 'iu');
const RELATIVE_DAY = new RegExp(`(?<![${LETTER}])(?:${RELATIVE.join('|')})`, 'iu');

export const mayBeRelative = (text: string): boolean => RELATIVE_DAY.test(text);

/**
 * Reads the due date of a task: `(due 2026-02-09)`, `by 9 February`, `bis 9.2.`, `bis Montag`, `📅 2026-02-09`,
 * `[due:: 2026-02-09]`, `@due(2026-02-09)`, `DEADLINE: <2026-02-09 Mon>`. A date without a year is the nearest one to
 * today, a weekday the first one from the day on which the task was written.
 * @param today `2026-02-06`
 * @param writtenOn the day on which the task was written, if it is another
 */
export function parseDue(task: string, today: string, writtenOn = (): string => today): Due | undefined {
  if (compilePattern(START).test(task)) {
    for (const form of FORMS) {
      const match = compilePattern(form).exec(task);
      const due = match && readDue(match, today, writtenOn);
      if (due) return due;
    }
  }

  const last = AT_THE_END.exec(task);
  const due = last && readDue(last, today, writtenOn);

  return due && due.date >= today ? due : undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

function readDue(
  { 0: whole, index, input, groups = {} }: RegExpExecArray,
  today: string,
  writtenOn: () => string,
): Due | undefined {
  const date = readRelativeDate(groups, writtenOn) ?? readDate(groups, today);
  if (date === undefined) return undefined;

  const [hour = '', minute = '00'] = (groups.time ?? groups.early)?.split(/[:.h]/) ?? [];
  const half = groups.half ?? groups.side;
  // `12:30 am` is half past midnight; after `13:00` the half says nothing.
  const isHalf = half !== undefined && Number(hour) <= 12;
  const hours = isHalf ? (Number(hour) % 12) + (/^p/i.test(half ?? '') ? 12 : 0) : Number(hour);
  const time = `${String(hours).padStart(2, '0')}:${minute}`;
  const isTime = hour !== '' && time < '24' && minute < '60';

  return { date, time: isTime ? time : undefined, task: cutOut(input, index, whole, groups.open ?? '') };
}

function readRelativeDate(groups: Groups, writtenOn: () => string): string | undefined {
  const { relative, next, weekday, count, unit } = groups;
  const word = (relative ?? weekday ?? unit)?.toLowerCase();
  if (word === undefined) return undefined;

  const from = Date.parse(writtenOn());
  let days = DAYS.get(word) ?? 0;
  if (unit !== undefined) days = (Number(count) || 1) * (UNITS.get(word) ?? 1);
  if (weekday !== undefined) days = ((WEEKDAYS.get(word) ?? 0) - new Date(from).getUTCDay() + 7) % 7;
  if (next !== undefined && days === 0) days = 7;

  return new Date(from + days * DAY_MS).toISOString().slice(0, 10);
}

function readDate(groups: Groups, today: string): string | undefined {
  const { year, month, day, first, second, between, stop, word, name } = groups;
  if (first === undefined) {
    const named = name === undefined ? month : MONTHS.get(name.toLowerCase())?.toString();
    return resolveDate(year, named, day, today);
  }

  const isDay = `${between}${stop}` === '..';
  const isCertain = isDay || (between === '/' && Number(first) > 12 !== Number(second) > 12);
  // After "by" or "before" it may be a version, or a part of one, unless it ends in a stop.
  if (year === undefined && isEnglish(word) && !isCertain) return undefined;

  const isMonthFirst = Number(second) > 12 || (between === '/' && isEnglish(word) && Number(first) <= 12);
  const [dayText, monthText] = isMonthFirst ? [second, first] : [first, second];

  return resolveDate(year, monthText, dayText, today);
}

const ENGLISH = splitPhrases(LANGUAGES.English.due);
const isEnglish = (word: string | undefined): boolean =>
  word === undefined || ENGLISH.includes(word.toLowerCase());

function resolveDate(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  today: string,
): string | undefined {
  if (year !== undefined) return formatDate(year.length === 2 ? `20${year}` : year, month, day);
  const now = Number(today.slice(0, 4));
  const near = [now - 1, now, now + 1].flatMap((each) => formatDate(String(each), month, day) ?? []);
  const distance = (date: string): number => Math.abs(daysBetween(today, date));
  return near.sort((a, b) => distance(a) - distance(b))[0];
}

function formatDate(year: string, month = '', day = ''): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const timestamp = Date.parse(date);
  return !Number.isNaN(timestamp) && new Date(timestamp).toISOString().startsWith(date) ? date : undefined;
}

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

const PAIRS = ['()', '[]', '{}', '<>', '（）', '""', "''", '``', '**', '__', '“”', '«»'];

/** A task without the words on its date, and without the brackets and quotation marks that held only them. */
function cutOut(task: string, index: number, whole: string, open: string): string {
  const isClosed = open !== '' && whole.indexOf(open, open.length) !== -1;
  let before = task.slice(0, index) + (isClosed ? '' : open);
  let after = task.slice(index + whole.length).replace(/^[*_`]{1,2}(?=[)\]}])/, '');
  const opener = /[([{<](?=[^)\]}>]*$)/.exec(whole)?.[0];
  if (opener !== undefined && PAIRS.includes(opener + after.charAt(0))) after = after.slice(1);

  // `due **9 February**`: the emphasis is on the date.
  const [, emphasis = ''] = /(\*\*|__|[*_])[^*_]+$/.exec(whole.slice(open.length)) ?? [];
  if (emphasis !== '' && after.startsWith(emphasis)) after = after.slice(emphasis.length);

  for (;;) {
    const [left, right] = [before.trimEnd(), after.trimStart()];
    if (!PAIRS.includes(left.slice(-1) + right.charAt(0)) || right === '') break;
    before = left.slice(0, -1);
    after = right.slice(1);
  }

  return `${before} ${after}`
    .replace(/(?<!\s)\s+([,.;:!?])(?=\s|$)/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .replace(/^[\s,;:|–—-]+|(?<![\s,;:|–—-])[\s,;:|–—-]+$/g, '');
}
