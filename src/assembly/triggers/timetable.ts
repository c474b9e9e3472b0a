import { createTask, validateDetailed } from 'node-cron';
import { messageOf, misuse, type ScratchpadError } from '../../base/errors.ts';
import { spellDuration } from '../../pad/freshness.ts';
import type { Clock } from '../../stages/clock.ts';
import { type ActiveHours, isActive, opensAt } from './active-hours.ts';

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

/** Covers a year of weekly runs. */
const GAPS = 60;

/**
 * The longest time between two runs of an expression, in milliseconds.
 * @throws ScratchpadError `usage` for an invalid expression
 */
export function longestGap(expression: string, zone: string | undefined): number {
  check(expression);
  const runs = upcomingRuns(expression, zone, GAPS);
  return runs.reduce((longest, at, k) => Math.max(longest, at - (runs[k - 1] ?? at)), 0);
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
