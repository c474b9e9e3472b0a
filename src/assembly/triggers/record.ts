import { dirname, join } from 'node:path';
import { describeError, refusal } from '../../base/errors.ts';
import { ensureFolder, type HeldLock, readHolderPid, tryList, tryLock } from '../../base/fs/index.ts';
import { number, readOwn, record, text, writeCache } from '../../base/fs/json-shape.ts';

const OUTCOME_LENGTH = 600;
const RECORD_FILE = /^trigger-.+\.json$/;

export const isTriggerName = (text: string): boolean => /^[a-z][\w-]{0,40}$/i.test(text);

/** The outcome of a trigger's work in a few words, and problems that a person should know of. */
export interface WorkReport {
  outcome: string;
  problems: readonly string[];
}

/**
 * Does the work of a trigger, and records its outcome beside the session's journal. Each trigger has its own file, so
 * that two at once lose nothing.
 * @returns what the work returns, and how many milliseconds it took
 * @throws what the work throws, which is recorded too
 */
export async function recordRun<Report extends WorkReport>(
  dir: string,
  trigger: string,
  work: () => Promise<Report>,
): Promise<Report & { ms: number }> {
  const started = performance.now();
  const at = new Date().toISOString();
  const recordOutcome = (outcome: string): number => {
    const ms = Math.round(performance.now() - started);
    const last = { trigger, at, outcome: outcome.slice(0, OUTCOME_LENGTH), ms };
    writeCache(join(dir, `trigger-${trigger}.json`), { last });
    return ms;
  };

  try {
    const report = await work();
    const { outcome, problems } = report;
    return { ...report, ms: recordOutcome([outcome, ...problems].join('; ')) };
  } catch (error) {
    recordOutcome(describeError(error));
    throw error;
  }
}

/**
 * The shape of `trigger-*.json`: one automatic run, without anybody's words. Its trigger is `watch`, `schedule`, an
 * installed timer (`cron`), or the name that a script gives itself.
 */
const TRIGGER_RECORD = record({ last: record({ trigger: text, at: text, outcome: text, ms: number }) });

/** Automatic assembly of a session: pids of running triggers, results of the last runs. */
export function readAutomation(dir: string) {
  const runs = tryList(dir)
    .filter((name) => RECORD_FILE.test(name))
    .flatMap((name) => readOwn(join(dir, name), 'cache', TRIGGER_RECORD)?.last ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : -1));

  return {
    last: runs[0],
    runs,
    watch: readHolderPid(getLockPath(dir, 'watch')),
    schedule: readHolderPid(getLockPath(dir, 'schedule')),
  };
}

/** A long-running trigger: one of each kind per session. */
export type Resident = 'watch' | 'schedule';

/** Well within the minute after which another host considers a silent holder dead. */
const SIGN_OF_LIFE_MS = 20_000;

const getLockPath = (dir: string, kind: Resident): string => join(dir, `${kind}.lock`);

/**
 * Becomes the only trigger of this kind for a session.
 * @param dir the session's directory
 * @throws ScratchpadError `refused` while another one is running
 */
export function becomeInstance(dir: string, kind: Resident): HeldLock & { end(): void } {
  const path = getLockPath(dir, kind);
  ensureFolder(dirname(path));
  const lock = tryLock(path);
  if (!lock) {
    const pid = readHolderPid(path);
    throw refusal(`scratchpad ${kind} is already running here`, {
      where: path,
      expected: 'one per session of a workspace',
      found: pid === undefined ? 'another process' : `process ${pid}`,
      next: pid === undefined ? 'try again' : `use that one, or end it: kill ${pid}`,
    });
  }

  // If this fails, the check before the next run reports the reason.
  const renewal = setInterval(lock.renew, SIGN_OF_LIFE_MS).unref();

  return {
    ...lock,
    end() {
      clearInterval(renewal);
      lock.release();
    },
  };
}

/** Aborts at the first signal that asks the process to end; a second one ends it as usual. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => controller.abort(name));
  return controller.signal;
}
