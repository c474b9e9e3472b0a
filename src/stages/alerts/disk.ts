import { lookAtDisk } from '../../base/fs/index.ts';
import { cachePath, mapOf, number, readOwn, record, writeCache } from '../../base/fs/own.ts';
import { spellGap } from '../../base/text/strings.ts';
import type { StageContext } from '../stage.ts';
import type { Alert } from './alert.ts';

/** A disk is compared with a reading of it that is up to a day old. */
const KEPT_MS = 24 * 3_600_000;
/** Growth below this share of the disk is noise. */
const RISING = 0.001;
/** Reported even without growth. */
const NEARLY_FULL = 0.97;
const IN_HOURS = 6;

/** By device: epoch milliseconds, and bytes. */
const READINGS = mapOf(record({ at: number, used: number }));

/** The workspace's disk, if it is above the configured usage and filling up, by readings from earlier assemblies. */
export async function diskAlerts(
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
  if (!(share * 100 >= settings.disk) || (!isRising && share < NEARLY_FULL)) return [];
  const since = isRising ? `, ${bytes(grown)} more than ${spellGap(age)} ago` : '';
  return [
    {
      subject: 'disk .',
      text: `- Disk: ${Math.floor(share * 100)} % of the disk is in use${since}; ${bytes(left)} left`,
      inHours: IN_HOURS,
      why: isRising ? `above ${settings.disk} % and rising` : `above ${NEARLY_FULL * 100} %`,
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
