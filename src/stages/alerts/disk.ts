import { resolve } from 'node:path';
import { cachePath, readCache, writeCache } from '../../base/fs/cache.ts';
import { lookAtDisk } from '../../base/fs/index.ts';
import { spellGap } from '../../base/text/counts.ts';
import { membersOf } from '../../base/text/json.ts';
import { quoted } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import type { Alert } from './alert.ts';

const HOUR_MS = 3_600_000;
/** Interval and retention of readings. */
const APART_MS = 10 * 60_000;
const KEPT_MS = 48 * HOUR_MS;
/** Growth below this share of the disk is noise. */
const RISING = 0.001;
/** Reported even without growth. */
const NEARLY_FULL = 0.97;

interface Reading {
  disk: string;
  /** Epoch milliseconds. */
  at: number;
  /** Bytes. */
  used: number;
}

/** Disks above the configured usage that are filling up, by readings from earlier assemblies. */
export async function diskAlerts(context: StageContext, problems: string[]): Promise<Alert[]> {
  const { workspace, now, config } = context;
  if (config.alerts.disk === 0) return [];
  const file = cachePath(workspace, 'disks.json');
  const kept = readKept(file).filter(({ at }) => at <= now && at > now - KEPT_MS);
  const alerts: Alert[] = [];
  const fresh: Reading[] = [];
  for (const path of config.alerts.disks) {
    try {
      const at = resolve(workspace, path);
      const {
        stats: { dev },
        disk: { blocks, bfree, bavail, bsize },
      } = await lookAtDisk(at);
      const disk = String(dev);
      if (fresh.some((reading) => reading.disk === disk)) continue;
      const used = (blocks - bfree) * bsize;
      // As `df` shows it: relative to the space for users, without the part reserved for root.
      const size = used + bavail * bsize;
      fresh.push({ disk, at: now, used });
      const alert = alertOf(
        { path, used, size, now },
        kept.filter((reading) => reading.disk === disk),
        config.alerts.disk,
      );
      if (alert) alerts.push(alert);
    } catch {
      problems.push(`disk of ${path}: cannot be checked`);
    }
  }
  const added = fresh.filter(({ disk }) => !kept.some((old) => old.disk === disk && now - old.at < APART_MS));
  if (added.length > 0) writeCache(file, [...kept, ...added]);
  return alerts;
}

function alertOf(
  { path, used, size, now }: { path: string; used: number; size: number; now: number },
  before: readonly Reading[],
  percent: number,
): Alert | undefined {
  const share = used / size;
  if (!(share * 100 >= percent)) return undefined;
  const oldest = before.find(({ at }) => now - at >= APART_MS);
  const grown = oldest === undefined ? 0 : used - oldest.used;
  const rising = oldest !== undefined && grown > size * RISING;
  if (!rising && share < NEARLY_FULL) return undefined;
  const left = Math.max(0, size - used);
  const hours = rising ? (left / grown) * ((now - oldest.at) / HOUR_MS) : Number.POSITIVE_INFINITY;
  const since = rising ? `, ${bytes(grown)} more than ${spellGap(now - oldest.at)} ago` : '';
  const until = hours < 14 * 24 ? `, full in about ${spellGap(hours * HOUR_MS)} at this pace` : '';
  const where = path === '.' ? 'disk' : `disk of ${quoted(path, 60)}`;
  return {
    subject: `disk ${path}`,
    text: `- Disk: ${Math.floor(share * 100)} % of the ${where} is in use${since}; ${bytes(left)} left${until}`,
    inHours: Math.min(Math.max(hours, 0), 6),
    why: rising
      ? `above ${percent} % and rising, ${before.length} earlier readings`
      : `above ${NEARLY_FULL * 100} %`,
  };
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
