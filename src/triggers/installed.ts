import { join } from 'node:path';
import { readCache, writeCache } from '../fs/cache.ts';

/** A timer of the system that was installed for a session. */
export interface InstalledTimer {
  /** `cron`, `systemd`, `launchd`, `openclaw-automation`: what its runs are noted under. */
  kind: string;
  /** ISO 8601, UTC. */
  since: string;
  /** When it runs, for people. */
  about: string;
  /** The longest time between two runs. Milliseconds. */
  gapMs: number;
  /** Node and the program that it starts. */
  program: readonly string[];
}

const fileIn = (dir: string): string => join(dir, 'timers.json');

/** The timers that were installed for a session and not taken back. */
export function installedTimers(dir: string): InstalledTimer[] {
  const found = readCache(fileIn(dir));
  if (!Array.isArray(found)) return [];
  return found.filter((each: Partial<InstalledTimer> | null) => typeof each?.kind === 'string');
}

export function noteInstalled(dir: string, timer: InstalledTimer): void {
  const others = installedTimers(dir).filter(({ kind }) => kind !== timer.kind);
  writeCache(fileIn(dir), [...others, timer]);
}

export function forgetInstalled(dir: string, name: string): void {
  writeCache(
    fileIn(dir),
    installedTimers(dir).filter(({ kind }) => kind !== name),
  );
}

/** Runs missed before it is said: a machine sleeps now and then. */
const MISSED = 3;
const SLACK_MS = 60_000;

/** A timer is silent when it has missed several runs since its last one, or since it was installed. */
export function isSilent({ since, gapMs }: InstalledTimer, last: string | undefined, now: number): boolean {
  const from = Math.max(Date.parse(since), last === undefined ? 0 : Date.parse(last));
  return now - from > MISSED * gapMs + SLACK_MS;
}
