import { describe, expect, test } from 'vitest';
import { openClock, type Zone } from '../../src/stages/clock.ts';

const named = (name: string): Zone => ({ kind: 'named', name });
const read = (iso: string, zone: Zone): string => {
  const { iso: local, weekday, zoneName } = openClock(zone)(Date.parse(iso));
  return `${local} ${weekday} ${zoneName}`;
};

describe('local time', () => {
  test.each([
    ['2026-02-05T14:30:00Z', 'Australia/Sydney', '2026-02-06T01:30:00+11:00 Fri AEDT'],
    ['2026-07-01T12:00:00Z', 'Australia/Sydney', '2026-07-01T22:00:00+10:00 Wed AEST'],
    ['2026-02-05T14:30:00Z', 'Asia/Kolkata', '2026-02-05T20:00:00+05:30 Thu IST'],
    ['2026-02-05T14:30:00Z', 'Asia/Kathmandu', '2026-02-05T20:15:00+05:45 Thu UTC+5:45'],
    ['2026-02-05T14:30:00Z', 'America/St_Johns', '2026-02-05T11:00:00-03:30 Thu NST'],
    ['2026-02-28T23:30:00Z', 'Pacific/Kiritimati', '2026-03-01T13:30:00+14:00 Sun UTC+14'],
    ['2026-01-01T00:00:00Z', 'Etc/UTC', '2026-01-01T00:00:00+00:00 Thu UTC'],
    // The night the clocks go forward in New York, and the night they go back in Berlin.
    ['2026-03-08T06:59:59Z', 'America/New_York', '2026-03-08T01:59:59-05:00 Sun EST'],
    ['2026-03-08T07:00:00Z', 'America/New_York', '2026-03-08T03:00:00-04:00 Sun EDT'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+02:00 Sun CEST'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+01:00 Sun CET'],
  ])('%s in %s', (iso, zone, wanted) => {
    expect(read(iso, named(zone))).toBe(wanted);
  });

  test('a fixed offset that a caller gave', () => {
    expect(read('2026-02-05T14:30:00Z', { kind: 'offset', minutes: 660 })).toBe(
      '2026-02-06T01:30:00+11:00 Fri UTC+11',
    );
    expect(read('2026-02-05T14:30:00Z', { kind: 'offset', minutes: -210 })).toBe(
      '2026-02-05T11:00:00-03:30 Thu UTC-3:30',
    );
  });

  test('the system zone', () => {
    const at = Date.parse('2026-02-05T14:30:00Z');
    expect(Date.parse(openClock({ kind: 'system' })(at).iso)).toBe(at);
  });
});
