import { messageOf } from '../base/errors.ts';
import { lookAtDisk } from '../base/fs/index.ts';
import { cachePath, mapOf, number, readOwn, record, writeCache } from '../base/fs/own.ts';
import { spellGap } from '../base/text/strings.ts';
import { usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { eventAlerts, morningBrief } from './calendar.ts';
import {
  type BuiltInStage,
  PRIORITY,
  type SectionLine,
  type StageContext,
  type StageLimit,
} from './stage.ts';
import { type Alert, byUrgency } from './tasks.ts';
import { saidBy } from './user.ts';

const AT_MOST = 3;
const SOON_HOURS = 2;
const TODAY_HOURS = 12;

/** Proactive Alerts: things that are due, full or neglected, most urgent first. */
export const alertsStage: BuiltInStage = {
  priority: PRIORITY.alertLater,
  async run(context, limit) {
    const problems: string[] = [];
    const [agenda, disks, said] = await Promise.all([
      context.agenda(),
      diskAlerts(context, problems),
      commandAlerts(context, limit, problems),
    ]);
    problems.unshift(...agenda.problems);
    const { dated: tasks } = context.tasks();
    const brief = morningBrief(context, agenda.appointments, tasks);
    const appointments = agenda.appointments.filter((each) => !brief?.appointments.includes(each));
    const open = tasks.filter((each) => !brief?.tasks.includes(each));
    const alerts = byUrgency([
      ...(brief ? [brief.alert] : []),
      ...eventAlerts(context, appointments),
      ...open.map(({ alert }) => alert),
      ...said,
      ...disks,
      ...fullSpaces(context),
    ]);
    if (alerts.length + problems.length === 0) return null;
    return { lines: alerts.slice(0, AT_MOST).map(lineOf), problems };
  },
};

function lineOf({ text, inHours, why, key, everyMs, covers, ofSpaces }: Alert): SectionLine {
  const priority =
    inHours <= SOON_HOURS
      ? PRIORITY.alertWithinHours
      : inHours <= TODAY_HOURS
        ? PRIORITY.alertToday
        : PRIORITY.alertLater;
  return {
    text,
    priority,
    why,
    ofSpaces,
    inject: key === undefined ? undefined : { key, text: text.slice(2), everyMs, covers },
  };
}

const MOST_LINES = 3;
/** Time reserved for the other alerts if a user's command takes as long as allowed. */
const RESERVE_MS = 150;
/** Somebody configured it on purpose, so it is as urgent as one that is due today. */
const IN_HOURS = 3;

/** The output of `alerts.commands`, one alert per line. A failing command loses only its own lines. */
async function commandAlerts(
  context: StageContext,
  { ms, signal }: StageLimit,
  problems: string[],
): Promise<Alert[]> {
  const { workspace, local, config } = context;
  const limit = { ms: Math.max(1, ms - RESERVE_MS), signal };
  const input = { scratchpad: 1, workspace, now: local.iso };
  const said = config.alerts.commands.map(async (spec): Promise<Alert[]> => {
    try {
      const { lines } = await saidBy(spec, input, context, limit);
      return lines.slice(0, MOST_LINES).map((text) => {
        const why = `said by the command of ${spec.key}`;
        return { subject: text, text, inHours: IN_HOURS, why, key: `alert:${spec.key}:${text}` };
      });
    } catch (error) {
      problems.push(`${spec.key}: ${messageOf(error)}`);
      return [];
    }
  });
  return (await Promise.all(said)).flat();
}

const NEARLY_FULL = 0.9;

/** Spaces that will soon refuse additions. */
function fullSpaces({ spaces, config }: StageContext): Alert[] {
  return SPACE_NAMES.flatMap((space) => {
    const { used, limit, unit } = usageOf(space, spaces[space], config.limits);
    if (used < limit * NEARLY_FULL) return [];
    return {
      subject: `scratchpad ${space}`,
      text: `- Scratchpad: ${space} holds ${used} of ${limit} ${unit}`,
      inHours: 12,
      why: `at ${NEARLY_FULL * 100} % or more`,
      ofSpaces: true,
    };
  });
}

/** A disk is compared with a reading of it that is up to a day old. */
const KEPT_MS = 24 * 3_600_000;
/** Growth below this share of the disk is noise. */
const RISING = 0.001;
/** Reported even without growth. */
const DISK_NEARLY_FULL = 0.97;
const DISK_HOURS = 6;

/** By device: epoch milliseconds, and bytes. */
const READINGS = mapOf(record({ at: number, used: number }));

/** The workspace's disk, if it is above the configured usage and filling up, by readings from earlier assemblies. */
async function diskAlerts(
  { workspace, now, config: { alerts: settings } }: StageContext,
  problems: string[],
): Promise<Alert[]> {
  if (settings.disk === 0) return [];
  const found = await lookAtDisk(workspace).catch(() => undefined);
  if (found === undefined) {
    problems.push('the disk cannot be checked');
    return [];
  }
  const { bavail, bfree, blocks, bsize } = found.disk;
  const used = (blocks - bfree) * bsize;
  // As `df` shows it: relative to the space for users, without the part reserved for root.
  const left = Math.max(0, bavail * bsize);
  const file = cachePath(workspace, 'disk.json');
  const disk = String(found.stats.dev);
  const before = readOwn(file, 'cache', READINGS)?.[disk];
  const age = now - (before?.at ?? now);
  if (before === undefined || age < 0 || age >= KEPT_MS) writeCache(file, { [disk]: { at: now, used } });
  const share = used / (used + left);
  const grown = before && age >= 0 ? used - before.used : 0;
  const isRising = grown > (used + left) * RISING;
  if (!(share * 100 >= settings.disk) || (!isRising && share < DISK_NEARLY_FULL)) return [];
  const since = isRising ? `, ${bytes(grown)} more than ${spellGap(age)} ago` : '';
  return [
    {
      subject: 'disk .',
      text: `- Disk: ${Math.floor(share * 100)} % of the disk is in use${since}; ${bytes(left)} left`,
      inHours: DISK_HOURS,
      why: isRising ? `above ${settings.disk} % and rising` : `above ${DISK_NEARLY_FULL * 100} %`,
    },
  ];
}

/** `3.2 GB`, as disks are sold. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** unit;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
