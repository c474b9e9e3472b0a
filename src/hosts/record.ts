import { join } from 'node:path';
import { tryReadJson, writeOver } from '../fs/index.ts';

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
  const line = `${fitting(JSON.stringify(record)).padEnd(SIZE - 1)}\n`;
  try {
    writeOver(fileIn(data), 'record', line);
  } catch {
    // Said above.
  }
}

/** In ASCII, where a character is a byte: escaped as JSON can, or without what is none when that is too long. */
function fitting(json: string): string {
  const escaped = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.length < SIZE ? escaped : json.replace(/[^ -~]/g, '?').slice(0, SIZE - 1);
}

export function readRecord(data: string): HookRecord {
  return (tryReadJson(fileIn(data), 'record') ?? {}) as HookRecord;
}
