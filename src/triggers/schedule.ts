import { setTimeout } from 'node:timers/promises';
import { inShort } from '../errors.ts';
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
  /** A moment as people read it, in the schedule's zone. */
  spell: (at: number) => string;
  /** What to assemble; else the session that was active last. */
  session: string | undefined;
  /** Throws when the lock that makes it the only one is not held any more. */
  check: () => void;
  /** Aborted to end it; the reason is told. */
  signal: AbortSignal;
  time: Time;
}

/** The clock on the wall, and waiting. */
export interface Time {
  now(): number;
  /** Resolves after so many milliseconds of the machine being awake, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A timer does not count the time that the machine sleeps, and knows nothing of a clock set anew. */
const LOOK_MS = 20_000;

/**
 * Assembles by a timetable, one run after the other, until it is told to end. Runs that were
 * missed - the machine slept, a run took long, the clock was set ahead - are made up for by one.
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

/** @returns why no more runs may follow; empty while they may */
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

/** False when it ends before, or the clock was set back: then the next time is another. */
async function waitFor(due: number, signal: AbortSignal, time: Time): Promise<boolean> {
  for (let before = time.now(); ; ) {
    const now = time.now();
    if (now >= due) return true;
    if (signal.aborted || now < before - LOOK_MS) return false;
    before = now;
    await time.wait(Math.min(due - now, LOOK_MS), signal);
  }
}

/** The machine's own time. */
export const MACHINE_TIME: Time = {
  now: Date.now,
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};
