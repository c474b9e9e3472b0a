import {
  accessSync,
  constants,
  lstatSync,
  readlinkSync,
  type Stats,
  type StatsFs,
  stat,
  statfs,
  statfsSync,
  statSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { hasCode } from '../errors.ts';
import { guard } from './guard.ts';
import { ioError } from './io-error.ts';

/**
 * Stats of a path; `undefined` if nothing is there. Links are followed, except in `.scratchpad`.
 * @throws ScratchpadError `environment` if a link is on the way in `.scratchpad`
 */
export function statOf(path: string): Stats | undefined {
  const { path: target, base } = guard(path);
  try {
    return base === undefined
      ? statSync(target, { throwIfNoEntry: false })
      : lstatSync(target, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/**
 * Stats of a path and of its disk, read in another thread, so that a disk that hangs does not block this one.
 * Rejects with a system error.
 */
export async function lookAtDisk(path: string): Promise<{ stats: Stats; disk: StatsFs }> {
  const [stats, disk] = await Promise.all([promisify(stat)(path), promisify(statfs)(path)]);
  return { stats, disk };
}

export function isWritable(path: string): boolean {
  return mayAccess(path, constants.W_OK);
}

export function isExecutable(path: string): boolean {
  return mayAccess(path, constants.X_OK);
}

function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** The target of a link as stored; `undefined` if it is no link. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Whether anything is at a path. What cannot be examined does not exist. */
export function exists(path: string): boolean {
  return tryStat(path) !== undefined;
}

export function tryStat(path: string): Stats | undefined {
  try {
    return statOf(path);
  } catch {
    return undefined;
  }
}

/**
 * Stats of a path, of a link itself if it is one; `undefined` if nothing is there.
 * @throws ScratchpadError `environment`
 */
export function linkStatOf(path: string): Stats | undefined {
  try {
    return lstatSync(guard(path).path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/** Bytes available to this user on a folder's disk; `undefined` if unknown. */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/**
 * Whether a path belongs to this user, as git judges the folders of a repository (safe.directory in
 * git-config(1)): to the effective user, or for root to the user who called sudo. Links are judged
 * themselves. A missing path counts as one's own, and so does every path on a system without owners.
 */
export function isOwn(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const me = process.geteuid?.();
  if (me === undefined) return true;
  let uid: number | undefined;
  try {
    uid = lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    return hasCode(error, 'ENOTDIR');
  }
  if (uid === undefined || uid === me) return true;
  return me === 0 && env.SUDO_UID !== undefined && uid === Number(env.SUDO_UID);
}
