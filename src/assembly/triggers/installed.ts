import { join } from 'node:path';
import { writeCache } from '../../base/fs/cache.ts';
import { list, number, readOwn, record, text } from '../../base/fs/own.ts';

/** A system timer that was installed for a session. */
export interface InstalledTimer {
  /** `cron` or `systemd`, or one of earlier versions: the name under which its runs are recorded. */
  kind: string;
  /** ISO 8601, UTC. */
  since: string;
  /** When it runs, for people. */
  about: string;
  /** The longest time between two runs, in milliseconds. */
  gapMs: number;
  /** Node and the program. */
  program: readonly string[];
}

const fileIn = (dir: string): string => join(dir, 'timers.json');

const SHAPE = list(record({ kind: text, since: text, about: text, gapMs: number }, { program: list(text) }));

/** The timers that are installed for a session. */
export function installedTimers(dir: string): InstalledTimer[] {
  return (readOwn(fileIn(dir), 'cache', SHAPE) ?? []).map((timer) => ({ program: [], ...timer }));
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

/** Missed runs before it is reported: a machine sleeps now and then. */
const MISSED = 3;
const SLACK_MS = 60_000;

/** Whether a timer has missed several runs since its last one, or since it was installed. */
export function missedRuns({ since, gapMs }: InstalledTimer, last: string | undefined, now: number): boolean {
  const from = Math.max(Date.parse(since), last === undefined ? 0 : Date.parse(last));
  return now - from > MISSED * gapMs + SLACK_MS;
}
