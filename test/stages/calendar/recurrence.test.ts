import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { openClock } from '../../../src/stages/clock.ts';
import { readIcs } from '../../../src/stages/ics.ts';
import { runs } from '../../helpers/runs.ts';

const UTC = openClock({ kind: 'offset', minutes: 0 });
const DAY_MS = 86_400_000;
const day = (from: string, days: number) =>
  fc.integer({ min: 0, max: days }).map((count) => new Date(Date.parse(from) + count * DAY_MS));
const digits = (date: Date): string => date.toISOString().slice(0, 10).replaceAll('-', '');

const rule = fc
  .record({
    freq: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 9 }),
    days: fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']),
    months: fc.subarray([1, 2, 3, 12]),
    start: fc.constantFrom('', ';WKST=SU', ';WKST=MO'),
  })
  .map(({ freq, interval, days, months, start }) => {
    const byDay = freq === 'WEEKLY' && days.length > 0 ? `;BYDAY=${days.join(',')}` : '';
    const byMonth = freq === 'DAILY' && months.length > 0 ? `;BYMONTH=${months.join(',')}` : '';
    return `FREQ=${freq};INTERVAL=${interval}${byDay}${byMonth}${start}`;
  });

test('taken up near the present, a rule has the same times as from its beginning', () => {
  fc.assert(
    fc.property(rule, day('2019-01-01', 2500), day('2026-01-01', 200), (text, began, now) => {
      const span = { from: now.getTime(), until: now.getTime() + 8 * DAY_MS };
      const first = `${digits(began)}T091500Z`;
      const ics = [
        'BEGIN:VCALENDAR',
        'BEGIN:VEVENT',
        'UID:1',
        `DTSTART:${first}`,
        `RRULE:${text}`,
        'END:VEVENT',
        'END:VCALENDAR',
      ];
      const { entries, problems } = readIcs(ics.join('\r\n'), span, UTC);
      expect(problems).toEqual([]);

      const wanted = new Set<number>();
      const start = ICAL.Time.fromDateTimeString(
        `${began.toISOString().slice(0, 10)}T09:15:00Z`,
        undefined as never,
      );
      wanted.add(start.toUnixTime() * 1000);
      const iterator = ICAL.Recur.fromString(text).iterator(start);
      for (let time = iterator.next(); time && time.toUnixTime() * 1000 < span.until; time = iterator.next())
        wanted.add(time.toUnixTime() * 1000);
      const inSpan = (at: number): boolean => at >= span.from && at < span.until;
      const found = entries.map(({ start }) => start).filter(inSpan);
      expect(found.toSorted((a, b) => a - b)).toEqual([...wanted].filter(inSpan).toSorted((a, b) => a - b));
    }),
    { numRuns: runs(60) },
  );
});
