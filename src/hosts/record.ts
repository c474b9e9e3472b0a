import { join } from 'node:path';
import { tryStat, writeOver } from '../base/fs/index.ts';
import { readOwn, record } from '../base/fs/own.ts';
import { type HookRun, RUN, remembered } from './session-memory.ts';

/** What hooks did here last: `last` is newer than `lastFailure`, or the same. */
export interface HookRecord {
  last?: HookRun;
  lastFailure?: HookRun;
}

/** The file is there early and has a fixed size, so that a hook can report a full disk on a full disk. */
const SIZE = 4096;
const OUTCOME_LENGTH = 400;

const fileIn = (data: string): string => join(data, 'hooks.json');

export const hasRecord = (data: string): boolean => tryStat(fileIn(data)) !== undefined;

/** Records a run that failed, or that belongs to no session. It may fail; then nobody can be told. */
export function recordRun(data: string, run: HookRun, failed: boolean): void {
  const short = { ...run, outcome: run.outcome.slice(0, OUTCOME_LENGTH) };
  const before = inFile(data);
  const next: HookRecord = { ...before, last: short, ...(failed ? { lastFailure: short } : {}) };
  const line = `${fitting(JSON.stringify(next)).padEnd(SIZE - 1)}\n`;
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

const SHAPE = record({}, { last: RUN, lastFailure: RUN });
const inFile = (data: string): HookRecord => readOwn(fileIn(data), 'record', SHAPE) ?? {};

/** With the last events of all sessions, which are kept with their memory. */
export function readRecord(data: string): HookRecord {
  const { last, lastFailure } = inFile(data);
  const runs = [lastFailure, last, ...remembered(data).map(({ memory }) => memory.last)];
  const newest = runs.reduce((a, b) => ((b?.at ?? '') > (a?.at ?? '') ? b : a));
  return { last: newest, lastFailure };
}
