import { setTimeout } from 'node:timers/promises';
import { inShort } from '../../base/errors.ts';
import { type OpenedPad, type RunReport, runTrigger } from './run.ts';
import type { Timetable } from './timetable.ts';

export type ScheduleEvent =
  | { event: 'scheduled'; pid: number; about: string }
  | { event: 'next'; due: string }
  | ({ event: 'assembled'; lateMs: number } & RunReport)
  | { event: 'failed'; lateMs: number; error: string }
  | { event: 'ended'; because: string };

export interface ScheduleOptions {
  timetable: Timetable;
  open: () => Promise<OpenedPad>;
  tell: (event: ScheduleEvent) => void;
  /** Formats a moment for people, in the schedule's time zone. */
  spell: (at: number) => string;
  /** The session to assemble; default: the most recent one. */
  session: string | undefined;
  /** Throws if the lock that makes this the only instance was lost. */
  check: () => void;
  /** Aborted to end the schedule; the reason is reported. */
  signal: AbortSignal;
  time: Time;
}

/** The wall clock, and waiting. */
export interface Time {
  now(): number;
  /** Resolves after this many milliseconds of the machine being awake, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * How often to look at the wall clock: a timer does not count the time that the machine sleeps, and does not
 * notice a changed clock.
 */
const LOOK_MS = 20_000;

/**
 * Assembles by a timetable, one run after the other, until it is ended. Missed runs, because the machine
 * slept, a run took long, or the clock was set forward, are made up for by a single one.
 */
export async function runSchedule(options: ScheduleOptions): Promise<void> {
  const { timetable, tell, spell, signal, time } = options;
  tell({ event: 'scheduled', pid: process.pid, about: timetable.about });
  let because = '';
  if (timetable.atOnce) because = await runOnce(options, 0);
  while (because === '' && !signal.aborted) {
    const due = timetable.next(time.now());
    if (due === undefined) because = 'there is no next time';
    else {
      tell({ event: 'next', due: spell(due) });
      const reached = await waitFor(due, signal, time);
      if (reached) because = await runOnce(options, Math.max(0, time.now() - due));
    }
  }
  tell({ event: 'ended', because: because === '' ? String(signal.reason) : because });
}

/** @returns why there may be no more runs; empty if there may */
async function runOnce({ open, tell, session, check }: ScheduleOptions, lateMs: number): Promise<string> {
  try {
    check();
  } catch {
    return 'its lock was removed, or taken over';
  }
  try {
    const report = await runTrigger(await open(), 'schedule', session === undefined ? {} : { session });
    tell({ event: 'assembled', lateMs, ...report });
  } catch (error) {
    tell({ event: 'failed', lateMs, error: inShort(error) });
  }
  return '';
}

/** False if the schedule was ended, or the clock was set back: the next time must then be computed again. */
async function waitFor(due: number, signal: AbortSignal, time: Time): Promise<boolean> {
  for (let before = time.now(); ; ) {
    const now = time.now();
    if (now >= due) return true;
    if (signal.aborted || now < before - LOOK_MS) return false;
    before = now;
    await time.wait(Math.min(due - now, LOOK_MS), signal);
  }
}

/** The machine's own clock. */
export const MACHINE_TIME: Time = {
  now: Date.now,
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};
