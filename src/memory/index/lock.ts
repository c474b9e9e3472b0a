import { closeSync, openSync, readFileSync, statSync, unlinkSync, utimesSync, writeSync } from 'node:fs';

/** A lock older than this is of a writer that hangs, or whose process number is another's now. */
const STALE_AFTER = 10 * 60_000;

/**
 * Runs `work` while holding the lock file; gives undefined without running it when another writer holds the
 * lock. Losers skip: the winner writes the same thing. A lock left by a dead process is taken over. Should
 * two take over at once, both write: harmless, since every index file is whole and replaced by rename.
 */
export function withLock<T>(path: string, work: () => T): T | undefined {
  const lock = holdLock(path);
  try {
    return lock && work();
  } finally {
    lock?.release();
  }
}

/** A lock for work that waits in between. */
export interface HeldLock {
  /** Says that its holder is alive; to be called more often than every ten minutes. */
  renew(): void;
  release(): void;
}

/** Takes the lock; undefined when another has it. */
export function holdLock(path: string): HeldLock | undefined {
  if (!take(path) && !(isStale(path) && remove(path) && take(path))) return undefined;
  return {
    renew() {
      try {
        utimesSync(path, new Date(), new Date());
      } catch {
        // Taken away: two may write then, which is harmless.
      }
    },
    release: () => void remove(path),
  };
}

function take(path: string): boolean {
  try {
    const handle = openSync(path, 'wx', 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch {
    return false;
  }
}

function isStale(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_AFTER) return true;
    const pid = Number(readFileSync(path, 'utf8'));
    // Empty: its writer is between creating and filling it, or died there.
    if (!Number.isInteger(pid) || pid <= 0) return Date.now() - statSync(path).mtimeMs > 5000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
