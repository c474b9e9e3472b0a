/** Whose clock counts: the system's, a named zone, or a fixed offset that a caller gave. */
export type Zone = { kind: 'system' } | { kind: 'named'; name: string } | { kind: 'offset'; minutes: number };

/** One moment as a person in a zone reads it. */
export interface LocalTime {
  /** ISO 8601 with offset, whole seconds. */
  iso: string;
  /** Minutes east of UTC at that moment. */
  offsetMinutes: number;
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  weekday: (typeof WEEKDAYS)[number];
  /** `AEDT` where the zone has a common abbreviation, else `UTC+11`. */
  zoneName: string;
  /** `2026-02-06` */
  date: string;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
/** Abbreviations are known to the locales where they are in use; the first that has a word for it serves. */
const ABBREVIATION_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-NZ', 'en-ZA'];

/** @param at epoch milliseconds */
export function localTime(at: number, zone: Zone): LocalTime {
  const offsetMinutes = offsetAt(at, zone);
  const shifted = new Date(at + offsetMinutes * 60_000);
  const iso = `${shifted.toISOString().slice(0, 19)}${spellOffset(offsetMinutes)}`;
  return {
    iso,
    offsetMinutes,
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    weekday: WEEKDAYS[shifted.getUTCDay()] ?? 'Sun',
    zoneName: zoneName(at, zone, offsetMinutes),
    date: iso.slice(0, 10),
  };
}

function offsetAt(at: number, zone: Zone): number {
  if (zone.kind === 'offset') return zone.minutes;
  if (zone.kind === 'system') return -new Date(at).getTimezoneOffset();
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone.name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const field = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
  );
  return Math.round((local - Math.floor(at / 1000) * 1000) / 60_000);
}

function zoneName(at: number, zone: Zone, offsetMinutes: number): string {
  const plain = `UTC${
    offsetMinutes === 0
      ? ''
      : spellOffset(offsetMinutes)
          .replace(/^([+-])0?/, '$1')
          .replace(':00', '')
  }`;
  if (zone.kind === 'offset') return plain;
  const timeZone = zone.kind === 'named' ? zone.name : undefined;
  for (const locale of ABBREVIATION_LOCALES) {
    const name = new Intl.DateTimeFormat(locale, { ...(timeZone ? { timeZone } : {}), timeZoneName: 'short' })
      .formatToParts(at)
      .find((part) => part.type === 'timeZoneName')?.value;
    if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name;
  }
  return plain;
}

function spellOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}
