import { createTask, type ScheduledTask } from 'node-cron';
import { getMessage, usageError } from '../../base/errors.ts';
import { DAY_MS, HOUR_MS } from '../../base/text/strings.ts';
import { parseDuration } from '../../pad/freshness.ts';

export interface Times {
  every?: string;
  cron?: string;
}

export const EVERY = '10m';

/** An interval that divides the hour or the day, as the calendar needs. */
export interface Interval {
  every: number;
  unit: 'minutes' | 'hours';
  ms: number;
}

const UNITS = [
  { unit: 'minutes', ms: 60_000, most: 60 },
  { unit: 'hours', ms: HOUR_MS, most: 24 },
] as const;

/** @throws ScratchpadError `usage` for an interval that divides none of them */
export function parseInterval(text = EVERY): Interval {
  const ms = parseDuration(text, '--every');
  const fits = UNITS.find((unit) => ms % unit.ms === 0 && ms < unit.ms * unit.most);
  if (ms === DAY_MS) return { every: 24, unit: 'hours', ms };
  if (fits && fits.most % (ms / fits.ms) === 0) return { every: ms / fits.ms, unit: fits.unit, ms };

  throw usageError('--every is not valid', {
    where: '--every',
    expected: '1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h',
    found: text,
  });
}

/** The times of an interval in the five fields of cron. */
export function toCron({ every, unit }: Interval): string {
  const step = every === 1 ? '*' : `*/${every}`;
  if (unit === 'hours') return every === 24 ? '0 0 * * *' : `0 ${step} * * *`;
  return `${step} * * * *`;
}

/** Five fields of cron, in a zone; `undefined` for that of the system. */
export interface Schedule {
  cron: string;
  /** IANA name. */
  zone: string | undefined;
}

/** node-cron logs to stdout unless it is given a logger. */
const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** A task that runs by a schedule once it is started; what it missed is made up for by one run. */
export function openTask({ cron, zone }: Schedule, run: () => void): ScheduledTask {
  const options = { noOverlap: true, missedExecutionTolerance: Number.POSITIVE_INFINITY };
  return createTask(cron, run, { ...options, logger: SILENT, timezone: zone });
}

/** @throws ScratchpadError `usage` unless it has five fields and a time */
export function checkCron(cron: string, zone?: string): void {
  try {
    const task = openTask({ cron, zone }, ignore);
    task.getNextRuns(1);
    void task.destroy();
    const fields = cron.trim().split(/\s+/).length;
    if (fields !== 5 && !cron.startsWith('@')) throw new Error(`${fields} fields`);
  } catch (error) {
    throw usageError('--cron is not valid', {
      where: '--cron',
      expected: 'minute hour day month weekday, such as "*/10 7-22 * * *" or "0 9 * * MON-FRI"',
      found: `${cron} (${getMessage(error)})`,
    });
  }
}

function ignore(): void {}
