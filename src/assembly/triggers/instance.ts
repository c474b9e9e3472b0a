import { dirname, join } from 'node:path';
import { refused } from '../../base/errors.ts';
import { ensureFolder, type Held, holderOf, tryLock } from '../../base/fs/index.ts';
import { readCache, writeCache } from '../../base/fs/own.ts';
import { membersOf } from '../../base/text/json.ts';

/** A long-running trigger: one of each kind per session. */
export type Resident = 'watch' | 'schedule';

/** The state that a running trigger reports. */
export interface Running {
  pid: number;
  /** ISO 8601, UTC. */
  since: string;
  /** What it is waiting for, for people. */
  about: string;
}

export interface Instance extends Held {
  /** Updates what it is waiting for. */
  tell(about: string): void;
  /** Releases the instance and removes its state. */
  end(): void;
}

/** Well within the minute after which another host considers a silent holder dead. */
const SIGN_OF_LIFE_MS = 20_000;

const lockIn = (dir: string, kind: Resident): string => join(dir, `${kind}.lock`);
const tellsIn = (dir: string, kind: Resident): string => join(dir, `${kind}.json`);

/**
 * Becomes the only trigger of this kind for a session.
 * @param dir the session's directory
 * @throws ScratchpadError `refused` while another one is running
 */
export function becomeInstance(dir: string, kind: Resident, about: string): Instance {
  const path = lockIn(dir, kind);
  ensureFolder(dirname(path));
  const lock = tryLock(path);
  if (!lock) {
    const other = runningIn(dir, kind);
    const told = other ? `process ${other.pid}, since ${other.since}` : 'another process';
    throw refused(`scratchpad ${kind} is already running here`, {
      where: path,
      expected: 'one per session of a workspace',
      found: told,
      next: other ? `use that one, or end it: kill ${other.pid}` : 'try again',
    });
  }
  const since = new Date().toISOString();
  const tell = (words: string): void =>
    writeCache(tellsIn(dir, kind), { pid: process.pid, since, about: words });
  tell(about);
  // If it fails, the check before the next run reports the reason.
  const sign = setInterval(lock.renew, SIGN_OF_LIFE_MS).unref();
  return {
    ...lock,
    tell,
    end() {
      clearInterval(sign);
      lock.release();
    },
  };
}

/** The trigger of this kind that is running for a session. */
export function runningIn(dir: string, kind: Resident): Running | undefined {
  const pid = holderOf(lockIn(dir, kind));
  if (pid === undefined) return undefined;
  const told = membersOf(readCache(tellsIn(dir, kind)));
  const { since = 'just now', about = '' } = told.pid === pid ? told : {};
  return { pid, since: String(since), about: String(about) };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first signal that asks the process to end, and if requested when stdin ends, which means that
 * the parent has ended. A second signal ends the process as usual.
 */
export function abortOnSignals(withStdin: boolean): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => controller.abort(name);
  for (const name of SIGNALS) process.once(name, onSignal);
  const onEnd = (): void => controller.abort('stdin has ended');
  if (withStdin) {
    process.stdin.on('end', onEnd).on('error', onEnd).on('close', onEnd);
    process.stdin.resume();
  }
  return {
    signal: controller.signal,
    stop() {
      for (const name of SIGNALS) process.off(name, onSignal);
      if (withStdin) process.stdin.destroy();
    },
  };
}
