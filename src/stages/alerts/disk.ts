import { resolve } from 'node:path';
import { cachePath, readCache, writeCache } from '../../base/fs/cache.ts';
import { lookAtDisk } from '../../base/fs/index.ts';
import { spellGap } from '../../base/text/counts.ts';
import { membersOf } from '../../base/text/json.ts';
import { quoted } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import type { Alert } from './alert.ts';

const HOUR_MS = 3_600_000;
/** A reading is compared with those that are at least so old, and kept for two days. */
const APART_MS = HOUR_MS / 6;
const KEPT_MS = 48 * HOUR_MS;
/** Growth below this share of the disk is noise. */
const RISING = 0.001;
/** Reported even without growth. */
const NEARLY_FULL = 0.97;
const IN_HOURS = 6;

interface Reading {
  disk: string;
  /** Epoch milliseconds. */
  at: number;
  /** Bytes. */
  used: number;
}

/** Disks above the configured usage that are filling up, by readings from earlier assemblies. */
export async function diskAlerts(
  { workspace, now, config: { alerts: settings } }: StageContext,
  problems: string[],
): Promise<Alert[]> {
  if (settings.disk === 0) return [];
  const file = cachePath(workspace, 'disks.json');
  const kept = readKept(file).filter(({ at }) => at <= now && at > now - KEPT_MS);
  const alerts: Alert[] = [];
  const fresh: Reading[] = [];
  for (const path of settings.disks) {
    try {
      const { stats, disk: found } = await lookAtDisk(resolve(workspace, path));
      const disk = String(stats.dev);
      if (fresh.some((reading) => reading.disk === disk)) continue;
      const used = (found.blocks - found.bfree) * found.bsize;
      // As `df` shows it: relative to the space for users, without the part reserved for root.
      const left = Math.max(0, found.bavail * found.bsize);
      fresh.push({ disk, at: now, used });
      const share = used / (used + left);
      const before = kept.find((old) => old.disk === disk && now - old.at >= APART_MS);
      const grown = before === undefined ? 0 : used - before.used;
      const isRising = before !== undefined && grown > (used + left) * RISING;
      if (!(share * 100 >= settings.disk) || (!isRising && share < NEARLY_FULL)) continue;
      const where = path === '.' ? 'disk' : `disk of ${quoted(path, 60)}`;
      const since = isRising ? `, ${bytes(grown)} more than ${spellGap(now - before.at)} ago` : '';
      alerts.push({
        subject: `disk ${path}`,
        text: `- Disk: ${Math.floor(share * 100)} % of the ${where} is in use${since}; ${bytes(left)} left`,
        inHours: IN_HOURS,
        why: isRising ? `above ${settings.disk} % and rising` : `above ${NEARLY_FULL * 100} %`,
      });
    } catch {
      problems.push(`disk of ${path}: cannot be checked`);
    }
  }
  const added = fresh.filter(({ disk }) => !kept.some((old) => old.disk === disk && now - old.at < APART_MS));
  if (added.length > 0) writeCache(file, [...kept, ...added]);
  return alerts;
}

/** `3.2 GB`, as disks are sold. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function readKept(file: string): Reading[] {
  const kept = readCache(file);
  return Array.isArray(kept) ? kept.filter(isReading) : [];
}

function isReading(value: unknown): value is Reading {
  const { disk, at, used } = membersOf(value);
  return typeof disk === 'string' && Number.isFinite(at) && Number.isFinite(used);
}
