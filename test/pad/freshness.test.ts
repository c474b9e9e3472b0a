import { expect, test } from 'vitest';
import { formatAge, formatDuration, parseDuration } from '../../src/base/text/durations.ts';
import { judgeFreshness } from '../../src/pad/freshness.ts';

const at = Date.parse('2026-02-06T03:00:00+11:00');
const stamped = { updated: '2026-02-06T03:00:00+11:00', ttlMs: 30 * 60_000 };

test('fresh until the TTL, stale afterwards, and stale if its time is in the future', () => {
  const statusAfter = (ms: number): string => judgeFreshness(stamped, at + ms).status;
  expect(statusAfter(0)).toBe('fresh');
  expect(statusAfter(30 * 60_000 - 1)).toBe('fresh');
  expect(statusAfter(30 * 60_000)).toBe('stale');
  expect(statusAfter(-59_000)).toBe('fresh');
  expect(statusAfter(-61_000)).toBe('stale');
});

test('no state is missing', () => {
  expect(judgeFreshness(undefined, at)).toEqual({ status: 'missing' });
});

test('durations are read and spelled', () => {
  expect([parseDuration('90s'), parseDuration(' 2h '), parseDuration('1d')]).toEqual([
    90_000, 7_200_000, 86_400_000,
  ]);
  for (const bad of ['', '0m', '-1m', '1w', '1.5h', '9999999h'])
    expect(() => parseDuration(bad)).toThrow('not a duration');
  expect([formatDuration(1_800_000), formatDuration(3_600_000)]).toEqual(['30 minutes', '1 hour']);
  expect([formatAge(45_000), formatAge(11_100_000), formatAge(-5)]).toEqual(['45 s', '3 h 5 min', '0 s']);
});
