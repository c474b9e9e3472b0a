import { basename, dirname, join, relative, resolve } from 'node:path';
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
  top: string;
  gitDir: string;
  /** The git directory that all work trees of the repository share. */
  commonDir: string;
  /** The branch, or `detached at 1a2b3c4`. During a rebase or a bisection, the branch that it started on. */
  branch?: string | undefined;
  /** Git's name for a linked worktree; none for the main one. */
  linked?: string | undefined;
}

/** For so many milliseconds a place is not looked up again: a checkout may come while an event waits for something. */
const PLACES_MS = 50;

class Places extends Map<string, GitPlace | undefined> {
  until = 0;
}

const places = keepForProcess(new Places());

/** Looks up each folder once while `work` is done: an event asks for the same few thirty times. */
export async function withGitPlaces<T>(work: () => Promise<T>): Promise<T> {
  forgetGitPlaces();
  places.until = performance.now() + PLACES_MS;

  try {
    return await work();
  } finally {
    forgetGitPlaces();
  }
}

/** For a change, which compares with what git has just now. */
export function forgetGitPlaces(): void {
  places.until = 0;
  places.clear();
}

export function findGitPlace(folder: string): GitPlace | undefined {
  if (performance.now() > places.until) return lookUpPlace(folder);
  if (!places.has(folder)) places.set(folder, lookUpPlace(folder));
  return places.get(folder);
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

/** The repository of a linked worktree, if it lists that one: any folder can hold a file that names any repository. */
function readCommonDir(gitDir: string): string | undefined {
  const named = tryReadText(join(gitDir, 'commondir'), 'git')?.trim();
  const common = named ? resolve(gitDir, named) : undefined;
  const listed = common && resolveRealPath(join(common, 'worktrees', basename(gitDir)));
  return listed !== undefined && listed === resolveRealPath(gitDir) ? common : undefined;
}

/**
 * The folder that outlives a linked worktree: the main work tree, also that of a submodule; for a bare repository
 * called `.bare` the folder that usually holds its worktrees, else the repository itself. Only for a worktree that the
 * repository itself lists under this path, because a `.git` file from an archive may name any repository.
 */
export function findMainTop(place: GitPlace): string | undefined {
  const { commonDir, linked } = place;
  if (linked === undefined || !isOfItsWorkTree(place)) return undefined;
  if (['.git', '.bare'].includes(basename(commonDir))) return dirname(commonDir);

  const main = readWorktreeSetting(readGitConfig(place), commonDir);
  if (main === undefined) return commonDir;

  const git = readGitFile(join(main, '.git'), main);
  return git && resolveRealPath(git) === resolveRealPath(commonDir) ? main : undefined;
}

/** The work tree that the config of a git directory names: that of a submodule. */
function readWorktreeSetting(config: string, gitDir: string): string | undefined {
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1];
  return named && resolve(gitDir, named);
}

/**
 * Whether a repository takes a folder for its work tree, too: a `.git` file or link from an archive may name any
 * repository. Only then anything is written there.
 */
export function isOfItsWorkTree({ top, gitDir, linked }: GitPlace): boolean {
  if (gitDir === join(top, '.git')) return getLinkStats(gitDir)?.isDirectory() === true;

  const named = linked === undefined ? undefined : tryReadText(join(gitDir, 'gitdir'), 'git')?.trim();
  const config = linked === undefined ? (tryReadText(join(gitDir, 'config'), 'git') ?? '') : '';
  const back = named === undefined ? readWorktreeSetting(config, gitDir) : dirname(resolve(gitDir, named));

  return back !== undefined && resolveRealPath(back) === resolveRealPath(top);
}

/** Where a workspace keeps what has to outlive its files: in the repository's own folder, which git does not clean. */
export function folderInGit(root: string): string | undefined {
  const place = findGitPlace(root);
  if (place === undefined || !attempt(() => isOfItsWorkTree(place))) return undefined;
  const inner = relative(place.top, root);
  return join(place.gitDir, 'scratchpad', inner === '' ? 'top' : `below-${digestText(inner)}`);
}

/** The folder of a linked worktree that a repository lists; its name stays when the folder is moved. */
export function findWorktree(folder: string, name: string): string | undefined {
  // A bare repository is the folder itself.
  const homes = [folder, findGitPlace(folder)?.commonDir ?? folder];
  const gitDir = homes.map((home) => join(home, 'worktrees', name)).find((path) => tryStat(path)) ?? '';
  const link = tryReadText(join(gitDir, 'gitdir'), 'git')?.trim();
  const path = link === undefined ? undefined : resolve(gitDir, link);
  return path !== undefined && tryStat(path) !== undefined ? dirname(path) : undefined;
}

const LOGS = 'logs/refs/heads';

/** What a branch was called before `git branch -m`, and until when at the latest, epoch milliseconds. */
function readRenames({ commonDir }: GitPlace, branch: string): { from: string; until: number }[] {
  // Each step of a branch adds a line to its log.
  const path = join(commonDir, LOGS, branch);
  const log = attempt(() => readBytes(path, 'gitIndex'))?.toString('utf8') ?? '';
  const lines = log.matchAll(/ (\d+) \S+\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\/\S+$/gm);
  // A line tells full seconds.
  const changed = tryStat(path)?.mtimeMs ?? 0;
  return [...lines].map(([, at, from = '']) => ({ from, until: Math.min(Number(at) * 1000 + 999, changed) }));
}

/** Names that the branch of a place had before `git branch -m`, and that no other branch has now. */
export function formerNames(place: GitPlace): string[] {
  const { commonDir, branch } = place;
  if (branch === undefined || isDetached(branch)) return [];
  return readRenames(place, branch).flatMap(({ from }) =>
    from !== branch && !hasRef(commonDir, `refs/heads/${from}`) ? [from] : [],
  );
}

/**
 * The present name of the branch that had a name at some time, before `git branch -m`: another branch may have that name
 * now.
 * @param at epoch milliseconds
 */
export function followRename(place: GitPlace, name: string, at: number): string {
  const isUnchanged = (path: string): boolean =>
    (tryStat(join(place.commonDir, LOGS, path))?.mtimeMs ?? Number.POSITIVE_INFINITY) < at;
  // A rename takes the log out of its folder.
  if (isDetached(name) || isUnchanged(dirname(name))) return name;

  const listLogs = (path: string): string[] => {
    const entries = tryList(join(place.commonDir, LOGS, path)).map((entry) => join(path, entry));
    return entries.length > 0 ? entries.flatMap(listLogs) : [path];
  };
  const [first] = listLogs('')
    .flatMap((path) => {
      const branch = path.replaceAll('\\', '/');
      return isUnchanged(path) ? [] : readRenames(place, branch).map((each) => ({ ...each, branch }));
    })
    .filter(({ from, until }) => from === name && until >= at)
    .sort((a, b) => a.until - b.until);
  return first?.branch ?? name;
}

/** Whether a repository has a branch; what is no name of one, such as a detached HEAD, is not missing. */
export function hasBranch({ commonDir, branch }: GitPlace, name: string): boolean {
  return name === branch || isDetached(name) || hasRef(commonDir, `refs/heads/${name}`);
}

const hasRef = (commonDir: string, ref: string): boolean => readRef(commonDir, ref) !== undefined;

export function readRef(commonDir: string, ref: string): string | undefined {
  const loose = tryReadText(join(commonDir, ref), 'git')?.trim();
  if (loose !== undefined) return loose;

  const packed = attempt(() => readBytes(join(commonDir, 'packed-refs'), 'gitIndex'))?.toString('latin1');
  const line = packed?.split('\n').find((each) => each.endsWith(` ${ref}`));

  return line?.split(' ')[0];
}

const DETACHED = 'detached at ';

export const isDetached = (branch: string): boolean => branch.startsWith(DETACHED);

function readGitFile(git: string, top: string): string | undefined {
  const named = /^gitdir: (.*)$/m.exec(tryReadText(git, 'git') ?? '')?.[1]?.trim();
  return named ? resolve(top, named) : undefined;
}

function parseBranch(head: string, gitDir: string): string | undefined {
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1];
  // A repository with another store of refs (reftable) has this name there always.
  if (branch !== undefined) return branch === '.invalid' ? undefined : branch;
  const commit = /^[\da-f]{40,64}$/.exec(head.trim())?.[0];
  if (commit === undefined) return undefined;
  return readUnderWay(gitDir) ?? `${DETACHED}${commit.slice(0, 7)}`;
}

/** The branch that a rebase or a bisection started on and will return to. */
function readUnderWay(gitDir: string): string | undefined {
  for (const name of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const branch = /^refs\/heads\/(\S+)/.exec(tryReadText(join(gitDir, name), 'git') ?? '')?.[1];
    if (branch !== undefined) return branch;
  }

  const start = tryReadText(join(gitDir, 'BISECT_START'), 'git')?.trim();
  return start !== undefined && !/^[\da-f]{40,64}$/.test(start) && start !== '' ? start : undefined;
}

export function readGitConfig({ commonDir }: GitPlace): string {
  return tryReadText(join(commonDir, 'config'), 'git') ?? '';
}

/** `git@github.com:a/b.git` and `https://user:token@github.com/a/b` are both `github.com/a/b`. */
export function readOrigin(place: GitPlace): string | undefined {
  const section = /^\s*\[remote "origin"\]([^[]*)/m.exec(readGitConfig(place))?.[1] ?? '';
  const url = /^\s*url\s*=\s*"?(.+?)"?\s*$/m.exec(section)?.[1];
  if (url === undefined) return undefined;

  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^@/]*@)?([\w.-]+):(?!\\)(.+)$/.exec(url) ??
    [];
  // A local path means nothing on another machine.
  if (host === undefined || path === undefined) return undefined;

  return `${host.toLowerCase()}/${path.replace(/^\/+|(?:\.git)?\/*$/g, '')}`;
}
