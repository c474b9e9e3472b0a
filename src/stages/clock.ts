import { cachePath, readCache, writeCache } from '../base/fs/cache.ts';
import { linkTarget } from '../base/fs/index.ts';
import { membersOf } from '../base/text/json.ts';
import type { SessionFacts } from '../transcript/read.ts';

/** A time as read by a person in a zone. */
export interface LocalTime {
  /** ISO 8601 with offset, whole seconds. */
  iso: string;
  /** Minutes east of UTC at that time. */
  offsetMinutes: number;
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  weekday: (typeof WEEKDAYS)[number];
  zoneName: string;
  /** `2026-02-06` */
  date: string;
}

/** Converts a time (epoch milliseconds) to one zone. */
export type Clock = (at: number) => LocalTime;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const KEPT_PERIODS = 12;

type KeptPeriod = Period & { zone: string };

/**
 * A clock for a zone.
 *
 * @param cacheFile where periods are cached between processes; it may be deleted
 */
export function openClock(zone: Zone, cacheFile?: string): Clock {
  if (zone.kind === 'offset') {
    const { minutes } = zone;
    return (at) => read(at, { offset: minutes, name: spellZone(minutes) });
  }
  const timeZone = zone.kind === 'named' ? zone.name : undefined;
  const system = timeZone === undefined ? systemZone() : undefined;
  // Periods become invalid with the rules they were computed from.
  const key = `${timeZone ?? `system ${system}`} ${process.versions.tz ?? ''}`;
  const kept = cacheFile === undefined ? [] : readKept(cacheFile);
  return (at) => {
    let period = kept.find(({ zone: name, from, until }) => name === key && at >= from && at < until);
    // The system's zone may change: its cached period must be checked. Asking V8 takes .3 ms.
    if (period && system === '' && period.offset !== -new Date(at).getTimezoneOffset()) period = undefined;
    if (!period) {
      period = { zone: key, ...periodAt(at, timeZone) };
      kept.unshift(period);
      if (cacheFile !== undefined) writeCache(cacheFile, kept.slice(0, KEPT_PERIODS));
    }
    return read(at, period);
  };
}

/** The clock for a zone that caches its periods in a workspace. */
export function clockIn(root: string, zone: Zone): Clock {
  return openClock(zone, cachePath(root, 'zones.json'));
}

/**
 * The zone of a session, in order: the offset given in this call; the person's own setting, which knows daylight
 * saving time; the offset that the host reports, whose machine may be anywhere; the system.
 */
export function zoneOf(
  { timezone }: { readonly timezone?: string | undefined },
  facts?: SessionFacts,
  utcOffsetMinutes?: number,
): Zone {
  const ofHost = facts?.utcOffsetHours;
  if (utcOffsetMinutes !== undefined) return { kind: 'offset', minutes: utcOffsetMinutes };
  if (timezone !== undefined) return { kind: 'named', name: timezone };
  return ofHost === undefined ? { kind: 'system' } : { kind: 'offset', minutes: Math.round(ofHost * 60) };
}

/** `09:30` */
export function hourOf({ hour, minute }: Pick<LocalTime, 'hour' | 'minute'>): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(hour)}:${two(minute)}`;
}

function read(at: number, { offset, name }: Pick<Period, 'offset' | 'name'>): LocalTime {
  const shifted = new Date(at + offset * 60_000);
  const iso = `${new Date(shifted.getTime()).toISOString().slice(0, 19)}${spellOffset(offset)}`;
  return {
    iso,
    offsetMinutes: offset,
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    weekday: WEEKDAYS[shifted.getUTCDay()] ?? 'Sun',
    zoneName: name,
    date: iso.slice(0, 10),
  };
}

/** The settings of the system's zone, to detect a change. */
function systemZone(): string {
  return process.env.TZ || linkTarget('/etc/localtime') || '';
}

function readKept(file: string): KeptPeriod[] {
  const kept = readCache(file);
  return Array.isArray(kept) ? kept.filter(isPeriod) : [];
}

function isPeriod(value: unknown): value is KeptPeriod {
  const { zone, from, until, offset, name } = membersOf(value);
  return (
    typeof zone === 'string' &&
    typeof name === 'string' &&
    /^[\w+:-]{1,12}$/.test(name) &&
    [from, until, offset].every((number) => Number.isFinite(number)) &&
    Math.abs(Number(offset)) <= 24 * 60
  );
}

/** The zone in use: the system's, a named zone, or a fixed offset from the caller. */
export type Zone = { kind: 'system' } | { kind: 'named'; name: string } | { kind: 'offset'; minutes: number };

/** A period in which a zone keeps its offset and its name. */
interface Period {
  /** Epoch milliseconds, `[from, until)`. */
  from: number;
  until: number;
  /** Minutes east of UTC. */
  offset: number;
  /** `AEDT` if the zone has a common abbreviation, else `UTC+11`. */
  name: string;
}

const DAY_MS = 86_400_000;
/** How far ahead the end of a period is searched; a longer one is computed again after that. */
const LOOK_AHEAD_DAYS = 60;
/** Only locales that use an abbreviation know it; the first one with a name is used. */
const ABBREVIATION_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-NZ', 'en-ZA'];

/**
 * The period around a time, from Node's time zone data. Expensive in a fresh process (Intl takes some 20 ms to
 * load), so `openClock` caches it.
 *
 * @param at epoch milliseconds
 * @param timeZone IANA name, `undefined` for the system's zone
 */
function periodAt(at: number, timeZone: string | undefined): Period {
  const offsetAt = offsetReader(timeZone);
  const offset = offsetAt(at);
  let until = at + LOOK_AHEAD_DAYS * DAY_MS;
  for (let day = 1; day <= LOOK_AHEAD_DAYS; day += 1) {
    if (offsetAt(at + day * DAY_MS) === offset) continue;
    until = changeBetween(at + (day - 1) * DAY_MS, at + day * DAY_MS, offset, offsetAt);
    break;
  }
  return { from: at, until, offset, name: abbreviation(at, timeZone) ?? spellZone(offset) };
}

/** `UTC+5:30`, `UTC-3`, `UTC` */
function spellZone(offset: number): string {
  if (offset === 0) return 'UTC';
  return `UTC${spellOffset(offset)
    .replace(/^([+-])0?/, '$1')
    .replace(':00', '')}`;
}

/** `+11:00` */
function spellOffset(offset: number): string {
  const size = Math.abs(offset);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

function offsetReader(timeZone: string | undefined): (at: number) => number {
  if (timeZone === undefined) return (at) => -new Date(at).getTimezoneOffset();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = format.formatToParts(at);
    const field = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
    const [year, month, day] = [field('year'), field('month') - 1, field('day')];
    const local = Date.UTC(year, month, day, field('hour'), field('minute'), field('second'));
    return Math.round((local - Math.floor(at / 1000) * 1000) / 60_000);
  };
}

/** The first second with a different offset; zones change on whole seconds. */
function changeBetween(low: number, high: number, offset: number, offsetAt: (at: number) => number): number {
  let [before, after] = [Math.floor(low / 1000), Math.ceil(high / 1000)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle * 1000) === offset) before = middle;
    else after = middle;
  }
  return after * 1000;
}

function abbreviation(at: number, timeZone: string | undefined): string | undefined {
  for (const locale of ABBREVIATION_LOCALES) {
    const name = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
      .formatToParts(at)
      .find((part) => part.type === 'timeZoneName')?.value;
    if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name;
  }
  return undefined;
}
