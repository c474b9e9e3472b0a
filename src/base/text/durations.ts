import { usageError } from '../errors.ts';

/** In milliseconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

/**
 * `90s`, `30m`, `2h`, `1d` in milliseconds.
 * @param where the option or setting in question, for the error
 * @throws ScratchpadError `usage` for anything else.
 */
export function parseDuration(text: string, where?: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})\s*(ms|[smhd])$/.exec(text.trim()) ?? [];
  const size = unit === 'ms' ? 1 : (UNITS.find(([, name]) => name[0] === unit)?.[0] ?? 0);
  const ms = Number(count) * size;

  if (ms > 0) return ms;

  const expected = 'a positive number with s, m, h or d: 90s, 30m, 2h';
  throw usageError('not a duration', { where, expected, found: text });
}

/** `1800000` -> `30 minutes`, in the largest unit that divides it evenly. */
export function formatDuration(ms: number): string {
  for (const [size, name] of UNITS) {
    if (ms % size === 0) return `${ms / size} ${name}${ms === size ? '' : 's'}`;
  }
  return `${ms} ms`;
}

/** `1800000` -> `30m`, the form that `parseDuration` reads. */
export function formatShortDuration(ms: number): string {
  const [count = '', unit = ''] = formatDuration(ms).split(' ');
  return `${count}${unit === 'ms' ? unit : unit.slice(0, 1)}`;
}

/** A rough age for people: `45 s`, `12 min`, `3 h 5 min`, `9 days`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;

  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;

  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;

  return formatDays(ms);
}

/** `under a minute`, `25 min`, `1h 45m`, `9h`, `3 days` */
export function formatGap(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;

  const hours = Math.floor(minutes / 60);
  if (minutes < 4 * 60) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)}h`;

  return formatDays(ms);
}

/** Rounded, so that everything that counts days names the same number: Friday evening to Monday morning is 3 days. */
export const formatDays = (ms: number): string => `${Math.round(ms / DAY_MS)} days`;

/** In hours, then days: text shown to a model should not change every minute. */
export function formatRoughAge(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 1) return 'within the hour';
  return `${hours < 48 ? `${hours} h` : formatDays(ms)} ago`;
}
