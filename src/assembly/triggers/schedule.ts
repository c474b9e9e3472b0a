import { once } from 'node:events';
import { describeError } from '../../base/errors.ts';
import { type RunReport, runTrigger, type TriggerOptions } from './run.ts';
import { openTask, type Timetable } from './times.ts';

export type ScheduleEvent =
  | { event: 'scheduled'; pid: number; about: string }
  | ({ event: 'assembled' } & RunReport)
  | { event: 'failed'; error: string }
  | { event: 'ended'; because: string };

interface ScheduleOptions extends TriggerOptions<ScheduleEvent> {
  timetable: Timetable;
  /** The session to assemble; default: the most recent one. */
  session: string | undefined;
}

const CLOCK_CHECK_MS = 20_000;

/**
 * Assembles by a timetable, one run after the other, until it is ended. A single run makes up for all that were missed,
 * because the machine slept or a run took long.
 */
export async function runSchedule(options: ScheduleOptions): Promise<void> {
  const { timetable, open, tell, session, check, signal } = options;
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const runOnce = async (): Promise<void> => {
    try {
      check();
    } catch {
      return stop.abort('its lock was removed, or taken over');
    }

    try {
      tell({ event: 'assembled', ...(await runTrigger(await open(), 'schedule', { session })) });
    } catch (error) {
      tell({ event: 'failed', error: describeError(error) });
    }
  };

  tell({ event: 'scheduled', pid: process.pid, about: timetable.about });
  let running = Promise.resolve();
  const run = async (): Promise<void> => {
    await running;
    running = runOnce();
    await running;
  };

  if (timetable.atOnce) await run();
  const task = openTask(timetable, run);
  // A timer does not count the time that the machine sleeps.
  let lastCheck = Date.now();
  const clockCheck = setInterval(() => {
    const hasSlept = Math.abs(Date.now() - lastCheck) > 3 * CLOCK_CHECK_MS;
    lastCheck = Date.now();
    if (hasSlept) void Promise.all([task.stop(), run(), task.start()]);
  }, CLOCK_CHECK_MS);

  if (!ending.aborted) {
    void task.start();
    await once(ending, 'abort');
  }

  clearInterval(clockCheck);
  void task.destroy();
  await running;
  tell({ event: 'ended', because: String(ending.reason) });
}
