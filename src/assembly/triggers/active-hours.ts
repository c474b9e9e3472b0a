import { misuse } from '../../base/errors.ts';
import type { Config } from '../../config/settings.ts';
import { readValue, settingFor } from '../../config/values.ts';
import { type Clock, openClock, zoneOf } from '../../stages/clock.ts';
import type { Within } from './schedule.ts';

/** A period of each day, in minutes since midnight; it spans midnight if `from` is greater than `until`. */
export interface ActiveHours {
  from: number;
  /** Exclusive. */
  until: number;
}

const MINUTE_MS = 60_000;
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

export function isActive({ from, until }: ActiveHours, clock: Clock, at: number): boolean {
  const { hour, minute } = clock(at);
  const now = hour * 60 + minute;
  return from < until ? now >= from && now < until : now >= from || now < until;
}

/**
 * The first moment from `at` on that is within the hours, in epoch milliseconds; `at` itself if it is. Goes
 * minute by minute, since an hour repeats when the clock is set back.
 */
export function opensAt(hours: ActiveHours, clock: Clock, at: number): number {
  if (isActive(hours, clock, at)) return at;
  let opens = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
  while (!isActive(hours, clock, opens)) opens += MINUTE_MS;
  return opens;
}

function minutes(hour: string | undefined, minute = '00'): number | undefined {
  const total = Number(hour) * 60 + Number(minute);
  return hour !== undefined && Number(minute) < 60 && total <= DAY_MINUTES ? total : undefined;
}

/** The part of the day in which runs are wanted, as it was typed. */
export interface WithinOptions {
  activeHours?: string;
  timezone?: string;
}

/**
 * The hours, and the clock that they go by: of the zone that is named here, in the settings, or the system's.
 * @throws ScratchpadError `usage`
 */
export function readWithin(
  { activeHours, timezone }: WithinOptions,
  { timezone: configured }: Pick<Config, 'timezone'>,
): Within & { zone: string | undefined } {
  const zone = timezone === undefined ? configured : String(readValue(settingFor('timezone'), timezone));
  return {
    zone,
    clock: openClock(zoneOf({ timezone: zone })),
    hours: activeHours === undefined ? undefined : parseActiveHours(activeHours),
  };
}

/** Whether a moment (epoch milliseconds) is in the hours. @throws ScratchpadError `usage` */
export function isWithin(options: WithinOptions, config: Pick<Config, 'timezone'>, at: number): boolean {
  const { hours, clock } = readWithin(options, config);
  return hours === undefined || isActive(hours, clock, at);
}
