import { createTask, type ScheduledTask } from 'node-cron';
import { getMessage, usageError } from '../../base/errors.ts';
import { DAY_MS, formatDuration, HOUR_MS, parseDuration } from '../../base/text/durations.ts';

export interface Times {
  every?: string;
  cron?: string;
}

const DEFAULT_INTERVAL = '10m';

const UNITS = [
  { ms: 60_000, most: 60, fields: 'STEP * * * *' },
  { ms: HOUR_MS, most: 24, fields: '0 STEP * * *' },
];

/** The times of an interval in the five fields of cron, which can only divide the hour or the day. */
function toCron(every: string, ms: number): string {
  if (ms === DAY_MS) return '0 0 * * *';

  const unit = UNITS.find((each) => ms % each.ms === 0 && ms < each.ms * each.most);
  const step = ms / (unit?.ms ?? ms);
  if (unit && unit.most % step === 0) return unit.fields.replace('STEP', step === 1 ? '*' : `*/${step}`);

  throw usageError('--every is not valid', {
    where: '--every',
    expected: '1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h',
    found: every,
  });
}

/** Five fields of cron, in a zone; `undefined` for that of the system. */
interface Schedule {
  cron: string;
  /** IANA name. */
  zone: string | undefined;
}

export interface Timetable extends Schedule {
  /** Whether the first run is at the start. */
  atOnce: boolean;
  /** A description for people. */
  about: string;
}

/**
 * The requested times.
 * @throws ScratchpadError `usage` for two schedules, one that is none, or an interval that does not divide the day
 */
export function parseTimetable({ every, cron }: Times, zone?: string): Timetable {
  if (every !== undefined && cron !== undefined)
    throw usageError('two schedules were given', { expected: '--every or --cron, not both' });

  if (cron !== undefined) {
    checkCron(cron, zone);
    return { cron, zone, atOnce: false, about: appendZone(`at ${cron}`, zone) };
  }

  const interval = every ?? DEFAULT_INTERVAL;
  const ms = parseDuration(interval, '--every');
  const about = appendZone(`every ${formatDuration(ms)}`, zone);
  return { cron: toCron(interval, ms), zone, atOnce: true, about };
}

const appendZone = (text: string, zone = ''): string => (zone === '' ? text : `${text}, ${zone}`);

/** node-cron logs to stdout unless it is given a logger. */
const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** A task that runs by a schedule once it is started; what it missed is made up for by one run. */
export function openTask({ cron, zone }: Schedule, run: () => void): ScheduledTask {
  const options = { noOverlap: true, missedExecutionTolerance: Number.POSITIVE_INFINITY };
  return createTask(cron, run, { ...options, logger: SILENT, timezone: zone });
}

/** @throws ScratchpadError `usage` unless it has five fields and a time */
function checkCron(cron: string, zone: string | undefined): void {
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
