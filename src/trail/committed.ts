import { join, relative } from 'node:path';
import { readBytes, tryStat } from '../fs/index.ts';
import { indexEntries } from '../git/index-file.ts';
import type { GitPlace } from '../git/place.ts';

/** How much of the end of HEAD's log is read; each commit adds one line. */
const LOG_BYTES = 32 * 1024;

/** A file that the session edited, and when it last did. */
export interface Edit {
  /** Relative to the workspace. */
  path: string;
  /** ISO 8601. */
  time?: string;
}

/**
 * The edited files that were committed since, as far as git's files show without running git: HEAD got a commit
 * after the edit, and the index matches the file in the work tree. If the index is unreadable, a commit after the
 * edit is enough: wrongly calling a file uncommitted is worse than leaving it out.
 */
export function committedSince(edits: readonly Edit[], root: string, place: GitPlace): Set<string> {
  const last = lastCommit(place.gitDir);
  const asked = edits.filter(
    ({ time }) => time !== undefined && last !== undefined && last > Date.parse(time),
  );
  if (asked.length === 0) return new Set();
  const nameOf = ({ path }: Edit): string => relative(place.top, join(root, path)).replace(/\\/g, '/');
  const entries = indexEntries(place, asked.map(nameOf));
  const isCommitted = (edit: Edit): boolean => {
    if (entries === undefined) return true;
    const entry = entries.find(({ name }) => name === nameOf(edit));
    const stat = tryStat(join(root, edit.path));
    if (stat === undefined || entry === undefined) return stat === entry;
    return entry.seconds === Math.floor(stat.mtimeMs / 1000) && entry.size === stat.size % 2 ** 32;
  };
  return new Set(asked.filter(isCommitted).map(({ path }) => path));
}

/** How many commits HEAD has got since a time, by anybody: made here, pulled, merged or picked; one for each step. */
export function commitsSince(time: string, { gitDir }: GitPlace): number {
  const since = Date.parse(time);
  return headSteps(gitDir).filter(({ at }) => at > since).length;
}

/** When HEAD got its last commit, epoch milliseconds. */
function lastCommit(gitFolder: string): number | undefined {
  return headSteps(gitFolder).findLast(({ action }) => action === 'commit')?.at;
}

/** Steps of HEAD that brought commits, oldest first: lines of `logs/HEAD` end with the time and the action. */
function headSteps(gitFolder: string): { at: number; action: string }[] {
  const lines = tail(join(gitFolder, 'logs', 'HEAD'))?.split('\n') ?? [];
  return lines.flatMap((line) => {
    const [, seconds, action = ''] = STEP.exec(line) ?? [];
    return seconds === undefined ? [] : [{ at: Number(seconds) * 1000 + 999, action }];
  });
}

const STEP =
  /> (\d{9,11}) [+-]\d{4}\t(commit|merge|pull|cherry-pick|revert)(?![^:]*\((?:start|pick|squash|reword)\))[^:]*: /;

function tail(path: string): string | undefined {
  try {
    return readBytes(path, 'gitIndex')?.subarray(-LOG_BYTES).toString('utf8');
  } catch {
    return undefined;
  }
}
