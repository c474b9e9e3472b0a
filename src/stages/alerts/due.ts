/** When a task is due, and its text without the date. */
export interface Due {
  /** `2026-02-09` */
  date: string;
  /** `14:00`, if given. */
  time?: string;
  task: string;
}

const DAY_MS = 86_400_000;
const HALF_YEAR = 183;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?<month>${MONTHS.join('|')})[a-z]*\\.?`;
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,? (?<year>\\d{4}))?';
const ISO = '(?<iso>\\d{4}-\\d{2}-\\d{2})';
const TIME = '(?:(?:t|,? (?:at )?)(?<time>\\d{1,2}:\\d{2}))?';
const WORD = '\\b(?:due|by|until|before|deadline)(?: on| by| date)?\\s*:{0,2}\\s*';

/** Written by hand, by Obsidian (Tasks, Dataview, Kanban), todo.txt, Org. The first match counts. */
const FORMS = [
  `${WORD}<?${ISO}${TIME}(?: \\w{2,3})?>?`,
  `📅\\ufe0f?\\s*${ISO}`,
  `@(?:due)?[({]?${ISO}${TIME}[)}]?`,
  `${WORD}${DAY} ${MONTH}${YEAR}${TIME}`,
  `${WORD}${MONTH} ${DAY}${YEAR}${TIME}`,
  `${WORD}(?:(?:this|next) )?(?<near>today|tonight|tomorrow|end of day|eod|(?:${WEEKDAYS.join('|')})(?:[a-z]*day)?)\\b${TIME}`,
].map((source) => new RegExp(`[([]?${source}[)\\]]?`, 'iu'));

/** A quick check that every form matches, because most tasks have no date. */
const MAY_BE_DUE = /\d{4}-\d{2}-\d{2}|\b(?:due|by|until|before|deadline)/i;

/**
 * Reads the due date of a task: `(due 2026-02-09)`, `by 9 Feb`, `due:2026-02-09 14:00`, `📅 2026-02-09`, `[due::
 * 2026-02-09]`, `@due(2026-02-09)`, `DEADLINE: <2026-02-09 Mon>`; in a dated note also `by Friday`, `due tomorrow`.
 *
 * @param written date of the note, `2026-02-06`; undefined if unknown
 * @param today for dates without a year in a note without a date
 */
export function dueOf(task: string, written: string | undefined, today: string): Due | undefined {
  if (!MAY_BE_DUE.test(task)) return undefined;
  for (const form of FORMS) {
    const match = form.exec(task);
    if (!match) continue;
    const { iso, time, day, month, year, near } = match.groups ?? {};
    const date =
      iso ?? (near === undefined ? dateOf(day, month, year, written ?? today) : nearby(near, written));
    if (date === undefined || !isDate(date)) continue;
    const rest = `${task.slice(0, match.index)}${task.slice(match.index + match[0].length)}`;
    return { date, time: time?.padStart(5, '0'), task: tidy(rest) };
  }
  return undefined;
}

/** Whole days from one date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

function dateOf(day = '', month = '', year: string | undefined, near: string): string {
  const tail = `${two(MONTHS.indexOf(month.toLowerCase()) + 1)}-${two(Number(day))}`;
  if (year !== undefined) return `${year}-${tail}`;
  // The year in which the date is nearest.
  const nearYear = Number(near.slice(0, 4));
  const nearest = [nearYear - 1, nearYear, nearYear + 1].find(
    (candidate) => Math.abs(daysBetween(near, `${candidate}-${tail}`)) <= HALF_YEAR,
  );
  return `${nearest ?? nearYear}-${tail}`;
}

function nearby(word: string, written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const start = Date.parse(written);
  const lower = word.toLowerCase();
  const weekday = WEEKDAYS.indexOf(lower.slice(0, 3));
  const days = lower === 'tomorrow' ? 1 : weekday < 0 ? 0 : (weekday - new Date(start).getUTCDay() + 7) % 7;
  return new Date(start + days * DAY_MS).toISOString().slice(0, 10);
}

function isDate(date: string): boolean {
  const at = Date.parse(date);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

function tidy(text: string): string {
  return text
    .replace(/\s+([,.;:!?])(?=\s|$)/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
