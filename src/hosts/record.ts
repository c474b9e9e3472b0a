import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What a hook did, for `status` and `doctor`. No words of anybody. */
export interface HookRun {
  /** ISO 8601, UTC. */
  at: string;
  host: string;
  event: string;
  session?: string;
  /** What was said, or what went wrong. */
  outcome: string;
  ms: number;
}

export interface HookRecord {
  last?: HookRun;
  lastFailure?: HookRun;
}

/** The file keeps its size, so that a full disk does not keep a hook from saying that the disk is full. */
const SIZE = 4096;
const OUTCOME_LENGTH = 400;

const fileIn = (data: string): string => join(data, 'hooks.json');

/** Notes a run. It may fail: then there is nobody left to tell. */
export function recordRun(data: string, run: HookRun, failed: boolean): void {
  const short = { ...run, outcome: run.outcome.slice(0, OUTCOME_LENGTH) };
  const before = readRecord(data);
  const record: HookRecord = { ...before, last: short, ...(failed ? { lastFailure: short } : {}) };
  // In ASCII a character is a byte.
  const json = JSON.stringify(record).replace(/[^ -~]/g, '?');
  const line = `${json.slice(0, SIZE - 1).padEnd(SIZE - 1)}\n`;
  let fd: number | undefined;
  try {
    fd = openSync(fileIn(data), constants.O_WRONLY | constants.O_CREAT, 0o600);
    writeSync(fd, line, 0);
  } catch {
    // Said above.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function readRecord(data: string): HookRecord {
  try {
    return JSON.parse(readFileSync(fileIn(data), 'utf8')) as HookRecord;
  } catch {
    return {};
  }
}
