import { describe, expect, test, vi } from 'vitest';
import { runSchedule, type ScheduleEvent } from '../../../src/assembly/triggers/schedule.ts';
import { parseTimetable } from '../../../src/assembly/triggers/times.ts';
import { startCli } from '../../helpers/resident.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const MINUTE = 60_000;
const CONFIG = { timezone: 'Etc/UTC' };
const workspace = (): string => testDir({ 'MEMORY.md': '- one\n' });

test.each([
  [['--cron', '61 * * * *'], '61 is a invalid expression for minute'],
  [['--cron', '* * *'], 'expected 5 or 6 fields but got 3'],
  [['--cron', '* * * * * *'], '6 fields'],
  [['--cron', '0 0 31 2 *'], 'impossible day'],
  [['--every', 'soon'], 'not a duration'],
  [['--every', '7m'], '5m, 6m, 10m'],
  [['--every', '1m', '--cron', '* * * * *'], 'two schedules were given'],
])('%j is refused', async (args, told) => {
  const cwd = testDir({ '.scratchpad/sessions/main/': '' });
  const done = await runWarm(['schedule', ...args], { cwd });
  expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining(told)]);
});

test('runs at once, alone, and ends on a signal', async () => {
  const cwd = workspace();
  const first = startCli(['schedule', '--every', '1m'], { cwd });
  expect(await first.next('scheduled')).toMatchObject({ about: 'every 1 minute' });
  expect(await first.next('assembled')).toMatchObject({ problems: [] });
  expect((await runWarm(['schedule'], { cwd })).stderr).toContain(`process ${first.child.pid}`);
  expect((await runWarm(['status'], { cwd })).stdout).toMatch(/schedule: +process \d+/);
  first.child.kill('SIGHUP');
  expect(await first.next('ended')).toMatchObject({ because: 'SIGHUP' });
  expect(await first.ended).toEqual({ code: 0, stderr: '' });
});

describe('a clock that jumps', () => {
  /** Minutes after the start at which a run was tried, while the clock jumps after each given minute. */
  async function simulate(jumps: ReadonlyMap<number, number>, until: number, every = '10m') {
    vi.useFakeTimers({ now: Date.UTC(2026, 1, 6, 8, 5) });
    const start = Date.now();
    const runs: number[] = [];
    const stop = new AbortController();
    const ended = runSchedule({
      timetable: parseTimetable({ every }, CONFIG.timezone),
      session: undefined,
      check: () => undefined,
      signal: stop.signal,
      open: () => Promise.reject(new Error('no pad here')),
      tell: ({ event }: ScheduleEvent) => {
        if (event === 'failed') runs.push(Math.floor((Date.now() - start) / MINUTE));
      },
    });
    for (let minute = 1; minute <= until; minute++) {
      await vi.advanceTimersByTimeAsync(MINUTE);
      vi.setSystemTime(Date.now() + (jumps.get(minute) ?? 0) * MINUTE);
    }
    stop.abort('done');
    vi.useRealTimers();
    await ended;
    return runs;
  }

  test('a night asleep is made up for by one run', async () => {
    expect(await simulate(new Map([[12, 8 * 60]]), 28)).toEqual([0, 5, 492, 495, 505]);
    expect(await simulate(new Map([[30, 8 * 60]]), 40, '24h')).toEqual([0, 510]);
  });

  test('set back, it goes on from there', async () => {
    const runs = await simulate(new Map([[12, -5 * 60]]), 30);
    expect(runs).toEqual([0, 5, -288, -285, -275]);
  });
});

test('intervals in the words of cron', () => {
  const lines = ['1m', '10m', '1h', '6h', '24h', '60m'].map((text) => parseTimetable({ every: text }).cron);
  expect(lines).toEqual([
    ...['* * * * *', '*/10 * * * *'],
    ...['0 * * * *', '0 */6 * * *', '0 0 * * *', '0 * * * *'],
  ]);
});
