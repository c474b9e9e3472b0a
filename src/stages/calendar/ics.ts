import { runInNewContext } from 'node:vm';
import ICAL from 'ical.js';
import { messageOf } from '../../base/errors.ts';
import { openClock } from '../clock.ts';
import { type CalendarEntry, type CalendarReading, type Moment, momentOf, type Span } from './event.ts';
import { keyOf, timesOf } from './recurrence.ts';

/** A rule may be endless, or never match; these limits make sure that reading ends. */
const LONGEST_MS = 400;
const MOST_ENTRIES = 300;
const MOST_PROBLEMS = 3;
const DAY_MS = 86_400_000;
interface Work {
  span: Span;
  reading: CalendarReading;
  /** The current input. */
  at: ICAL.Component | undefined;
}

/**
 * The occurrences within a span in an iCalendar file (RFC 5545): dated events and tasks, with recurrences and
 * exceptions, without cancelled and done ones. Never throws and always ends; unreadable parts are reported as
 * problems, the rest is returned.
 */
export function readIcs(text: string, span: Span): CalendarReading {
  if (!/^BEGIN:VCALENDAR/im.test(text)) return { entries: [], problems: ['is not a calendar'] };
  const work: Work = { span, reading: { entries: [], problems: [] }, at: undefined };
  const { entries, problems } = work.reading;
  try {
    // The library has no limits of its own, but a script in another context has a timeout.
    runInNewContext('read()', { read: () => readAll(sieve(text, span), work) }, { timeout: LONGEST_MS });
  } catch (error) {
    const late = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const what = work.at === undefined ? '' : `"${summaryOf(work.at)}": `;
    problems.push(`${what}${late ? 'took too long, and the rest was not read' : said(error)}`);
    if (late) work.reading.late = true;
  }
  return { ...work.reading, entries, problems: [...new Set(problems)].slice(0, MOST_PROBLEMS) };
}

function readAll(text: string, work: Work): void {
  const { entries, problems } = work.reading;
  for (const calendar of parse(text, problems)) {
    const exceptions = exceptionsOf(calendar);
    const components = calendar
      .getAllSubcomponents()
      .filter(({ name }) => name === 'vevent' || name === 'vtodo');
    // Recurrences come last: only a rule can take forever.
    components.sort((a, b) => Number(a.hasProperty('rrule')) - Number(b.hasProperty('rrule')));
    for (const component of components) {
      work.at = component;
      try {
        readComponent(component, exceptions, work);
      } catch (error) {
        problems.push(`"${summaryOf(component)}": ${said(error)}`);
      }
      if (entries.length < MOST_ENTRIES) continue;
      problems.push(`more than ${MOST_ENTRIES} events in a few days: the rest was not read`);
      return;
    }
  }
}

/** A file may hold several calendars one after another. A broken part is left out and reported. */
function parse(text: string, problems: string[]): ICAL.Component[] {
  try {
    const parsed: unknown[] = ICAL.parse(text);
    return ((Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[][]).map(
      (jcal) => new ICAL.Component(jcal),
    );
  } catch (error) {
    problems.push(said(error));
  }
  const { zones, components } = calendarPieces(text);
  const whole = (pieces: readonly string[]): string =>
    ['BEGIN:VCALENDAR', ...pieces, 'END:VCALENDAR'].join('\r\n');
  const sound = [...zones, ...components].filter((piece) => {
    try {
      return ICAL.parse(whole([piece])).length > 0;
    } catch {
      return false;
    }
  });
  return [new ICAL.Component(ICAL.parse(whole(sound)))];
}

/** The times, as keys, that each series has an exception for. */
function exceptionsOf(calendar: ICAL.Component): Map<string, Set<string>> {
  const exceptions = new Map<string, Set<string>>();
  for (const component of calendar.getAllSubcomponents()) {
    const replaced = component.getFirstPropertyValue('recurrence-id');
    if (!(replaced instanceof ICAL.Time)) continue;
    const uid = String(component.getFirstPropertyValue('uid'));
    exceptions.set(uid, (exceptions.get(uid) ?? new Set()).add(keyOf(replaced)));
  }
  return exceptions;
}

function readComponent(
  component: ICAL.Component,
  exceptions: ReadonlyMap<string, ReadonlySet<string>>,
  { span, reading: { entries, problems } }: Work,
): void {
  const status = String(component.getFirstPropertyValue('status') ?? '').toUpperCase();
  if (status === 'CANCELLED' || status === 'COMPLETED') return;
  const task = component.name === 'vtodo';
  const property = (task ? component.getFirstProperty('due') : null) ?? component.getFirstProperty('dtstart');
  const first = property?.getFirstValue();
  if (!property || !(first instanceof ICAL.Time)) return;
  const place = placeOf(property, first, problems);
  const length = task ? undefined : lengthOf(component, first);
  const location = propertyText(component, 'location');
  const uid = String(component.getFirstPropertyValue('uid'));
  const replaced = component.hasProperty('recurrence-id') ? undefined : exceptions.get(uid);
  const onEndless = (): void =>
    void problems.push(`"${summaryOf(component)}" repeats too often: not read to its end`);
  for (const time of timesOf(component, first, span, onEndless)) {
    if (replaced?.has(keyOf(time))) continue;
    const start = place(time);
    const end = length === undefined ? undefined : place(later(time, length));
    // In another zone it may be a day earlier or later.
    if (momentOf(end ?? start, 0) < span.from - DAY_MS || momentOf(start, 0) >= span.until + DAY_MS) continue;
    const entry: CalendarEntry = {
      summary: summaryOf(component),
      start,
      allDay: first.isDate,
      kind: task ? 'task' : 'event',
    };
    if (location !== undefined) entry.location = location;
    if (end !== undefined) entry.end = end;
    entries.push(entry);
  }
}

/** Milliseconds, or undefined if unknown. */
function lengthOf(component: ICAL.Component, first: ICAL.Time): number | undefined {
  const end = component.getFirstPropertyValue('dtend');
  if (end instanceof ICAL.Time) return Math.max(0, end.toUnixTime() - first.toUnixTime()) * 1000;
  const duration = component.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) return Math.max(0, duration.toSeconds()) * 1000;
  return first.isDate ? DAY_MS : undefined;
}

function later(time: ICAL.Time, ms: number): ICAL.Time {
  const end = time.clone();
  if (end.isDate) end.adjust(Math.round(ms / DAY_MS), 0, 0, 0);
  else end.adjust(0, 0, 0, Math.round(ms / 1000));
  return end;
}

/** The zone of a property's times: defined in the file, a well-known one, or local time. */
function placeOf(property: ICAL.Property, first: ICAL.Time, problems: string[]): (time: ICAL.Time) => Moment {
  const onTheWall = (time: ICAL.Time): string =>
    time.isDate ? `${time.toString().slice(0, 10)}T00:00:00` : time.toString().slice(0, 19);
  if (first.isDate) return onTheWall;
  if (first.zone !== ICAL.Timezone.localTimezone) return (time) => time.toUnixTime() * 1000;
  const zone = property.getFirstParameter('tzid');
  if (typeof zone !== 'string' || zone === '') return onTheWall;
  try {
    const clock = openClock({ kind: 'named', name: zone });
    clock(0);
    return (time) => momentOf(onTheWall(time), clock);
  } catch {
    problems.push(`the time zone "${zone.slice(0, 40)}" is not known: its times were taken as local`);
    return onTheWall;
  }
}

function said(error: unknown): string {
  const message = messageOf(error);
  return `cannot be read: ${message.replace(/\s+/g, ' ').slice(0, 120)}`;
}

const TEXT_CHARACTERS = 200;

/** The name of an event. */
function summaryOf(component: ICAL.Component): string {
  return propertyText(component, 'summary') ?? 'something without a name';
}

/** A property's text on one line, or undefined when there is none. */
function propertyText(component: ICAL.Component, name: string): string | undefined {
  const value = component.getFirstPropertyValue(name);
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return text === '' ? undefined : text.slice(0, TEXT_CHARACTERS);
}

/** More than any zone's offset from UTC, twice, to cover events that began before the span. */
const MARGIN_MS = 2 * DAY_MS;
const COMPONENT = /^BEGIN:(VEVENT|VTODO)[ \t]*\r?\n[\s\S]*?^END:\1[ \t]*\r?$/gim;
const ZONE = /^BEGIN:(VTIMEZONE)[ \t]*\r?\n[\s\S]*?^END:\1[ \t]*\r?$/gim;

/**
 * A calendar's text without irrelevant events: only a few days out of years are needed, and parsing costs a hundred
 * times as much as this. Recurring events, their exceptions, and entries without a plain date stay.
 */
function sieve(text: string, { from, until }: Span): string {
  return text.replace(COMPONENT, (component) =>
    mayMatter(component, from - MARGIN_MS, until + MARGIN_MS) ? component : '',
  );
}

function mayMatter(component: string, from: number, until: number): boolean {
  const last = /^RRULE:[^\r\n]*UNTIL=(\d{8})/im.exec(component)?.[1];
  if (last !== undefined && !/^RDATE/im.test(component)) return !(dayOf(last) < from);
  if (/^(?:RRULE|RDATE|RECURRENCE-ID)/im.test(component)) return true;
  const days = [...component.matchAll(/^(?:DTSTART|DTEND|DUE)[^:\r\n]*:(\d{8})/gim)].map((match) =>
    dayOf(match[1] ?? ''),
  );
  if (days.length === 0 || days.some(Number.isNaN) || /^DURATION/im.test(component)) return true;
  return Math.max(...days) >= from && Math.min(...days) < until;
}

/** `20260206` -> epoch milliseconds of its start in UTC. */
function dayOf(digits: string): number {
  return Date.parse(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`);
}

/** The zones, events and tasks of a partly broken calendar, each as a separate text. */
function calendarPieces(text: string): { zones: string[]; components: string[] } {
  return { zones: text.match(ZONE) ?? [], components: text.match(COMPONENT) ?? [] };
}
