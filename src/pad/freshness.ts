import { usageError } from '../base/errors.ts';
import { DAY_MS, formatDays, HOUR_MS } from '../base/text/strings.ts';

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

export interface Freshness {
  status: 'fresh' | 'stale' | 'missing';
  /** ISO 8601 with offset, as in the file. */
  updated?: string;
  /** Milliseconds since the update; negative if the clock was set back. */
  ageMs?: number;
  ttlMs?: number;
}

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

/**
 * How old a state is. One from the future means that the clock was set back: it counts as stale, with a minute's grace.
 * @param now epoch milliseconds
 */
export function judgeFreshness(
  state: { updated: string; ttlMs: number } | undefined,
  now: number,
): Freshness {
  if (state === undefined) return { status: 'missing' };
  const { updated, ttlMs } = state;
  const ageMs = now - Date.parse(updated);
  return { status: ageMs < ttlMs && ageMs > -60_000 ? 'fresh' : 'stale', updated, ageMs, ttlMs };
}
