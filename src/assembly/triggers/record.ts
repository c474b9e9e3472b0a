import { dirname, join } from 'node:path';
import { inShort, refused } from '../../base/errors.ts';
import { ensureFolder, type Held, holderOf, tryList, tryLock } from '../../base/fs/index.ts';
import { list, number, readOwn, record, text, writeCache } from '../../base/fs/own.ts';

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
interface TriggerRecord {
  last: TriggerRun;
  lastFailure?: TriggerRun;
}

const OUTCOME_LENGTH = 600;
const FILE = /^trigger-.+\.json$/;

/** Whether a name is valid as part of a file name. */
export const isTriggerName = (text: string): boolean => /^[a-z][\w-]{0,40}$/i.test(text);

/** What a trigger's work has to say: its outcome in a few words, and problems a person should know of. */
export interface Worked {
  outcome: string;
  problems: readonly string[];
}

/**
 * Does the work of a trigger, and records its outcome beside the session's journal, in a file of its own per trigger,
 * so that two triggers at once lose nothing.
 * @returns what the work returns, and how many milliseconds it took
 * @throws what the work throws, which is recorded too
 */
export async function recorded<Report extends Worked>(
  dir: string,
  trigger: string,
  work: () => Promise<Report>,
): Promise<Report & { ms: number }> {
  const from = performance.now();
  const at = new Date().toISOString();
  const path = join(dir, `trigger-${trigger}.json`);
  const keep = (told: string, failed: boolean): number => {
    const ms = Math.round(performance.now() - from);
    const last = { trigger, at, outcome: told.slice(0, OUTCOME_LENGTH), ms };
    writeCache(path, { last, lastFailure: failed ? last : read(path)?.lastFailure });
    return ms;
  };
  try {
    const report = await work();
    const { outcome, problems } = report;
    return { ...report, ms: keep([outcome, ...problems].join('; '), problems.length > 0) };
  } catch (error) {
    keep(inShort(error), true);
    throw error;
  }
}

/** All triggers that have run for a session, the most recent first. */
function readTriggers(dir: string): TriggerRecord[] {
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
function installedTimers(dir: string): InstalledTimer[] {
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

/** Automatic assembly of a session: pids of running triggers, installed timers, results of the last runs. */
export function automationIn(dir: string, now: number) {
  const runs = readTriggers(dir);
  const failures = runs.flatMap(({ lastFailure }) => lastFailure ?? []);
  const timers = installedTimers(dir).map((timer) => {
    const last = runs.find((run) => run.last.trigger === timer.kind)?.last;
    const from = Math.max(Date.parse(timer.since), Date.parse(last?.at ?? timer.since));
    return { ...timer, last: last?.at ?? null, silent: now - from > MISSED * timer.gapMs + SLACK_MS };
  });
  return {
    last: runs[0]?.last,
    lastFailure: failures.sort((a, b) => (a.at < b.at ? 1 : -1))[0],
    runs,
    timers,
    watch: holderOf(lockIn(dir, 'watch')),
    schedule: holderOf(lockIn(dir, 'schedule')),
  };
}

/** A long-running trigger: one of each kind per session. */
export type Resident = 'watch' | 'schedule';

export interface Instance extends Held {
  end(): void;
}

/** Well within the minute after which another host considers a silent holder dead. */
const SIGN_OF_LIFE_MS = 20_000;

const lockIn = (dir: string, kind: Resident): string => join(dir, `${kind}.lock`);

/**
 * Becomes the only trigger of this kind for a session.
 * @param dir the session's directory
 * @throws ScratchpadError `refused` while another one is running
 */
export function becomeInstance(dir: string, kind: Resident): Instance {
  const path = lockIn(dir, kind);
  ensureFolder(dirname(path));
  const lock = tryLock(path);
  if (!lock) {
    const pid = holderOf(path);
    throw refused(`scratchpad ${kind} is already running here`, {
      where: path,
      expected: 'one per session of a workspace',
      found: pid === undefined ? 'another process' : `process ${pid}`,
      next: pid === undefined ? 'try again' : `use that one, or end it: kill ${pid}`,
    });
  }
  // If it fails, the check before the next run reports the reason.
  const sign = setInterval(lock.renew, SIGN_OF_LIFE_MS).unref();
  return {
    ...lock,
    end() {
      clearInterval(sign);
      lock.release();
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at the first signal that asks the process to end; a second one ends it as usual. */
export function abortOnSignals(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => controller.abort(name);
  for (const name of SIGNALS) process.once(name, onSignal);
  return {
    signal: controller.signal,
    stop() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
