import { join } from 'node:path';
import { readBytes, tryReadText } from '../fs/index.ts';
import type { GitPlace } from './place.ts';

export interface GitNow {
  /** Changed and untracked files, relative to the top; a folder ends with a slash. */
  listed: string[];
  /** Commits that the upstream branch has not; undefined without an upstream. */
  ahead?: number | undefined;
  /** The last commits of the branch, newest first, and whether HEAD got them here. */
  log: { sha: string; at: number; subject: string; here: boolean }[];
}

const TIMEOUT_MS = 1000;
const MOST_COMMITS = 40;
const MOST_BYTES = 4 * 1024 * 1024;
/** Each step of HEAD adds a line to its log. */
const LOG_BYTES = 32 * 1024;

/** Asks git; `undefined` if it is not there, takes too long, or might run programs that the repository names. */
export async function gitNow(place: GitPlace): Promise<GitNow | undefined> {
  const safe = safeOptions(place);
  if (safe === undefined) return undefined;
  const [status, log] = await Promise.all([
    git(place, [
      ...safe,
      'status',
      '--porcelain=v2',
      '--branch',
      '-z',
      '--ignore-submodules=all',
      '--no-renames',
    ]),
    git(place, [...safe, 'log', `-${MOST_COMMITS}`, '--no-show-signature', '--format=%H%x09%ct%x09%s']),
  ]);
  if (status === undefined) return undefined;
  const made = madeHere(place.gitDir);
  const ahead = /^# branch\.ab \+(\d+) /m.exec(status.replaceAll('\0', '\n'))?.[1];
  return {
    listed: status.split('\0').flatMap(pathIn),
    ahead: ahead === undefined ? undefined : Number(ahead),
    log: (log ?? '').split('\n').flatMap((line) => {
      const [sha = '', seconds = '', ...subject] = line.split('\t');
      if (sha === '') return [];
      return [{ sha, at: Number(seconds) * 1000, subject: subject.join('\t'), here: made.has(sha) }];
    }),
  };
}

/** The path of an entry of `git status --porcelain=v2`; ignored files are not asked for. */
function pathIn(entry: string): string[] {
  const fields = { '1': 8, u: 10, '?': 1 }[entry[0] ?? ''];
  return fields === undefined ? [] : [entry.split(' ').slice(fields).join(' ')];
}

/**
 * Options that keep git from starting programs which the repository's own configuration names: a clone may have come
 * with one. `undefined` if it takes further files in, which may name some, too.
 */
function safeOptions({ commonDir, gitDir }: GitPlace): string[] | undefined {
  const texts = [join(commonDir, 'config'), join(gitDir, 'config.worktree')].map(
    (path) => tryReadText(path, 'git') ?? '',
  );
  const config = texts.join('\n');
  if (/^\s*\[\s*include/im.test(config)) return undefined;
  const options = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  for (const [, name = ''] of config.matchAll(/^\s*\[\s*filter\s+"((?:[^"\\]|\\.)*)"\s*\]/gim))
    for (const key of ['clean', 'smudge', 'process']) options.push('-c', `filter.${name}.${key}=`);
  return options;
}

async function git({ top }: GitPlace, args: readonly string[]): Promise<string | undefined> {
  // Most hooks ask nothing of git.
  const { execFile } = await import('node:child_process');
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', top, ...args],
      { timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES, env },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
  });
}

/** The commits that HEAD got by a commit in this work tree, and not by a pull: from the end of HEAD's log. */
function madeHere(gitDir: string): Set<string> {
  try {
    const log =
      readBytes(join(gitDir, 'logs', 'HEAD'), 'gitIndex')
        ?.subarray(-LOG_BYTES)
        .toString('utf8') ?? '';
    const steps = log.matchAll(/^[\da-f]+ ([\da-f]+) .*\t(?:commit|cherry-pick|revert|rebase)\b/gm);
    return new Set([...steps].map(([, sha = '']) => sha));
  } catch {
    return new Set();
  }
}
