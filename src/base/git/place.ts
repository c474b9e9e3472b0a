import { basename, dirname, join, posix, relative, resolve } from 'node:path';
import { attempt } from '../errors.ts';
import {
  getLinkStats,
  keepForProcess,
  readBytes,
  resolveRealPath,
  tryList,
  tryReadText,
  tryStat,
  walkUpward,
} from '../fs/index.ts';
import { digestText } from '../text/strings.ts';

/**
 * Where a folder lies in git, read from git's own files without starting a process (gitrepository-layout(5)).
 * Only this module knows how work trees, linked worktrees and submodules are laid out.
 */
export interface GitPlace {
  /** The folder of the work tree. */
  top: string;
  gitDir: string;
  /** The git directory that all work trees of the repository share. */
  commonDir: string;
  /** The branch, or `detached at 1a2b3c4`. During a rebase or a bisection, the branch that it started on. */
  branch?: string | undefined;
  /** Git's name for a linked worktree; none for the main one. */
  linked?: string | undefined;
}

/** Short, because a branch may be switched while an event is answered. */
const CACHE_SECONDS = 0.05;

class PlaceCache extends Map<string, GitPlace | undefined> {
  /** In seconds of `process.uptime`: the first call of `performance.now` costs a start a millisecond. */
  expires = 0;
}

const placeCache = keepForProcess(new PlaceCache());

/** Caches places while `work` is done: an event asks for the same few thirty times. */
export async function withGitPlaces<T>(work: () => Promise<T>): Promise<T> {
  forgetGitPlaces();
  placeCache.expires = process.uptime() + CACHE_SECONDS;

  try {
    return await work();
  } finally {
    forgetGitPlaces();
  }
}

/** Called before a change, which must see git's current state. */
export function forgetGitPlaces(): void {
  placeCache.expires = 0;
  placeCache.clear();
}

export function findGitPlace(folder: string): GitPlace | undefined {
  if (process.uptime() > placeCache.expires) return lookUpPlace(folder);
  if (!placeCache.has(folder)) placeCache.set(folder, lookUpPlace(folder));
  return placeCache.get(folder);
}

function lookUpPlace(folder: string): GitPlace | undefined {
  for (const top of walkUpward(folder)) {
    const place = readWorkTree(top);
    if (place !== undefined) return place;
  }

  return undefined;
}

function readWorkTree(top: string): GitPlace | undefined {
  const git = join(top, '.git');
  const stats = tryStat(git);
  if (stats === undefined) return undefined;

  const gitDir = stats.isDirectory() ? git : readGitFile(git, top);
  if (gitDir === undefined) return undefined;

  const head = tryReadText(join(gitDir, 'HEAD'), 'git');
  if (head === undefined) return undefined;

  const common = readCommonDir(gitDir);

  return {
    top,
    gitDir,
    commonDir: common ?? gitDir,
    branch: parseBranch(head, gitDir),
    linked: common ? basename(gitDir) : undefined,
  };
}

/**
 * The repository of a linked worktree. None without a `commondir` file, which can name any repository, and none if that
 * repository does not list the worktree.
 */
function readCommonDir(gitDir: string): string | undefined {
  const path = tryReadText(join(gitDir, 'commondir'), 'git')?.trim();
  if (!path) return undefined;

  const commonDir = resolve(gitDir, path);
  const listed = resolveRealPath(join(commonDir, 'worktrees', basename(gitDir)));
  return listed !== undefined && listed === resolveRealPath(gitDir) ? commonDir : undefined;
}

/**
 * The folder that outlives a linked worktree: the main work tree (in a submodule its own); for a bare repository
 * called `.bare` the folder that usually holds its worktrees, else the repository itself.
 */
export function findMainTop(place: GitPlace): string | undefined {
  const { commonDir, linked } = place;
  if (linked === undefined || !isAcceptedWorkTree(place)) return undefined;
  if (['.git', '.bare'].includes(basename(commonDir))) return dirname(commonDir);

  const main = readWorktreeSetting(readGitConfig(place), commonDir);
  if (main === undefined) return commonDir;

  const git = readGitFile(join(main, '.git'), main);
  return git && resolveRealPath(git) === resolveRealPath(commonDir) ? main : undefined;
}

/** The setting `core.worktree`, which a submodule has. */
function readWorktreeSetting(config: string, gitDir: string): string | undefined {
  const path = /^[ \t]*worktree[ \t]*=(.+)$/m.exec(config)?.[1]?.trim();
  return path && resolve(gitDir, path);
}

/**
 * Whether the repository names the folder as its work tree, too: a `.git` file or link from an archive may name any
 * repository. Nothing may be written into another one.
 */
export function isAcceptedWorkTree({ top, gitDir, linked }: GitPlace): boolean {
  if (gitDir === join(top, '.git')) return getLinkStats(gitDir)?.isDirectory() === true;

  const worktree =
    linked === undefined
      ? readWorktreeSetting(tryReadText(join(gitDir, 'config'), 'git') ?? '', gitDir)
      : readLinkedWorktree(gitDir);

  return worktree !== undefined && resolveRealPath(worktree) === resolveRealPath(top);
}

function readLinkedWorktree(gitDir: string): string | undefined {
  const link = tryReadText(join(gitDir, 'gitdir'), 'git')?.trim();
  return link && dirname(resolve(gitDir, link));
}

/** Where a workspace keeps what has to outlive its files: in the repository's own folder, which git does not clean. */
export function findFolderInGit(root: string): string | undefined {
  const place = findGitPlace(root);
  if (place === undefined || !attempt(() => isAcceptedWorkTree(place))) return undefined;
  const inner = relative(place.top, root);
  return join(place.gitDir, 'scratchpad', inner === '' ? 'top' : `below-${digestText(inner)}`);
}

/** The folder of a linked worktree that a repository lists; its name stays when the folder is moved. */
export function findWorktree(folder: string, name: string): string | undefined {
  // A bare repository is the folder itself.
  const homes = [folder, findGitPlace(folder)?.commonDir ?? folder];
  const gitDir = homes.map((home) => join(home, 'worktrees', name)).find((path) => tryStat(path));
  const worktree = gitDir && readLinkedWorktree(gitDir);
  return worktree && tryStat(join(worktree, '.git')) ? worktree : undefined;
}

const LOGS = 'logs/refs/heads';

/**
 * Whether a branch was made after a time, epoch milliseconds; false if its log does not say.
 * The first line of a log has zeros for the commit before, and `git branch -c` copies the log.
 */
export function isBranchNewer({ commonDir }: GitPlace, branch: string, at: number): boolean {
  const path = join(commonDir, LOGS, branch);
  const lines = (tryReadText(path, 'gitIndex') ?? '').split('\n');
  const made = lines.findLast((line) => /^0{40,64} |\tBranch: copied /.test(line)) ?? '';
  const start = Number(/ (\d+) [+-]\d{4}\t/.exec(made)?.[1]) * 1000;
  // Log times have no milliseconds. Without a time this is `NaN > at`: false.
  return Math.max(start, Math.min(start + 999, tryStat(path)?.birthtimeMs ?? start)) > at;
}

/** Former names of a branch, each with the latest time at which it had that name, in epoch milliseconds. */
function readRenames({ commonDir }: GitPlace, branch: string): { from: string; until: number }[] {
  const path = join(commonDir, LOGS, branch);
  const renames = (tryReadText(path, 'gitIndex') ?? '').matchAll(
    / (\d+) \S+\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\/\S+$/gm,
  );
  // Log times have no milliseconds; the file's own time is an upper bound.
  const changed = tryStat(path)?.mtimeMs ?? 0;
  return [...renames].map(([, at, from = '']) => ({
    from,
    until: Math.min(Number(at) * 1000 + 999, changed),
  }));
}

/** Names that the branch of a place had before `git branch -m`, and that no other branch has now. */
export function listFormerNames(place: GitPlace): string[] {
  const { commonDir, branch } = place;
  if (branch === undefined || isDetached(branch)) return [];

  return readRenames(place, branch)
    .map(({ from }) => from)
    .filter((name) => name !== branch && readRef(commonDir, `refs/heads/${name}`) === undefined);
}

/**
 * The present name of the branch that was called `name` at a time; after `git branch -m` another may be called so.
 * @param at epoch milliseconds
 */
export function followRename(place: GitPlace, name: string, at: number): string {
  const getPath = (branch: string): string => join(place.commonDir, LOGS, branch);
  const isOlder = (path: string): boolean => (tryStat(getPath(path))?.mtimeMs ?? Infinity) < at;
  // A rename takes the log out of its folder.
  if (isDetached(name) || isOlder(dirname(name))) return name;

  // Links are not followed: in a repository from an archive they may lead in circles.
  const listLogs = (path: string): string[] =>
    getLinkStats(getPath(path))?.isDirectory()
      ? tryList(getPath(path)).flatMap((each) => listLogs(posix.join(path, each)))
      : [path];
  const renames = listLogs('').flatMap((branch) =>
    isOlder(branch) ? [] : readRenames(place, branch).map((rename) => ({ ...rename, branch })),
  );
  const [first] = renames
    .filter(({ from, until }) => from === name && until >= at)
    .sort((a, b) => a.until - b.until);
  return first?.branch ?? name;
}

/** Whether a repository has a branch; a detached HEAD counts as one. */
export const hasBranch = ({ commonDir, branch }: GitPlace, name: string): boolean =>
  name === branch || isDetached(name) || readRef(commonDir, `refs/heads/${name}`) !== undefined;

export function readRef(commonDir: string, ref: string): string | undefined {
  const loose = tryReadText(join(commonDir, ref), 'git')?.trim();
  if (loose !== undefined) return loose;

  const packed = attempt(() => readBytes(join(commonDir, 'packed-refs'), 'gitIndex'))?.toString('latin1');
  const line = packed?.split('\n').find((each) => each.endsWith(` ${ref}`));

  return line?.split(' ')[0];
}

const DETACHED = 'detached at ';

export const isDetached = (branch: string): boolean => branch.startsWith(DETACHED);

function readGitFile(file: string, top: string): string | undefined {
  const path = /^gitdir: (.*)$/m.exec(tryReadText(file, 'git') ?? '')?.[1]?.trim();
  return path ? resolve(top, path) : undefined;
}

function parseBranch(head: string, gitDir: string): string | undefined {
  const branch = /^ref: refs\/heads\/([^ \t\r\n]+)/.exec(head)?.[1];
  // A repository that stores refs in another form (reftable) always has the name `.invalid` there.
  if (branch !== undefined) return branch === '.invalid' ? undefined : branch;
  const commit = /^[\da-f]{40,64}$/.exec(head.trim())?.[0];
  if (commit === undefined) return undefined;
  return readInterruptedBranch(gitDir) ?? `${DETACHED}${commit.slice(0, 7)}`;
}

/** The branch that a rebase or a bisection started on and will return to. */
function readInterruptedBranch(gitDir: string): string | undefined {
  for (const name of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const branch = /^refs\/heads\/([^ \t\r\n]+)/.exec(tryReadText(join(gitDir, name), 'git') ?? '')?.[1];
    if (branch !== undefined) return branch;
  }

  const start = tryReadText(join(gitDir, 'BISECT_START'), 'git')?.trim();
  return start !== undefined && !/^[\da-f]{40,64}$/.test(start) && start !== '' ? start : undefined;
}

export const readGitConfig = ({ commonDir }: GitPlace): string =>
  tryReadText(join(commonDir, 'config'), 'git') ?? '';

/** The origin of a clone: `git@github.com:a/b.git` and `https://user:token@github.com/a/b` are both `github.com/a/b`. */
export function readOrigin(place: GitPlace): string | undefined {
  const section =
    /^[ \t]*\[remote "origin"\](.*(?:\n(?![ \t]*\[).*)*)/m.exec(readGitConfig(place))?.[1] ?? '';
  const url = /^[ \t]*url[ \t]*=(.+)$/m.exec(section)?.[1]?.trim().replace(/^"|"$/g, '');
  if (url === undefined) return undefined;

  const [, host, path] =
    /^(?!file:)[a-z+]+:\/\/(?:[^@/]*@)?(\[[\da-f:.]+\]|[^/:]+)(?::\d*)?\/(.+)$/i.exec(url) ??
    /^(?:[^@/]*@)?(\[[\da-f:.]+\]|[\w.-]{2,}):(?!\\|\/\/)(.+)$/i.exec(url) ??
    [];
  // A local path, `file:///srv/a` or `C:/a`, means nothing on another machine.
  if (host === undefined || path === undefined) return undefined;

  return `${host.toLowerCase()}/${path.replace(/^\/+|(?:\.git)?(?<!\/)\/*$/g, '')}`;
}
