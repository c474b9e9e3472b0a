import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isActive, opensAt, parseActiveHours } from '../../../src/assembly/triggers/active-hours.ts';
import {
  cronTimes,
  everySpan,
  runSchedule,
  type ScheduleEvent,
} from '../../../src/assembly/triggers/schedule.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { FileStore } from '../../../src/session/file-store.ts';
import { openClock } from '../../../src/stages/clock.ts';
import { startCli } from '../../helpers/resident.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { runs } from '../../helpers/runs.ts';
import { testDir } from '../../helpers/test-dir.ts';

const MINUTE = 60_000;
const workspace = (): string => testDir({ 'MEMORY.md': '- one\n' });

test('the next runs are printed, in the zone and within the hours', async () => {
  const cwd = workspace();
  const now = ['--now', '2026-02-06T12:00:00Z'];
  const every = ['--every', '4h', '--active-hours', '07:00-23:00', '--timezone', 'Australia/Sydney'];
  const done = await runWarm(['schedule', '--dry-run', ...every, ...now], { cwd });
  expect(done.stdout.split('\n')).toEqual([
    'every 4 hours, within 07:00-23:00, Australia/Sydney',
    '2026-02-07T07:00:00+11:00',
    '2026-02-07T11:00:00+11:00',
    '2026-02-07T15:00:00+11:00',
    '2026-02-07T19:00:00+11:00',
    '2026-02-08T07:00:00+11:00',
    '',
  ]);
  const at = ['schedule', '--dry-run', '--json', '--cron', '30 9 * * MON', '--timezone', 'Asia/Kolkata'];
  const { runs } = JSON.parse((await runWarm(at, { cwd })).stdout) as { runs: string[] };
  expect(runs).toHaveLength(5);
  for (const run of runs) expect(run).toMatch(/T09:30:00\+05:30$/);
});

test.each([
  [['--cron', '61 * * * *'], 'minute: 61'],
  [['--cron', '* * *'], 'expected 5 or 6 fields but got 3'],
  [['--cron', '* * * * * *'], '6 fields'],
  [['--cron', '0 0 31 2 *'], 'impossible day'],
  [['--cron', '0 3 * * *', '--active-hours', '7-23'], 'names its hours itself'],
  [['--every', 'soon'], 'not a duration'],
  [['--every', '1m', '--cron', '* * * * *'], 'two schedules were given'],
  [['--active-hours', '7-25'], '07:00-23:00'],
  [['--timezone', 'Mars/Phobos'], 'IANA time zone'],
])('%j is refused', async (args, told) => {
  const cwd = testDir({ '.scratchpad/sessions/main/': '' });
  const done = await runWarm(['schedule', ...args], { cwd });
  expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining(told)]);
});

test('runs at once and again, one at a time, and ends on a signal', async () => {
  const cwd = workspace();
  const first = startCli(['schedule', '--every', '1s'], { cwd });
  expect(await first.next('scheduled')).toMatchObject({ about: 'every 1 second' });
  expect(await first.next('assembled')).toMatchObject({ lateMs: 0, problems: [] });
  await first.next('next');
  expect((await runWarm(['schedule'], { cwd })).stderr).toContain(`process ${first.child.pid}`);
  expect((await runWarm(['status'], { cwd })).stdout).toMatch(
    /schedule: +process \d+, since .*every 1 second/,
  );
  await first.next('assembled');
  first.child.kill('SIGHUP');
  expect(await first.next('ended')).toMatchObject({ because: 'SIGHUP' });
  expect(await first.ended).toEqual({ code: 0, stderr: '' });
});

describe('a clock that jumps', () => {
  /** A night passes within the fourth wait; the clock is set back within the eighth. */
  async function simulate(jumps: ReadonlyMap<number, number>, until: number): Promise<number[]> {
    const root = workspace();
    let now = Date.UTC(2026, 1, 6, 8);
    let waits = 0;
    const stop = new AbortController();
    const runs: number[] = [];
    const start = now;
    await runSchedule({
      timetable: everySpan(10 * MINUTE, start, {
        hours: undefined,
        clock: openClock({ kind: 'offset', minutes: 0 }),
      }),
      session: undefined,
      check: () => undefined,
      signal: stop.signal,
      spell: String,
      tell: (event: ScheduleEvent) => {
        if (event.event === 'assembled') runs.push((now - start) / MINUTE);
      },
      time: {
        now: () => now,
        async wait(ms) {
          waits += 1;
          now += ms + (jumps.get(waits) ?? 0);
          if (waits >= until) stop.abort('done');
        },
      },
      open: async () => {
        const env = { HOME: join(root, 'home') };
        const { config, problems } = await loadConfig(root, env);
        const store = new FileStore(root, 'main');
        return { pad: { root, store, config, env, now: () => now }, dir: store.paths.dir, problems };
      },
    });
    return runs;
  }

  test('a night asleep is made up for by one run', async () => {
    const runs = await simulate(new Map([[40, 8 * 60 * MINUTE]]), 150);
    expect(runs.slice(0, 2)).toEqual([0, 10]);
    expect(runs[2]).toBeGreaterThan(480);
    expect(runs[3]).toBe(500);
    expect(runs[4]).toBe(510);
  });

  test('set back, it goes on from there', async () => {
    const runs = await simulate(new Map([[40, -5 * 60 * MINUTE]]), 150);
    expect(runs.slice(0, 2)).toEqual([0, 10]);
    expect(runs[2]).toBeLessThan(-270);
    expect(runs[3] ?? 0).toBeCloseTo((runs[2] ?? 0) + 10, 5);
  });
});

describe('active hours', () => {
  test('are read in the forms that people write', () => {
    expect(parseActiveHours('07:00-23:00')).toEqual({ from: 420, until: 1380 });
    expect(parseActiveHours('7 - 24')).toEqual({ from: 420, until: 1440 });
    for (const text of ['', '7', '7-7', '24-7', '7:60-8', '7-24:01', '-7-8'])
      expect(() => parseActiveHours(text)).toThrow('--active-hours');
  });

  test('open at the first active minute, in nights with a changed clock too', () => {
    const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kolkata'];
    const clocks = zones.map((name) => openClock({ kind: 'named', name }));
    // The changes of both hemispheres lie in these months.
    const moment = fc.integer({ min: Date.UTC(2026, 2, 20), max: Date.UTC(2026, 3, 10) });
    const hours = fc
      .record({ from: fc.integer({ min: 0, max: 1439 }), until: fc.integer({ min: 0, max: 1440 }) })
      .filter(({ from, until }) => Math.abs(from - until) > 60);
    fc.assert(
      fc.property(fc.constantFrom(...clocks), moment, hours, (clock, at, within) => {
        const opens = opensAt(within, clock, at);
        expect(opens).toBeGreaterThanOrEqual(at);
        expect(isActive(within, clock, opens)).toBe(true);
        if (opens === at) return;
        // The clock may leap over the minute at which they open.
        for (let before = opens - MINUTE; before > at && before > opens - 5 * MINUTE; before -= MINUTE)
          expect(isActive(within, clock, before)).toBe(false);
        expect(opens - at).toBeLessThanOrEqual(25 * 60 * MINUTE);
      }),
      { numRuns: runs(20) },
    );
  });

  test.each([
    // The clock goes from 2:00 to 3:00, and from 3:00 to 2:00.
    ['22:00-06:00', '2026-03-29T00:30:00Z', '2026-03-29T00:30:00Z'],
    ['22:00-06:00', '2026-03-29T04:00:00Z', '2026-03-29T20:00:00Z'],
    ['22:00-06:00', '2026-10-25T04:59:00Z', '2026-10-25T04:59:00Z'],
    ['22:00-06:00', '2026-10-25T05:00:00Z', '2026-10-25T21:00:00Z'],
    ['02:30-03:30', '2026-03-28T20:00:00Z', '2026-03-29T01:00:00Z'],
    ['02:30-03:30', '2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z'],
    // The half hour after two is shown twice: hours that are over open again.
    ['01:00-02:30', '2026-10-25T00:40:00Z', '2026-10-25T01:00:00Z'],
    ['23:30-00:30', '2026-12-31T12:00:00Z', '2026-12-31T22:30:00Z'],
  ])('%s in Berlin: after %s they are open from %s', (hours, at, opens) => {
    const clock = openClock({ kind: 'named', name: 'Europe/Berlin' });
    const found = opensAt(parseActiveHours(hours), clock, Date.parse(at));
    expect(new Date(found).toISOString()).toBe(opens.replace('Z', '.000Z'));
  });

  test('open when a clock that is watched minute by minute first shows an active one', () => {
    const clocks = ['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca'].map((name) =>
      openClock({ kind: 'named', name }),
    );
    const change = fc.constantFrom('2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-03-21');
    const moment = fc
      .tuple(change, fc.integer({ min: 0, max: 2 * 1440 }))
      .map(([day, minute]) => Date.parse(`${day}T00:00:00Z`) + minute * MINUTE);
    const hours = fc
      .record({ from: fc.integer({ min: 0, max: 1439 }), until: fc.integer({ min: 1, max: 1440 }) })
      .filter(({ from, until }) => from !== until);
    fc.assert(
      fc.property(fc.constantFrom(...clocks), moment, hours, (clock, at, within) => {
        let first = at;
        while (!isActive(within, clock, first)) first += MINUTE;
        expect(opensAt(within, clock, at)).toBe(first);
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('the next run', () => {
  const clock = openClock({ kind: 'named', name: 'Europe/Berlin' });
  const start = Date.parse('2026-03-27T11:07:00Z');
  const hours = fc.option(fc.constantFrom('22:00-06:00', '07:00-23:00', '02:00-03:00'), { nil: undefined });

  test('of a span is the first one after, on its beat or when the hours open', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 * 1440 }),
        fc.integer({ min: 0, max: 5 * 1440 }),
        hours,
        (span, after, text) => {
          const within = { clock, hours: text === undefined ? undefined : parseActiveHours(text) };
          const [spanMs, now] = [span * MINUTE, start + after * MINUTE];
          const due = everySpan(spanMs, start, within).runs(now, 1)[0] ?? 0;
          const beat = start + (Math.floor((now - start) / spanMs) + 1) * spanMs;
          expect(due).toBe(within.hours === undefined ? beat : opensAt(within.hours, clock, beat));
          expect(due).toBeGreaterThan(now);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  test('of an expression is a minute that it names, and none is left out before it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }), (minute, hour) => {
        const fits = (at: number): boolean => {
          const shown = clock(at);
          return shown.minute === minute && (hour % 2 === 0 || shown.hour % 3 === 0);
        };
        const times = cronTimes(`${minute} ${hour % 2 === 0 ? '*' : '*/3'} * * *`, 'Europe/Berlin');
        const now = Date.now();
        const [due = 0] = times.runs(now, 1);
        expect(fits(due)).toBe(true);
        for (let at = Math.floor(now / MINUTE + 1) * MINUTE; at < due; at += MINUTE)
          expect(fits(at)).toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});
