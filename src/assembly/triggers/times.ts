import { misuse } from '../../base/errors.ts';
import type { Config } from '../../config/settings.ts';
import { readValue, settingFor } from '../../config/values.ts';
import { parseDuration } from '../../pad/freshness.ts';
import { openClock, zoneOf } from '../../stages/clock.ts';

/** When a trigger runs, as typed. */
export interface Times {
  every?: string;
  cron?: string;
  activeHours?: string;
  timezone?: string;
}

export const EVERY = '10m';

/** An interval that divides the minute, the hour or the day, as the calendar needs. */
export interface Interval {
  every: number;
  unit: 'seconds' | 'minutes' | 'hours';
  ms: number;
}

const UNITS = [
  { unit: 'seconds', ms: 1000, most: 60 },
  { unit: 'minutes', ms: 60_000, most: 60 },
  { unit: 'hours', ms: 3_600_000, most: 24 },
] as const;

/** @throws ScratchpadError `usage` for an interval that divides none of them */
export function intervalOf(text = EVERY): Interval {
  const ms = parseDuration(text, '--every');
  const fits = UNITS.find((unit) => ms % unit.ms === 0 && ms < unit.ms * unit.most);
  if (ms === 24 * 3_600_000) return { every: 24, unit: 'hours', ms };
  if (fits && fits.most % (ms / fits.ms) === 0) return { every: ms / fits.ms, unit: fits.unit, ms };
  throw misuse('--every is not valid', {
    where: '--every',
    expected: '1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h',
    found: text,
  });
}

/** The times of an interval in five fields, or in six if it is of seconds. */
export function cronOf({ every, unit }: Interval): string {
  const step = every === 1 ? '*' : `*/${every}`;
  if (unit === 'hours') return every === 24 ? '0 0 * * *' : `0 ${step} * * *`;
  return unit === 'minutes' ? `${step} * * * *` : `${step} * * * * *`;
}

/** A period of each day, in minutes since midnight; it spans midnight if `from` is greater than `until`. */
export interface ActiveHours {
  from: number;
  /** Exclusive. */
  until: number;
}

const DAY_MINUTES = 24 * 60;

/**
 * Parses `07:00-23:00`, `22:00-06:00` or `7-23`.
 * @throws ScratchpadError `usage` for anything else
 */
export function parseActiveHours(text: string): ActiveHours {
  const match = /^(\d{1,2})(?::(\d\d))?\s*-\s*(\d{1,2})(?::(\d\d))?$/.exec(text.trim());
  const [from, until] = [minutes(match?.[1], match?.[2]), minutes(match?.[3], match?.[4])];
  // `9-5` probably means the day, but would be the night on a 24-hour clock.
  const isUnclear = match?.[2] === undefined && match?.[4] === undefined && (until ?? 0) < (from ?? 0);
  if (from !== undefined && until !== undefined && from !== until && from !== DAY_MINUTES && !isUnclear)
    return { from, until };
  throw misuse('--active-hours is not valid', {
    where: '--active-hours',
    expected: 'two times of the day such as 07:00-23:00, or 22:00-06:00 for a night',
    found: text,
  });
}

function minutes(hour: string | undefined, minute = '00'): number | undefined {
  const total = Number(hour) * 60 + Number(minute);
  return hour !== undefined && Number(minute) < 60 && total <= DAY_MINUTES ? total : undefined;
}

/** The zone that times go by: the one named with them, or in the settings. */
export function zoneNamed(
  { timezone }: Pick<Times, 'timezone'>,
  config: Pick<Config, 'timezone'>,
): string | undefined {
  return timezone === undefined ? config.timezone : String(readValue(settingFor('timezone'), timezone));
}

/**
 * Whether a moment (epoch milliseconds) is in the active hours; without any it always is.
 * @throws ScratchpadError `usage`
 */
export function isWithin(times: Times, config: Pick<Config, 'timezone'>, at: number): boolean {
  const timezone = zoneNamed(times, config);
  if (times.activeHours === undefined) return true;
  const { from, until } = parseActiveHours(times.activeHours);
  const { hour, minute } = openClock(zoneOf({ timezone }))(at);
  const now = hour * 60 + minute;
  return from < until ? now >= from && now < until : now >= from || now < until;
}
