import { setTimeout } from 'node:timers/promises';
import { createTask, validateDetailed } from 'node-cron';
import { inShort, messageOf, misuse, type ScratchpadError } from '../../base/errors.ts';
import type { Config } from '../../config/settings.ts';
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
    const [due] = timetable.runs(time.now(), 1);
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
  /** The next runs after a moment, in epoch milliseconds, at most this many. */
  runs(after: number, most: number): number[];
  /** Whether a run is due immediately, before these. */
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
  if (cron !== undefined && hours.activeHours !== undefined)
    throw misuse('--active-hours is not valid with --cron, which names its hours itself', { found: cron });
  const { zone, ...within } = readWithin(hours, config);
  const timetable =
    cron === undefined
      ? everySpan(parseDuration(every ?? EVERY, '--every'), now, within)
      : cronTimes(cron, zone);
  const words = [timetable.about, hours.activeHours && `within ${hours.activeHours}`, zone];
  return { timetable: { ...timetable, about: words.filter(Boolean).join(', ') }, clock: within.clock };
}

/** Runs at equal intervals from `start`. */
export function everySpan(spanMs: number, start: number, { hours, clock }: Within): Timetable {
  const next = (after: number): number => {
    // Before the start: the clock was set back.
    const count = Math.max(1, Math.floor((after - start) / spanMs) + 1);
    const due = after < start ? after + spanMs : start + count * spanMs;
    return hours === undefined ? due : opensAt(hours, clock, due);
  };
  return {
    about: `every ${spellDuration(spanMs)}`,
    atOnce: hours === undefined || isActive(hours, clock, start),
    runs(after, most) {
      const found = [next(after)];
      while (found.length < most) found.push(next(found.at(-1) ?? after));
      return found;
    },
  };
}

/** node-cron logs to stdout unless it is given a logger. */
const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/**
 * Runs at the times of a cron expression of five fields; if both a day of the month and a weekday are given, both must
 * match.
 * @param zone IANA name; `undefined` for the system's zone
 * @throws ScratchpadError `usage` for an invalid expression
 */
export function cronTimes(expression: string, zone: string | undefined): Timetable {
  const runs = (_after: number, most: number): number[] => upcoming(expression, zone, most);
  if (runs(0, 1).length === 0) throw unusable(expression, 'no such time exists');
  return { about: `at ${expression}`, atOnce: false, runs };
}

function upcoming(expression: string, zone: string | undefined, count: number): number[] {
  const told = validateDetailed(expression);
  const fields = expression.trim().split(/\s+/).length;
  if (!told.valid || (fields !== 5 && !expression.startsWith('@'))) {
    const wrong = told.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    throw unusable(expression, wrong === '' ? `${fields} fields` : wrong);
  }
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
