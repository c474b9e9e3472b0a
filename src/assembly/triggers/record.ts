import { join } from 'node:path';
import { writeCache } from '../../base/fs/cache.ts';
import { tryList } from '../../base/fs/index.ts';
import { number, readOwn, record, text } from '../../base/fs/own.ts';

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
