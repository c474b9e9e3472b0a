import { setTimeout } from 'node:timers/promises';
import { createTask, validateDetailed } from 'node-cron';
import { inShort, messageOf, misuse, type ScratchpadError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { parseDuration, spellDuration } from '../../pad/freshness.ts';
import type { Clock } from '../../stages/clock.ts';
import { type ActiveHours, isActive, opensAt, readWithin, type WithinOptions } from './active-hours.ts';
import { type OpenedPad, type RunReport, runTrigger } from './run.ts';

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

/** When runs are due. */
export interface Timetable {
  /** The first run after a moment, in epoch milliseconds; `undefined` if there is none. */
  next(after: number): number | undefined;
  /** Whether a run is due immediately, before the first that `next` returns. */
  atOnce: boolean;
  /** For people. */
  about: string;
}

/** Hours to which runs are limited. */
export interface Within {
  hours: ActiveHours | undefined;
  clock: Clock;
}

const EVERY = '10m';

/** When to run, as it was typed. */
export interface Times extends WithinOptions {
  every?: string;
  cron?: string;
}

/**
 * The requested schedule, and the clock that it goes by.
 * @param now epoch milliseconds
 * @throws ScratchpadError `usage`
 */
export function timetableOf(
  { every, cron, ...hours }: Times,
  config: Pick<Config, 'timezone'>,
  now: number,
): { timetable: Timetable; clock: Clock } {
  if (every !== undefined && cron !== undefined)
    throw misuse('two schedules were given', { expected: '--every or --cron, not both' });
  const { zone, ...within } = readWithin(hours, config);
  const timetable =
    cron === undefined
      ? everySpan(parseDuration(every ?? EVERY, '--every'), now, within)
      : cronTimes(cron, zone, within);
  const words = [timetable.about, hours.activeHours && `within ${hours.activeHours}`, zone];
  return { timetable: { ...timetable, about: words.filter(Boolean).join(', ') }, clock: within.clock };
}

/** The next runs, in epoch milliseconds. */
export function upcoming(timetable: Timetable, now: number, most: number): number[] {
  const runs = timetable.atOnce ? [now] : [];
  for (let after: number | undefined = now; runs.length < most; ) {
    after = timetable.next(after);
    if (after === undefined) break;
    runs.push(after);
  }
  return runs;
}

/** Runs at equal intervals from `start`. */
export function everySpan(spanMs: number, start: number, { hours, clock }: Within): Timetable {
  return {
    about: `every ${spellDuration(spanMs)}`,
    atOnce: hours === undefined || isActive(hours, clock, start),
    next(after) {
      // Before the start: the clock was set back.
      const count = Math.max(1, Math.floor((after - start) / spanMs) + 1);
      const due = after < start ? after + spanMs : start + count * spanMs;
      return hours === undefined ? due : opensAt(hours, clock, due);
    },
  };
}

/** How many runs to look ahead: the last covers two days of an expression that matches every minute. */
const LOOKS = [1, 10, 100, 3000] as const;
/** node-cron logs to stdout unless it is given a logger. */
const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/**
 * Runs at the times of a cron expression of five fields; if both a day of the month and a weekday are given,
 * both must match.
 * @param zone IANA name; `undefined` for the system's zone
 * @throws ScratchpadError `usage` for an invalid expression, or one without a time within the hours
 */
export function cronTimes(expression: string, zone: string | undefined, { hours, clock }: Within): Timetable {
  check(expression);
  const upcoming = (count: number): number[] => upcomingRuns(expression, zone, count);
  const next = (after: number): number | undefined => {
    for (const count of LOOKS) {
      const found = upcoming(count).find(
        (at) => at > after && (hours === undefined || isActive(hours, clock, at)),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  };
  if (next(Date.now()) === undefined)
    throw unusable(expression, 'no such time exists, or none within the active hours');
  return { about: `at ${expression}`, atOnce: false, next };
}

function check(expression: string): void {
  const told = validateDetailed(expression);
  const fields = expression.trim().split(/\s+/).length;
  if (told.valid && (fields === 5 || expression.startsWith('@'))) return;
  const wrong = told.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw unusable(expression, wrong === '' ? `${fields} fields` : wrong);
}

function upcomingRuns(expression: string, zone: string | undefined, count: number): number[] {
  try {
    const task = createTask(expression, ignore, { logger: SILENT, timezone: zone });
    const runs = task.getNextRuns(count).map(Number);
    void task.destroy();
    return runs;
  } catch (error) {
    throw unusable(expression, messageOf(error));
  }
}

function ignore(): void {}

function unusable(expression: string, why: string): ScratchpadError {
  return misuse('--cron is not valid', {
    where: '--cron',
    expected: 'minute hour day month weekday, such as "*/10 7-22 * * *" or "0 9 * * MON-FRI"',
    found: `${expression} (${why})`,
  });
}
