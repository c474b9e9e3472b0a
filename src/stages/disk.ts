import { getDiskStats } from '../base/fs/index.ts';
import { cachePath, list, number, readOwn, record, writeCache } from '../base/fs/json-shape.ts';
import { DAY_MS } from '../base/text/durations.ts';
import type { Alert, StageContext } from './stage.ts';

const DISK_HOURS = 6;
const GB = 1e9;
const RISING_FROM = 85;
const RISEN = 1;
const DAYS = 7;
const SAMPLE_EVERY_MS = DAY_MS / 24;
const MOST_SAMPLES = 48;

interface Sample {
  at: number;
  share: number;
}

const SAMPLES = record({ samples: list(record({ at: number, share: number })) });

/** The workspace's disk, if more of it is in use than is configured, or if it is filling up. */
export async function listDiskAlerts({ workspace, config, now }: StageContext): Promise<Alert[]> {
  const most = config.alerts.disk;
  const found = most === 0 ? undefined : await getDiskStats(workspace).catch(() => undefined);
  if (found === undefined) return [];

  const { bavail, bfree, blocks, bsize } = found.disk;
  // As `df` shows it: relative to the space for users, without the part reserved for root.
  const [used, left] = [(blocks - bfree) * bsize, Math.max(0, bavail * bsize)];
  const share = (100 * used) / (used + left);

  if (!Number.isFinite(share)) return [];

  const path = cachePath(workspace, 'disk.json');
  const before = readOwn(path, 'cache', SAMPLES)?.samples ?? [];
  const isRising = hasRisen({ at: now, share }, before);
  const last = before.at(-1);

  if (last === undefined || Math.abs(now - last.at) >= SAMPLE_EVERY_MS)
    writeCache(path, { samples: [...before, { at: now, share }].slice(-MOST_SAMPLES) });

  const from = isRising ? Math.min(most, RISING_FROM) : most;
  if (share < from) return [];

  const trend = isRising ? ' (rising, investigate)' : '';
  const text = `- Disk: ${Math.floor(share)} % of the disk is in use${trend}; ${(left / GB).toFixed(1)} GB left`;

  return [{ subject: 'disk in use', text, inHours: DISK_HOURS, why: `${from} % or more` }];
}

/** Whether more is in use than at the first sample of the last days. */
export function hasRisen({ at, share }: Sample, before: readonly Sample[]): boolean {
  const first = before.find((sample) => sample.at <= at && at - sample.at < DAYS * DAY_MS);
  return first !== undefined && share - first.share >= RISEN;
}
