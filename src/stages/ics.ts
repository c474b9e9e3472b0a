import { runInNewContext } from 'node:vm';
import ICAL from 'ical.js';
import WINDOWS_ZONES from '../../models/windows-zones.json' with { type: 'json' };
import { attempt, getMessage } from '../base/errors.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { toOneLine } from '../base/text/prose.ts';
import { type Clock, openClock, toMoment } from './clock.ts';

export interface CalendarEntry {
  summary: string;
  location?: string | undefined;
  /** Epoch milliseconds. */
  start: number;
  end?: number | undefined;
  allDay: boolean;
}

/** Epoch milliseconds: what ends at `from` belongs to it, what starts at `until` does not. */
interface Span {
  from: number;
  until: number;
}

/** A rule may be endless, or never match; these limits make sure that reading ends. */
const LONGEST_MS = 400;
const MOST_ENTRIES = 300;
const MOST_PROBLEMS = 3;
const TEXT_CHARACTERS = 200;
const DAY_END = { hour: 23, minute: 59, second: 59 };
const STEP_DAYS = new Map([
  ['DAILY', 1],
  ['WEEKLY', 7],
]);

/** Occurrences (RFC 5545) without cancelled ones. Never throws and always ends; `problems` name what is unreadable. */
export function readIcs(
  text: string,
  span: Span,
  clock: Clock,
): { entries: CalendarEntry[]; problems: string[] } {
  if (!/^BEGIN:VCALENDAR/im.test(text)) return { entries: [], problems: ['is not a calendar'] };

  const entries: CalendarEntry[] = [];
  const problems: string[] = [];
  let current: ICAL.Component | undefined;
  const readAll = (): void => {
    const calendar = parseCalendar(text, span, problems);
    const exceptions = collectExceptions(calendar);

    for (const component of listEvents(calendar)) {
      current = component;
      try {
        entries.push(...expandOccurrences(component, exceptions, { ...span, clock }, problems));
      } catch (error) {
        problems.push(`"${getSummary(component)}": ${describeError(error)}`);
      }

      if (entries.length <= MOST_ENTRIES) continue;

      problems.push(`more than ${MOST_ENTRIES} events in a few days: the rest was not read`);

      return;
    }
  };

  try {
    // The library has no limits of its own, but a script in another context has a timeout.
    runInNewContext('read()', { read: readAll }, { timeout: LONGEST_MS });
  } catch (error) {
    const isTimeout = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const what = current === undefined ? '' : `"${getSummary(current)}": `;
    problems.push(`${what}${isTimeout ? 'took too long, and the rest was not read' : describeError(error)}`);
  }

  return { entries, problems: [...new Set(problems)].slice(0, MOST_PROBLEMS) };
}

/** Recurrences come last, because only a rule can take forever. */
function listEvents(calendar: ICAL.Component): ICAL.Component[] {
  const all = calendar.getAllSubcomponents('vevent');
  return all.sort((a, b) => Number(a.hasProperty('rrule')) - Number(b.hasProperty('rrule')));
}

const COMPONENT = /^BEGIN:VEVENT[ \t]*\r?\n[\s\S]*?^END:VEVENT[ \t]*\r?$/gim;
const ZONE = /^BEGIN:VTIMEZONE[ \t]*\r?\n[\s\S]*?^END:VTIMEZONE[ \t]*\r?$/gim;

/** Each event is parsed by itself, so that a broken one is left out and reported. */
function parseCalendar(text: string, span: Span, problems: string[]): ICAL.Component {
  const calendar = new ICAL.Component('vcalendar');
  const events = text.match(COMPONENT) ?? [];
  if ((text.match(/^BEGIN:VEVENT/gim) ?? []).length > events.length)
    problems.push('an event that does not end cannot be read');

  for (const piece of [...(text.match(ZONE) ?? []), ...events.filter((event) => !isOld(event, span))]) {
    try {
      calendar.addSubcomponent(new ICAL.Component(ICAL.parse(piece)));
    } catch (error) {
      problems.push(describeError(error));
    }
  }

  return calendar;
}

/** Single events of other times are not parsed: that costs a hundred times as much as this. */
function isOld(event: string, { from, until }: Span): boolean {
  if (/^(?:RRULE|RDATE|RECURRENCE-ID|DURATION)/im.test(event)) return false;
  const dates = [...event.matchAll(/^(?:DTSTART|DTEND)[^:\r\n]*:(\d{4})(\d\d)(\d\d)/gim)];
  const days = dates.map(([, year, month, day]) => Date.parse(`${year}-${month}-${day}`));
  // Two days are more than any zone's offset.
  return days.length > 0 && (Math.max(...days) < from - 2 * DAY_MS || Math.min(...days) > until + 2 * DAY_MS);
}

function collectExceptions(calendar: ICAL.Component): Map<string, Set<string>> {
  const exceptions = new Map<string, Set<string>>();
  for (const component of calendar.getAllSubcomponents()) {
    const replaced = component.getFirstPropertyValue('recurrence-id');
    if (!(replaced instanceof ICAL.Time)) continue;
    const uid = String(component.getFirstPropertyValue('uid'));
    const key = isUtc(replaced) ? makeInstantKey(replaced.toUnixTime() * 1000) : makeTimeKey(replaced);
    exceptions.set(uid, (exceptions.get(uid) ?? new Set()).add(key));
  }

  return exceptions;
}

function expandOccurrences(
  component: ICAL.Component,
  exceptions: ReadonlyMap<string, ReadonlySet<string>>,
  { from, until, clock }: Span & { clock: Clock },
  problems: string[],
): CalendarEntry[] {
  if (readProperty(component, 'status')?.toUpperCase() === 'CANCELLED') return [];

  const property = component.getFirstProperty('dtstart');
  const first = property?.getFirstValue();

  if (!property || !(first instanceof ICAL.Time)) return [];

  const toInstant = makeZoneReader(property, first, clock, problems);
  const length = getDuration(component, first, (end, time) =>
    first.isDate
      ? toCivilTime(time) - toCivilTime(first)
      : makeZoneReader(end, time, clock, problems)(time) - toInstant(first),
  );
  const isException = component.hasProperty('recurrence-id');
  const replaced = isException ? undefined : exceptions.get(String(component.getFirstPropertyValue('uid')));
  const found: CalendarEntry[] = [];
  const span = { from: from - (length ?? 0) - 2 * DAY_MS, until: until + 2 * DAY_MS };

  for (const time of isException ? [first] : listTimes(component, first, toInstant, span)) {
    const start = toInstant(time);
    if (replaced?.has(makeTimeKey(time)) || replaced?.has(makeInstantKey(start))) continue;

    const end = length === undefined ? undefined : getEnd(time, start, length, clock);

    if ((end ?? start) < from || start >= until) continue;

    const location = readProperty(component, 'location');
    found.push({ summary: getSummary(component), location, start, end, allDay: first.isDate });
  }

  return found;
}

/** Days are counted by the calendar: one in which clocks change has 23 or 25 hours. */
const getEnd = (time: ICAL.Time, start: number, length: number, clock: Clock): number =>
  time.isDate ? toMoment(toCivilTime(time) + Math.max(DAY_MS, length), clock) : start + length;

/**
 * The occurrences of an entry until the end of the span. The library's own expansion compares zones at each step, which is
 * too slow, and knows only those that the file defines.
 */
function listTimes(
  component: ICAL.Component,
  first: ICAL.Time,
  toInstant: (time: ICAL.Time) => number,
  { from, until }: Span,
): ICAL.Time[] {
  const getValues = (name: string): unknown[] =>
    component.getAllProperties(name).flatMap((property) => property.getValues() as unknown[]);
  const times = [first, ...getValues('rdate').filter((value) => value instanceof ICAL.Time)];

  for (const rule of getValues('rrule').filter((value) => value instanceof ICAL.Recur)) {
    // RFC 5545 wants a time here; a day alone includes all of that day.
    if (rule.until?.isDate && !first.isDate)
      rule.until = ICAL.Time.fromData({ ...rule.until.toJSON(), ...DAY_END, isDate: false }, first.zone);
    const last = rule.until && isUtc(rule.until) ? rule.until.toUnixTime() * 1000 : Number.POSITIVE_INFINITY;
    if (last !== Number.POSITIVE_INFINITY) rule.until = null;
    const isOver = (time: ICAL.Time): boolean => toCivilTime(time) > last - DAY_MS && toInstant(time) > last;
    const iterator = rule.iterator(moveRuleNearer(rule, first, from));

    let time = iterator.next();

    for (; time && toCivilTime(time) < until && !isOver(time); time = iterator.next())
      if (toCivilTime(time) >= from) times.push(time.clone());
  }

  const byKey = new Map(times.map((time) => [makeTimeKey(time), time]));
  const excluded = getValues('exdate').filter((value) => value instanceof ICAL.Time);
  const instants = new Set(excluded.filter(isUtc).map(toInstant));
  for (const time of excluded) byKey.delete(makeTimeKey(time));

  return [...byKey.values()].filter((time) => instants.size === 0 || !instants.has(toInstant(time)));
}

const isUtc = ({ zone }: ICAL.Time): boolean => zone === ICAL.Timezone.utcTimezone;

/** A rule of days or weeks without a count may begin nearer to the present: six years of weekdays take half a second. */
function moveRuleNearer(rule: ICAL.Recur, first: ICAL.Time, from: number): ICAL.Time {
  const stride = (STEP_DAYS.get(rule.freq) ?? Number.NaN) * rule.interval;
  const strides = Math.floor((from - toCivilTime(first)) / DAY_MS / stride) - 1;
  if (rule.count !== null || !(stride > 0 && strides > 0)) return first;

  const time = first.clone();
  time.adjust(strides * stride, 0, 0, 0);

  return time;
}

/** A local time as if it were UTC: accurate to about a day, and a hundred times as fast as in its zone. */
const toCivilTime = (time: ICAL.Time): number =>
  Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);

function getDuration(
  component: ICAL.Component,
  first: ICAL.Time,
  measure: (end: ICAL.Property, time: ICAL.Time) => number,
): number | undefined {
  const property = component.getFirstProperty('dtend');
  const end = property?.getFirstValue();
  if (property && end instanceof ICAL.Time) return Math.max(0, measure(property, end));
  const duration = component.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) return Math.max(0, duration.toSeconds()) * 1000;
  return first.isDate ? DAY_MS : undefined;
}

/** Reads times in the zone of a property: defined in the file, a well-known one, or the reader's; or in UTC. */
function makeZoneReader(
  property: ICAL.Property,
  first: ICAL.Time,
  clock: Clock,
  problems: string[],
): (time: ICAL.Time) => number {
  const readIn =
    (zoneClock: Clock) =>
    (time: ICAL.Time): number =>
      isUtc(time) ? time.toUnixTime() * 1000 : toMoment(toCivilTime(time), zoneClock);
  if (first.isDate) return readIn(clock);
  if (first.zone !== ICAL.Timezone.localTimezone) return (time) => time.toUnixTime() * 1000;

  const zone = property.getFirstParameter('tzid');
  if (typeof zone !== 'string' || zone === '') return readIn(clock);

  const zoneClock = findZoneClock(zone);
  if (zoneClock === undefined)
    problems.push(`the time zone "${zone.slice(0, 40)}" is not known: its times were taken as local`);

  return readIn(zoneClock ?? clock);
}

const WINDOWS = new Map(Object.entries(WINDOWS_ZONES).map(([name, zone]) => [name.toLowerCase(), zone]));

/**
 * A zone under its IANA name, also at the end of a path (`/mozilla.org/…/Europe/Berlin`), its name in Windows or in
 * Outlook (`(UTC+01:00) Bern, Berlin`, `Eastern Time (US & Canada)`), or an offset.
 */
function findZoneClock(name: string): Clock | undefined {
  const plain = name.replace(/^"|"$/g, '').trim();
  const label = plain.replace(/^\((?:UTC|GMT)[^)]*\)\s*/, '');
  const standard = label.replace(/^tzone:\/\/Microsoft\/| \d$/gi, '').replace(/ Time \(.*/, ' Standard Time');
  const windows = WINDOWS.get(plain.toLowerCase()) ?? WINDOWS.get(standard.toLowerCase());
  const cities = new Set(label.split(', '));
  const city = [...WINDOWS.values()].find((zone) =>
    cities.has(zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')),
  );
  const path = /[A-Z][\w+-]*(?:\/[A-Z][\w+-]*){1,2}$/.exec(plain)?.[0];

  for (const zone of [windows, plain, path, city]) {
    const clock = zone && attempt(() => openClock({ kind: 'named', name: zone }));
    if (clock) return clock;
  }

  const [, sign, hours, minutes = 0] = /^\(?(?:UTC|GMT)([+-])(\d{1,2}):?(\d\d)?\b/.exec(plain) ?? [];
  if (hours === undefined) return undefined;

  return openClock({ kind: 'offset', minutes: Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) });
}

const makeTimeKey = (time: ICAL.Time): string =>
  time.isDate ? time.toString().slice(0, 10) : String(time.toUnixTime());

const makeInstantKey = (timestamp: number): string => `${timestamp}Z`;

function describeError(error: unknown): string {
  const message = getMessage(error).replace(/\s+/g, ' ').slice(0, 120);
  return `cannot be read: ${message.replace(/^Could not extract integer from/, 'not a date or time:')}`;
}

const getSummary = (component: ICAL.Component): string =>
  readProperty(component, 'summary') ?? 'something without a name';

function readProperty(component: ICAL.Component, name: string): string | undefined {
  const value = component.getFirstPropertyValue(name);
  const text = typeof value === 'string' ? toOneLine(value) : '';
  return text === '' ? undefined : text.slice(0, TEXT_CHARACTERS);
}
