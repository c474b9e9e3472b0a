import { linkSync, lutimesSync, readlinkSync, renameSync } from 'node:fs';
import { attempt, failure, hasCode, type ScratchpadError } from '../errors.ts';
import { remove, tryRemove } from './folders.ts';
import { guardPath, toIoError } from './guard.ts';
import { isProcessGone, readProcessStat } from './process.ts';
import { readText, tryReadText } from './read.ts';
import { tryStat } from './system.ts';
import { writeNew } from './write.ts';

export interface ProcessId {
  pid: number;
  /** Start time of the process in clock ticks since boot, if the system tells: pids are reused. */
  start: string;
  host: string;
}

/**
 * A lock file that names its holder. It appears complete in one step (a hard link to a finished file),
 * belongs to one process, and is taken over at once if that process is dead, so that a kill does not delay
 * the next command. proper-lockfile does not fit: it waits for a fixed timeout, and can remove a lock that
 * somebody else has just taken over.
 */
interface Holder extends ProcessId {
  nonce: string;
  /** What the lock is held for. */
  label?: string | undefined;
}

const WAIT_LIMIT_MS = 30_000;
const PATIENCE_MS = 1500;
/** Age at which a lock of another host counts as left behind: nobody can ask whether its holder is alive. */
const FOREIGN_STALE_MS = 60_000;
const TAKEOVER_DEPTH = 3;
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];

export interface Lock {
  /** The previous holder died, and may have left changes half done. */
  tookOver: boolean;
  isHeld(): boolean;
  /**
   * Call this right before a change becomes durable: another host may have taken a process that was suspended for dead.
   * @throws ScratchpadError `environment` if somebody else holds the lock now
   */
  check(): void;
}

export interface HeldLock extends Lock {
  /** Gives a sign of life to other hosts, for work that takes over a minute. */
  renew: () => void;
  release: () => void;
}

/** @throws ScratchpadError `environment` if the lock cannot be acquired within `waitMs`, or at all */
export async function withLock<T>(
  path: string,
  work: (lock: Lock) => Promise<T> | T,
  waitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const lock = await acquireLock(path, waitMs);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/** @throws ScratchpadError `environment` if it cannot be created */
export function tryLock(path: string, label?: string): HeldLock | undefined {
  try {
    return tryAcquire(path, TAKEOVER_DEPTH, label);
  } catch (error) {
    throw toIoError(error, 'cannot create the file', path);
  }
}

export function readHolderPid(path: string): number | undefined {
  const holder = readHolder(path);
  return holder && isAlive(holder, path) ? holder.pid : undefined;
}

/** What a lock is held for; `undefined` if nobody holds it, or its holder did not say. */
export const readLockLabel = (path: string): string | undefined => readHolder(path)?.label;

/** @throws ScratchpadError `environment` if it cannot be acquired within `waitMs`, or at all */
export async function acquireLock(path: string, waitMs: number, label?: string): Promise<HeldLock> {
  // A wall clock that is set back would prolong the wait; loading `performance` makes each start a millisecond slower.
  const start = process.uptime();
  for (let round = 0; ; round += 1) {
    // Reading the lock costs a crowd of waiters less than creating one.
    const isTaken = round > 0 && readHolderPid(path) !== undefined;
    const lock = isTaken ? undefined : tryLock(path, label);
    if (lock) return lock;

    const waitedMs = (process.uptime() - start) * 1000;
    if (waitedMs >= waitMs) throw lockTimeout(path, waitMs);

    // Who has waited for long tries more often, so that nobody in a crowd waits forever.
    const pause = waitedMs < PATIENCE_MS ? Math.min(1.6 ** round, 25) : 2;
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** @param depth how many locks of dead holders, each on the one before, to take over */
function tryAcquire(path: string, depth: number, label?: string): HeldLock | undefined {
  const nonce = `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  const me = { ...identifyProcess(), nonce, label };
  const draft = `${path}.${nonce}`;

  try {
    writeNew(draft, JSON.stringify(me));
    try {
      linkSync(draft, path);
    } catch (error) {
      // The draft was swept as a leftover: just try again.
      if (hasCode(error, 'ENOENT')) return undefined;

      const hasNoLinks = hasCode(error, ...NO_HARD_LINKS);
      if (!hasNoLinks && !hasCode(error, 'EEXIST')) throw error;
      // Without hard links a reader may see the lock empty for a moment, and then waits.
      if (!hasNoLinks || !createLockFile(path, me)) return takeOver(path, draft, me, depth);
    }

    return makeHeldLock(path, me, false);
  } finally {
    tryRemove(draft);
  }
}

/** @returns false if the lock exists */
function createLockFile(path: string, me: Holder): boolean {
  try {
    writeNew(path, JSON.stringify(me));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Replaces the lock of a dead holder. Only the process that holds a second lock, named by the nonce of the dead one, may do so,
 * and only if the lock is still the same: of two processes that see the same dead holder, at most one wins.
 */
function takeOver(path: string, draft: string, me: Holder, depth: number): HeldLock | undefined {
  const holder = readHolder(path);
  if (holder === undefined || depth === 0 || isAlive(holder, path)) return undefined;

  const guardLock = tryAcquire(`${path}.over-${holder.nonce}`, depth - 1);
  if (!guardLock) return undefined;

  try {
    if (readHolder(path)?.nonce !== holder.nonce) return undefined;
    renameSync(draft, path);
    return makeHeldLock(path, me, true);
  } finally {
    guardLock.release();
  }
}

function makeHeldLock(path: string, me: Holder, tookOver: boolean): HeldLock {
  const isHeld = (): boolean => readHolder(path)?.nonce === me.nonce;
  return {
    tookOver,
    isHeld,
    check: () => {
      if (isHeld()) return;
      throw failure('the lock was lost to another process: nothing was changed', {
        where: path,
        expected: 'to hold it until the change is done',
        found: 'this process was suspended for so long that it was considered dead',
        next: 'run the command again',
      });
    },
    // The work counts even if these fail.
    renew: () => void attempt(() => lutimesSync(guardPath(path).path, new Date(), new Date())),
    release: () => void attempt(() => isHeld() && remove(path)),
  };
}

function readHolder(path: string): Holder | undefined {
  const text = readText(path, 'lock');
  if (text === undefined) return undefined;

  const { pid, start, host, nonce, label } =
    attempt(() => ({ ...(JSON.parse(text) as Partial<Holder>) })) ?? {};

  if (typeof pid === 'number' && typeof nonce === 'string' && /^[\w-]+$/.test(nonce))
    return { pid, start: String(start), host: String(host), nonce, label };

  // No lock of ours: it counts as that of another host, which its age decides.
  return { pid: 0, start: '', host: '', nonce: 'unreadable' };
}

function isAlive(holder: Holder, path: string): boolean {
  const isRunning = isProcessAlive(holder);
  if (isRunning !== undefined) return isRunning;

  // A time in the future, after the clock was set back, is no sign of life.
  const ageMs = Date.now() - (tryStat(path)?.mtimeMs ?? 0);
  return Math.abs(ageMs) < FOREIGN_STALE_MS;
}

/** Whether a process runs; `undefined` where that cannot be known, on another machine. */
export function isProcessAlive({ pid, start, host }: ProcessId): boolean | undefined {
  if (host !== readHostName()) return undefined;
  if (isProcessGone(pid)) return false;

  // The pid may belong to a later process.
  const current = readProcessStat(pid).start;
  return current === '' || start === '' || current === start;
}

let cachedHostName: string | undefined;

/** Host name and, if there is one, the process namespace: pids of another sandbox mean nothing here. */
function readHostName(): string {
  const { HOSTNAME, COMPUTERNAME } = process.env;
  cachedHostName ??= [
    tryReadText('/proc/sys/kernel/hostname', 'system')?.trim() ?? HOSTNAME ?? COMPUTERNAME ?? 'local',
    ...(attempt(() => [readlinkSync('/proc/self/ns/pid')]) ?? []),
  ].join(' ');
  return cachedHostName;
}

export const identifyProcess = (pid = process.pid): ProcessId => ({
  pid,
  start: readProcessStat(pid).start,
  host: readHostName(),
});

function lockTimeout(path: string, waitMs: number): ScratchpadError {
  const holder = readHolder(path);
  return failure(`another process has held the scratchpad for ${waitMs / 1000} s`, {
    where: path,
    expected: 'a lock that becomes free within that time',
    found: holder
      ? `held by process ${holder.pid} on ${holder.host || 'an unknown host'}`
      : 'released just now',
    next: 'try again; if that process hangs, end it: its lock is then taken over',
  });
}
