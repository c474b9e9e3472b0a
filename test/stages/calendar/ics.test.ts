import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openClock } from '../../../src/stages/clock.ts';
import { readIcs } from '../../../src/stages/ics.ts';
import { runs } from '../../helpers/runs.ts';

const SYDNEY = `BEGIN:VTIMEZONE
TZID:Australia/Sydney
BEGIN:STANDARD
DTSTART:20080406T030000
TZOFFSETFROM:+1100
TZOFFSETTO:+1000
RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:20081005T020000
TZOFFSETFROM:+1000
TZOFFSETTO:+1100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU
END:DAYLIGHT
END:VTIMEZONE`;

const BERLIN = openClock({ kind: 'named', name: 'Europe/Berlin' });

const event = (lines: string): string => `BEGIN:VEVENT\nUID:u\nSUMMARY:x\n${lines}\nEND:VEVENT`;

/** The starts, to the minute and in UTC, of what is on a calendar in the two weeks around a day; a reader in Berlin. */
function starts(body: string, day: string) {
  const at = Date.parse(`${day}T12:00:00Z`);
  const span = { from: at - 7 * 86_400_000, until: at + 7 * 86_400_000 };
  const text = `BEGIN:VCALENDAR\nVERSION:2.0\n${SYDNEY}\n${body}\nEND:VCALENDAR\n`.replaceAll('\n', '\r\n');
  const { entries, problems } = readIcs(text, span, BERLIN);
  const times = entries.map(({ start }) => new Date(start).toISOString().slice(5, 16)).sort();
  return {
    times: times.filter((time) => Math.abs(Date.parse(`${day.slice(0, 5)}${time}Z`) - at) < 2.5 * 86_400_000),
    problems,
    entries,
  };
}

describe('a calendar file', () => {
  test.each<[what: string, body: string, day: string, wanted: string[]]>([
    ['a time in UTC', event('DTSTART:20260206T093000Z'), '2026-02-06', ['02-06T09:30']],
    ['on the wall of whoever reads', event('DTSTART:20260206T093000'), '2026-02-06', ['02-06T08:30']],
    ['a whole day', event('DTSTART;VALUE=DATE:20260206'), '2026-02-06', ['02-05T23:00']],
    [
      'in the zone that the file describes',
      event('DTSTART;TZID=Australia/Sydney:20260206T093000'),
      '2026-02-06',
      ['02-05T22:30'],
    ],
    [
      'in UTC beside a zone that it does not describe: a further date, and a replaced one',
      [
        event(
          'DTSTART;TZID=America/New_York:20260205T093000\nRRULE:FREQ=DAILY;COUNT=3\nRDATE:20260206T120000Z',
        ),
        event('RECURRENCE-ID:20260206T143000Z\nDTSTART:20260206T200000Z'),
      ].join('\n'),
      '2026-02-06',
      ['02-05T14:30', '02-06T12:00', '02-06T20:00', '02-07T14:30'],
    ],
    ...[
      ['DTSTART:20260205T100000Z', '02-05T10:00', '02-06T10:00'],
      ['DTSTART;TZID=Australia/Sydney:20260205T230000', '02-05T12:00', '02-06T12:00'],
      ['DTSTART;TZID=America/New_York:20260205T230000', '02-06T04:00', '02-07T04:00'],
      ['DTSTART:20260205T230000', '02-05T22:00', '02-06T22:00'],
    ].map(([start, ...wanted]): [string, string, string, string[]] => [
      `until a day without a time, which it includes: ${start}`,
      event(`${start}\nRRULE:FREQ=DAILY;UNTIL=20260206`),
      '2026-02-06',
      wanted,
    ]),
    [
      'in a zone that it does not describe',
      event('DTSTART;TZID=America/New_York:20260206T093000'),
      '2026-02-06',
      ['02-06T14:30'],
    ],
    [
      'every weekday, at the same time on the wall on both sides of the night the clocks go back',
      event('DTSTART;TZID=Australia/Sydney:20200101T093000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'),
      '2026-04-04',
      ['04-02T22:30', '04-05T23:30', '04-06T23:30'],
    ],
    [
      'every second week keeps its weeks, however long ago it began',
      event('DTSTART:20150105T090000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR'),
      '2026-02-06',
      // 5 January 2015 and 2 February 2026 are 578 weeks apart.
      ['02-06T09:00'],
    ],
    [
      'every fifth month keeps its months',
      event('DTSTART:20200131T090000Z\nRRULE:FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR'),
      // January 2020 and April 2026 are 75 months apart.
      '2026-04-24',
      ['04-24T09:00'],
    ],
    [
      'a count that has run out',
      event('DTSTART:20250101T090000Z\nRRULE:FREQ=DAILY;COUNT=100'),
      '2026-02-06',
      [],
    ],
    [
      'a count that has not',
      event('DTSTART:20260206T090000Z\nRRULE:FREQ=DAILY;COUNT=2'),
      '2026-02-06',
      ['02-06T09:00', '02-07T09:00'],
    ],
    [
      'an end that has passed',
      event('DTSTART:20250101T090000Z\nRRULE:FREQ=DAILY;UNTIL=20260205T120000Z'),
      '2026-02-06',
      ['02-04T09:00', '02-05T09:00'],
    ],
    [
      'an end and a struck day in UTC, of a series in a zone that the file does not describe',
      event(
        'DTSTART;TZID=America/New_York:20260202T093000\nRRULE:FREQ=DAILY;UNTIL=20260207T143000Z\nEXDATE:20260206T143000Z',
      ),
      '2026-02-07',
      ['02-05T14:30', '02-07T14:30'],
    ],
    [
      'the last Friday of the month',
      event('DTSTART:20200131T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=-1FR'),
      '2026-02-27',
      ['02-27T09:00'],
    ],
    [
      'a birthday on 29 February is kept on 1 March in other years',
      event('DTSTART;VALUE=DATE:20000229\nRRULE:FREQ=YEARLY'),
      '2026-02-28',
      ['02-28T23:00'],
    ],
    [
      'days that were struck out, written in another zone',
      event(
        'DTSTART:20260201T090000Z\nRRULE:FREQ=DAILY\nEXDATE:20260206T090000Z\nEXDATE;TZID=Australia/Sydney:20260207T200000',
      ),
      '2026-02-06',
      ['02-04T09:00', '02-05T09:00', '02-08T09:00'],
    ],
    [
      'more dates',
      event('DTSTART:20260101T090000Z\nRDATE:20260206T100000Z,20260206T110000Z'),
      '2026-02-06',
      ['02-06T10:00', '02-06T11:00'],
    ],
    ['cancelled', event('DTSTART:20260206T093000Z\nSTATUS:CANCELLED'), '2026-02-06', []],
    [
      'one of a series moved, one moved in from afar, one cancelled',
      [
        event('DTSTART:20260202T090000Z\nRRULE:FREQ=DAILY;UNTIL=20260301T000000Z'),
        event('RECURRENCE-ID:20260205T090000Z\nDTSTART:20260205T150000Z'),
        event('RECURRENCE-ID:20260228T090000Z\nDTSTART:20260206T200000Z'),
        event(
          'RECURRENCE-ID;TZID=Australia/Sydney:20260206T200000\nDTSTART:20260206T090000Z\nSTATUS:CANCELLED',
        ),
      ].join('\n'),
      '2026-02-06',
      ['02-04T09:00', '02-05T15:00', '02-06T20:00', '02-07T09:00', '02-08T09:00'],
    ],
    ...[
      'W. Europe Standard Time',
      '"W. Europe Standard Time 1"',
      'tzone://Microsoft/W. Europe Standard Time',
      '/mozilla.org/20050126_1/Europe/Berlin',
      '(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
      'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
      'GMT+0100',
    ].map((zone): [string, string, string, string[]] => [
      `a zone as Windows and mail programs name it: ${zone}`,
      event(
        `DTSTART;TZID=${/[:,]/.test(zone) && !zone.startsWith('"') ? `"${zone}"` : zone}:20260206T103000`,
      ),
      '2026-02-06',
      ['02-06T09:30'],
    ]),
    [
      'the summer of a zone that is named by its cities, and one of the United States',
      `${event('DTSTART;TZID="(UTC+01:00) Bern, Berlin":20260706T103000')}\n${event('DTSTART;TZID=Eastern Time (US & Canada):20260706T103000')}`,
      '2026-07-06',
      ['07-06T08:30', '07-06T14:30'],
    ],
    ['a folded line', event('DTSTA\n RT:20260206T093000Z'), '2026-02-06', ['02-06T09:30']],
    [
      'what lasts for days, and began before',
      event('DTSTART:20260101T093000Z\nDTEND:20260301T093000Z'),
      '2026-02-06',
      [],
    ],
  ])('%s', (_, body, day, wanted) => {
    const { times, problems } = starts(body, day);
    expect(problems).toEqual([]);
    expect(times).toEqual(wanted);
  });

  test('what began long before and goes on is there', () => {
    const { entries } = starts(event('DTSTART:20260101T093000Z\nDTEND:20260301T093000Z'), '2026-02-06');
    expect(entries).toMatchObject([
      { start: Date.parse('2026-01-01T09:30:00Z'), end: Date.parse('2026-03-01T09:30:00Z') },
    ]);
  });

  test.each<[what: string, lines: string, minutes: number]>([
    ['in UTC', 'DTSTART;TZID=Europe/Berlin:20260206T103000\nDTEND:20260206T103000Z', 60],
    [
      'in another zone',
      'DTSTART;TZID=America/New_York:20260206T043000\nDTEND;TZID=Europe/Berlin:20260206T113000',
      60,
    ],
    ['on the wall of whoever reads', 'DTSTART:20260206T093000Z\nDTEND:20260206T113000', 60],
    [
      'in UTC after a start in a zone of the file',
      'DTSTART;TZID=Australia/Sydney:20260206T203000\nDTEND:20260206T103000Z',
      60,
    ],
    [
      'behind the night the clocks go forward',
      'DTSTART;TZID=Europe/Berlin:20260329T013000\nDTEND;TZID=Europe/Berlin:20260329T033000',
      60,
    ],
    ['whole days, one of 23 hours', 'DTSTART;VALUE=DATE:20260328\nDTEND;VALUE=DATE:20260330', 2820],
  ])('an end %s', (_, lines, minutes) => {
    const { entries, problems } = starts(
      event(lines),
      `2026-0${lines.includes('2026032') ? '3-28' : '2-06'}`,
    );
    const [entry] = entries;
    expect([(Number(entry?.end) - Number(entry?.start)) / 60_000, problems]).toEqual([minutes, []]);
  });

  test('names, places and lengths as they were meant', () => {
    const { entries } = starts(
      event(
        'SUMMARY:never read twice\nLOCATION:Sail loft\\, by the\\nwindow\nDTSTART:20260206T093000Z\nDURATION:PT15M',
      ).replace('SUMMARY:x', 'SUMMARY:Team\\; standup'),
      '2026-02-06',
    );
    const start = Date.parse('2026-02-06T09:30:00Z');
    expect(entries).toEqual([
      {
        summary: 'Team; standup',
        location: 'Sail loft, by the window',
        start,
        end: start + 900_000,
        allDay: false,
      },
    ]);
  });

  const good = event('DTSTART:20260206T093000Z');
  test.each<[what: string, body: string, problem: RegExp]>([
    [
      'a rule that never comes true',
      event('SUMMARY:Never\nDTSTART:20260101T090000Z\nRRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=31'),
      /"x": took too long/,
    ],
    [
      'a rule of every second',
      event('DTSTART:20200101T090000Z\nRRULE:FREQ=SECONDLY'),
      /"x".* (?:repeats too often|took too long)/,
    ],
    ['a step of nothing', event('DTSTART:20200101T090000Z\nRRULE:FREQ=DAILY;INTERVAL=0'), /^$/],
    [
      'a step of an age',
      event('DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY;INTERVAL=99999999'),
      /took too long|^$/,
    ],
    [
      'a rule that is none',
      event('DTSTART:20260101T090000Z\nRRULE:FREQ=OFTEN'),
      /cannot be read: invalid frequency "OFTEN"/,
    ],
    ['a date that is none', event('DTSTART:soon'), /cannot be read|^$/],
    [
      'a zone that is none',
      event('DTSTART;TZID=Mars/Olympus:20260206T120000'),
      /"Mars\/Olympus" is not known/,
    ],
    ['an event without a date', 'BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT', /^$/],
    ['an event that does not end', 'BEGIN:VEVENT\nDTSTART:20260206T120000Z', /cannot be read/],
  ])('%s does not take the rest with it', (_, body, problem) => {
    const { times, problems } = starts(`${good}\n${body}`, '2026-02-06');
    expect(problems.join()).toMatch(problem);
    expect(times).toContain('02-06T09:30');
  });

  test('thousands of old events cost next to nothing, and a day of too many is cut', () => {
    const many = Array.from({ length: 8000 }, (_, k) => event(`DTSTART:20${10 + (k % 15)}0101T090000Z`)).join(
      '\n',
    );
    expect(starts(`${many}\n${good}`, '2026-02-06')).toMatchObject({ times: ['02-06T09:30'], problems: [] });
    const readCrowd = (length: number) => starts(Array(length).fill(good).join('\n'), '2026-02-06');
    expect(readCrowd(300)).toMatchObject({ entries: { length: 300 }, problems: [] });
    expect(readCrowd(400).problems).toEqual(['more than 300 events in a few days: the rest was not read']);
  });

  test('a text crafted to be slow is abandoned in time', () => {
    const span = { from: Date.parse('2026-02-01'), until: Date.parse('2026-02-10') };
    for (const line of ['BEGIN:VEVENT\n', 'BEGIN:VEVENT\nEND:VTODO\n', 'BEGIN:VTIMEZONE\nBEGIN:VEVENT\n']) {
      const { problems } = readIcs(`BEGIN:VCALENDAR\n${line.repeat(4_000_000 / line.length)}`, span, BERLIN);
      expect(problems.length).toBeGreaterThan(0);
    }
  });

  test('no text makes it throw or hang', () => {
    const word = fc.constantFrom(
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
      'BEGIN:VEVENT',
      'END:VEVENT',
      'DTSTART:20260206T093000Z',
      'DTSTART;TZID=X:20260206',
      'RRULE:FREQ=DAILY',
      'RRULE:FREQ=MINUTELY;BYDAY=1MO',
      'RRULE:FREQ=YEARLY;BYWEEKNO=60',
      'DURATION:-P1D',
      'DTEND:19000101',
      'EXDATE:x',
      'RDATE;VALUE=PERIOD:20260206T090000Z/PT1H',
      'RECURRENCE-ID:20260206',
      'SUMMARY',
      ' folded',
      ':',
      '\0',
      '\ud800',
    );
    const span = { from: Date.parse('2026-02-01'), until: Date.parse('2026-02-10') };
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (lines) => {
        const { entries, problems } = readIcs(['BEGIN:VCALENDAR', ...lines].join('\r\n'), span, BERLIN);
        expect(problems.length).toBeLessThanOrEqual(3);
        for (const { start } of entries) expect(Number.isNaN(start)).toBe(false);
      }),
      { numRuns: runs(20) },
    );
  });

  test('what is no calendar says so', () => {
    const span = { from: 0, until: 1 };
    for (const text of ['', 'hello', '<html></html>', '{"events": []}'])
      expect(readIcs(text, span, BERLIN)).toEqual({ entries: [], problems: ['is not a calendar'] });
  });
});
