import { join } from 'node:path';
import { tryList } from '../../base/fs/index.ts';
import { list, number, readOwn, record, text, writeCache } from '../../base/fs/own.ts';
import { runningIn } from './instance.ts';

/** One automatic run, for `status`. Nobody's words. */
export interface TriggerRun {
  /**
   * `watch`, `schedule`, an installed timer (`cron`, `systemd`, …), or the name that a script gives itself.
   */
  trigger: string;
  /** ISO 8601, UTC. */
  at: string;
  /** The result, or the error. */
  outcome: string;
  ms: number;
}

/** The runs of one trigger. */
export interface TriggerRecord {
  last: TriggerRun;
  lastFailure?: TriggerRun;
}

const OUTCOME_LENGTH = 600;
const FILE = /^trigger-.+\.json$/;

/** Whether a name is valid as part of a file name. */
export const isTriggerName = (text: string): boolean => /^[a-z][\w-]{0,40}$/i.test(text);

/**
 * Records a run beside the session's journal, in a file of its own per trigger, so that two triggers at once
 * lose nothing. Errors are ignored: they cost only a line in `status`.
 */
export function recordTrigger(dir: string, run: TriggerRun, failed: boolean): void {
  const path = join(dir, `trigger-${run.trigger}.json`);
  const last = { ...run, outcome: run.outcome.slice(0, OUTCOME_LENGTH) };
  const lastFailure = failed ? last : read(path)?.lastFailure;
  writeCache(path, { last, lastFailure });
}

/** All triggers that have run for a session, the most recent first. */
export function readTriggers(dir: string): TriggerRecord[] {
  return tryList(dir)
    .filter((name) => FILE.test(name))
    .flatMap((name) => read(join(dir, name)) ?? [])
    .sort((a, b) => (a.last.at < b.last.at ? 1 : -1));
}

const RUN = record({ trigger: text, at: text, outcome: text, ms: number });
const SHAPE = record({ last: RUN }, { lastFailure: RUN });

function read(path: string): TriggerRecord | undefined {
  return readOwn(path, 'cache', SHAPE);
}

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

const TIMERS = list(record({ kind: text, since: text, about: text, gapMs: number }, { program: list(text) }));

/** The timers that are installed for a session. */
export function installedTimers(dir: string): InstalledTimer[] {
  return (readOwn(fileIn(dir), 'cache', TIMERS) ?? []).map((timer) => ({ program: [], ...timer }));
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

/** Automatic assembly of a session: running processes, installed timers, results of the last runs. */
export function automationIn(dir: string, now: number) {
  const runs = readTriggers(dir);
  const failures = runs.flatMap(({ lastFailure }) => lastFailure ?? []);
  const timers = installedTimers(dir).map((timer) => {
    const last = runs.find((run) => run.last.trigger === timer.kind)?.last;
    return { ...timer, last: last?.at ?? null, silent: missedRuns(timer, last?.at, now) };
  });
  return {
    last: runs[0]?.last,
    lastFailure: failures.sort((a, b) => (a.at < b.at ? 1 : -1))[0],
    runs,
    timers,
    watch: runningIn(dir, 'watch'),
    schedule: runningIn(dir, 'schedule'),
  };
}
