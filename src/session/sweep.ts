import { dirname, join } from 'node:path';
import {
  DATA_DIR,
  PAD_FILE,
  processIsGone,
  sweepTemporary,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import type { SessionPaths } from './workspace.ts';

const EVERY_MS = 12 * 3_600_000;
/** How many sessions one sweep checks; a foreign workspace may have any number. */
const MOST_SESSIONS = 500;
/** Data folders in which files are replaced. */
const FOLDERS = [
  '',
  'archive',
  'cache',
  'conflicts',
  'hosts',
  'index',
  'install',
  'recovered',
  'sessions',
  'snapshots',
];

/**
 * Removes leftovers of killed processes, twice a day. Only the holder of a session's lock may call it.
 * @param now epoch milliseconds
 */
export function sweepIfDue(paths: SessionPaths, now: number): void {
  const mark = join(paths.data, 'cache', 'swept');
  const last = tryStat(mark)?.mtimeMs ?? 0;
  if (Math.abs(now - last) < EVERY_MS) return;
  for (const folder of FOLDERS) sweepTemporary(join(paths.data, folder));
  for (const name of tryList(paths.sessions).slice(0, MOST_SESSIONS)) {
    sweepTemporary(join(paths.sessions, name));
    sweepTemporary(join(paths.sessions, name, 'entries'));
  }
  sweepSession(paths);
  try {
    if (tryStat(dirname(mark))) writeAtomically(mark, '', { durable: false });
  } catch {
    // The next change sweeps again.
  }
}

/**
 * Removes leftovers of a killed process beside a session's pad and in its directory: drafts of these files, which
 * only the holder of the lock writes, and guards of a lock that no longer exists.
 */
export function sweepSession(paths: SessionPaths): void {
  for (const folder of new Set([dirname(paths.pad), paths.dir]))
    sweepTemporary(folder, (target) => [PAD_FILE, DATA_DIR, 'journal.jsonl'].includes(target));
  for (const name of tryList(paths.dir)) {
    const pid = /^lock\.(?:over-)?(\d+)-[\w-]+/.exec(name)?.[1];
    if (pid !== undefined && processIsGone(Number(pid))) tryRemove(join(paths.dir, name));
  }
}
