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

/** When HEAD got its last commit, epoch milliseconds: lines of `logs/HEAD` end with the time and the action. */
function lastCommit(gitFolder: string): number | undefined {
  const log = tail(join(gitFolder, 'logs', 'HEAD'));
  const lines =
    log?.split('\n').filter((line) => /\tcommit(?: \((?:amend|merge|initial|cherry-pick)\))?: /.test(line)) ??
    [];
  const seconds = /> (\d{9,11}) [+-]\d{4}\t/.exec(lines.at(-1) ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000 + 999;
}

function tail(path: string): string | undefined {
  try {
    return readBytes(path, 'gitIndex')?.subarray(-LOG_BYTES).toString('utf8');
  } catch {
    return undefined;
  }
}
