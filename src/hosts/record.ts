import { join } from 'node:path';
import { writeOver } from '../base/fs/index.ts';
import { number, readOwn, record as recordOf, text } from '../base/fs/own.ts';

/** The result of a hook, for `status` and `doctor`. It contains no words of people. */
export interface HookRun {
  /** ISO 8601, UTC. */
  at: string;
  host: string;
  event: string;
  session?: string;
  /** The outcome or the problem. */
  outcome: string;
  ms: number;
}

export interface HookRecord {
  last?: HookRun;
  lastFailure?: HookRun;
}

/** The file has a fixed size, so that a hook can report a full disk on a full disk. */
const SIZE = 4096;
const OUTCOME_LENGTH = 400;

const fileIn = (data: string): string => join(data, 'hooks.json');

/** Records a run. It may fail; then nobody can be told. */
export function recordRun(data: string, run: HookRun, failed: boolean): void {
  const short = { ...run, outcome: run.outcome.slice(0, OUTCOME_LENGTH) };
  const before = readRecord(data);
  const record: HookRecord = { ...before, last: short, ...(failed ? { lastFailure: short } : {}) };
  const line = `${fitting(JSON.stringify(record)).padEnd(SIZE - 1)}\n`;
  try {
    writeOver(fileIn(data), 'record', line);
  } catch {
    // Said above.
  }
}

/** In ASCII, so that a character is a byte: other characters are escaped, or dropped if that is too long. */
function fitting(json: string): string {
  const escaped = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.length < SIZE ? escaped : json.replace(/[^ -~]/g, '?').slice(0, SIZE - 1);
}

const RUN = recordOf({ at: text, host: text, event: text, outcome: text, ms: number }, { session: text });
const SHAPE = recordOf({}, { last: RUN, lastFailure: RUN });

export function readRecord(data: string): HookRecord {
  return readOwn(fileIn(data), 'record', SHAPE) ?? {};
}
