import { join } from 'node:path';
import { tryStat } from '../base/fs/index.ts';
import { DAY } from '../memory/dates.ts';

/** Days in which a note counts as one of the daily notes. */
const DAYS = 100;
const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

export interface DailyNote {
  /** Relative to the workspace. */
  path: string;
  /** `2026-02-06`, from the file's name. */
  date: string;
}

/** The notes `memory/YYYY-MM-DD.md` of the days up to and including a date, newest first. */
export function dailyNotesUntil(workspace: string, until: string): DailyNote[] {
  const folder = join(workspace, 'memory');
  if (tryStat(folder) === undefined) return [];
  const last = Date.parse(until);
  // Looked up by name: a folder may hold a hundred thousand files.
  return Array.from({ length: DAYS }, (_, ago) => new Date(last - ago * DAY).toISOString().slice(0, 10))
    .filter((date) => tryStat(join(folder, `${date}.md`)) !== undefined)
    .map((date) => ({ path: `memory/${date}.md`, date }));
}

/** The last entry of a note and its line, from 1. Tasks belong to the alerts. */
export function lastEntry(lines: readonly string[]): { text: string; line: number } | undefined {
  const at = lines.findLastIndex((line) => line.trim() !== '' && !NOT_NEWS.test(line));
  if (at < 0) return undefined;
  return { text: (lines[at] ?? '').replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim(), line: at + 1 };
}
