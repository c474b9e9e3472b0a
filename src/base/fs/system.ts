import { accessSync, constants, lstatSync, type Stats, type StatsFs, stat, statfs, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { attempt, failure, hasCode, succeeds } from '../errors.ts';
import { guardPath, readLinkStats, resolveRealPath, toIoError, walkUpward } from './guard.ts';

export type { Stats } from 'node:fs';

/**
 * Stats of a path; `undefined` if nothing is there. Links are followed, except in `.scratchpad`.
 * @throws ScratchpadError `environment` if a link is on the way in `.scratchpad`
 */
export function getStats(path: string): Stats | undefined {
  const { path: target, base } = guardPath(path);
  try {
    return (base === undefined ? statSync : lstatSync)(target, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw toIoError(error, 'cannot read', path);
  }
}

export const tryStat = (path: string): Stats | undefined => attempt(() => getStats(path));

/** Whether anything is at a path. What cannot be examined does not exist. */
export const exists = (path: string): boolean => tryStat(path) !== undefined;

/** Stats of a path, of a link itself if it is one; `undefined` if nothing is there. @throws ScratchpadError `environment` */
export const getLinkStats = (path: string): Stats | undefined => readLinkStats(guardPath(path).path);

/**
 * Stats of a path and of its disk, read in another thread, so that a disk that hangs does not block this one.
 * Rejects with a system error.
 */
export async function getDiskStats(path: string): Promise<{ stats: Stats; disk: StatsFs }> {
  const [stats, disk] = await Promise.all([promisify(stat)(path), promisify(statfs)(path)]);
  return { stats, disk };
}

export const isWritable = (path: string): boolean => succeeds(() => accessSync(path, constants.W_OK));

export const isExecutable = (path: string): boolean => succeeds(() => accessSync(path, constants.X_OK));

/**
 * Whether a path belongs to this user, as git judges the folders of a repository (safe.directory in
 * git-config(1)): to the effective user, or for root to the user who called sudo. Links are judged
 * themselves. A missing path counts as one's own, and so does every path on a system without owners.
 */
export function isOwn(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return true;

  let uid: number | undefined;
  try {
    uid = lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    return hasCode(error, 'ENOTDIR');
  }

  if (uid === undefined || uid === user) return true;

  return user === 0 && env.SUDO_UID !== undefined && uid === Number(env.SUDO_UID);
}

/** The person's home according to the environment. A relative path would be a folder of the current project. */
const readHome = (env: NodeJS.ProcessEnv): string | undefined =>
  [env.HOME, env.USERPROFILE].find((path) => path && isAbsolute(path)) || undefined;

/**
 * The person's home directory. If the environment does not tell, the system is asked, through a module that
 * few runs need.
 */
export const findHome = (env: NodeJS.ProcessEnv): string =>
  readHome(env) ?? process.getBuiltinModule('node:os').userInfo().homedir;

/** Our folder in a base folder of the XDG specification, which says to ignore relative paths. */
function findOurFolder(env: NodeJS.ProcessEnv, variable: string, defaultPath: string): string | undefined {
  const [chosen, home] = [env[variable], readHome(env)];
  const base = chosen && isAbsolute(chosen) ? chosen : home && join(home, defaultPath);
  return base && join(base, 'scratchpad');
}

export const stateFolder = (env: NodeJS.ProcessEnv): string | undefined =>
  findOurFolder(env, 'XDG_STATE_HOME', '.local/state');

export const configFolder = (env: NodeJS.ProcessEnv): string | undefined =>
  findOurFolder(env, 'XDG_CONFIG_HOME', '.config');

const [WRITABLE_BY_GROUP, WRITABLE_BY_ALL, STICKY] = [0o020, 0o002, 0o1000];

/** Whether a path is this user's, and no other user can put something else in its place. */
export function isPrivate(path: string): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return true;

  const folder = resolveRealPath(dirname(path));
  // `lstatSync` throws for a path below a file, such as with HOME=/dev/null.
  if (folder === undefined || lstatSync(path, { throwIfNoEntry: false })?.uid !== user) return false;

  return [...walkUpward(folder)].every((each) => {
    const { uid, gid, mode } = lstatSync(each);
    // Many systems give each user a group of their own.
    const isOpen = (mode & WRITABLE_BY_ALL) !== 0 || ((mode & WRITABLE_BY_GROUP) !== 0 && gid !== user);
    return (uid === user || uid === 0) && (!isOpen || (mode & STICKY) !== 0);
  });
}

/** The folder of the installed package: the nearest one above this module, in `src` or in a bundle, that has its files. */
export function findPackageFolder(): string {
  // In an ES module of somebody else's bundle the folder is not defined.
  let folder = attempt(() => import.meta.dirname) ?? '/';
  while (!exists(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** @throws ScratchpadError `environment` if a bundler has left the models behind: moods and searches would be wrong */
export function assertHasModels(): void {
  const folder = join(findPackageFolder(), 'models');
  const missing = ['mood.bin', 'synonyms.bin', 'tokens.bin'].filter((name) => !exists(join(folder, name)));
  if (missing.length === 0) return;
  throw failure('the models of scratchpad are not beside its code: nothing was opened', {
    expected: 'the models/ folder of the installed package',
    found: `no ${missing.join(', ')} in ${folder}`,
    next: 'mark the package external when bundling, such as esbuild --external:scratchpad; else install it again',
  });
}
