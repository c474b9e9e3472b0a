import { channel } from 'node:diagnostics_channel';
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, hasCode, succeeds } from '../errors.ts';
import { type Bounds, checkFolders, DATA_DIR, guardPath, isInside, toIoError, walkUpward } from './guard.ts';
import { isProcessGone } from './process.ts';
import { notRegularFile } from './read.ts';
import { exists, tryStat } from './system.ts';
import { flushDirectory, makeTemporaryPath, parseTemporaryName } from './write.ts';

/** Most names to read from one folder: a stranger's may hold millions. */
const MOST_NAMES = 200_000;
const PRIVATE = 0o700;

/**
 * Creates a folder and its missing parents. A `.scratchpad` among them is created complete: for this user
 * only, and ignored by git. Below it no link is followed.
 * @param mode of a folder outside `.scratchpad`
 * @throws ScratchpadError `environment` if it cannot be created
 */
export function ensureFolder(path: string, mode = 0o777, bounds?: Bounds): void {
  try {
    const { path: folder, base } = guardPath(path, bounds);
    if (base !== undefined) ensureData(join(base, DATA_DIR), folder);
    const folders = [...walkUpward(folder)];
    const missing = folders.slice(0, folders.findIndex(exists));
    // Node's own `recursive` never ends where an existing folder takes none, such as /proc.
    for (const each of missing.toReversed()) makeFolder(each, base === undefined ? mode : PRIVATE);
    if (!tryStat(folder)?.isDirectory()) throw notRegularFile(folder, tryStat(folder));

    // All new names have to survive a power cut.
    for (const each of missing) flushDirectory(dirname(each));
    if (base !== undefined) checkFolders(folder, base);
  } catch (error) {
    throw toIoError(error, 'cannot create the folder', path);
  }
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was quicker.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Creates a missing `.scratchpad`. One that somebody made by hand becomes private and ignored by git before the first
 * session is written into it.
 */
function ensureData(data: string, folder: string): void {
  const stats = lstatSync(data, { throwIfNoEntry: false });
  if (!stats) makeIgnored(data);
  if (!stats?.isDirectory() || !isInside(join(data, 'sessions'), folder)) return;

  const ignored = join(data, '.gitignore');
  if (exists(ignored) || exists(join(data, 'sessions'))) return;

  attempt(() => {
    if ((stats.mode & 0o077) !== 0) chmodSync(data, PRIVATE);
    writeFileSync(ignored, '*\n', { flag: 'wx', flush: true });
    flushDirectory(data);
  });
}

/** Global, since several bundles contain this module. */
const dataFolders = channel('scratchpad.data-folder');

/** Calls a function with the root of each workspace whose `.scratchpad` was just created. */
export function onDataFolder(listener: (root: string) => void): void {
  dataFolders.subscribe((root) => listener(root as string));
}

/** Creates `.scratchpad` with its `.gitignore` in one step: after a crash its content must not be open to a commit. */
function makeIgnored(data: string): void {
  const draft = makeTemporaryPath(data);
  try {
    mkdirSync(draft, { mode: PRIVATE });
    writeFileSync(join(draft, '.gitignore'), '*\n', { flush: true });
    flushDirectory(draft);
    renameSync(draft, data);
    flushDirectory(dirname(data));
    dataFolders.publish(dirname(data));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was quicker.
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  }
}

/**
 * The names in a folder, unordered; none if there is no folder.
 * @throws ScratchpadError `environment` if it cannot be read, or is a link in `.scratchpad`
 */
export function list(path: string): string[] {
  const { path: folder, base } = guardPath(path);
  const names: string[] = [];

  try {
    if (base !== undefined) checkFolders(folder, base);
    const directory = opendirSync(folder, { bufferSize: 512 });
    try {
      for (let entry = directory.readSync(); entry && names.length < MOST_NAMES; entry = directory.readSync())
        names.push(entry.name);
    } finally {
      directory.closeSync();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw toIoError(error, 'cannot read', path);
  }

  return names;
}

export const tryList = (path: string): string[] => attempt(() => list(path)) ?? [];

/** Removes a file or a link. @returns whether there was one @throws ScratchpadError `environment` */
export function remove(path: string): boolean {
  try {
    unlinkSync(guardPath(path).path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw toIoError(error, 'cannot remove', path);
  }
}

export const tryRemove = (path: string): boolean => attempt(() => remove(path)) ?? false;

/** Removes a folder and its content; links in it are removed, not followed. */
export function removeTree(path: string): void {
  try {
    rmSync(guardPath(path).path, { recursive: true, force: true });
  } catch (error) {
    throw toIoError(error, 'cannot remove', path);
  }
}

/** Removes what it can of a folder; `sweepTemporary` removes the rest later. */
export function tryRemoveTree(path: string): void {
  attempt(() => removeTree(path));
}

export function removeIfEmpty(path: string): void {
  attempt(() => rmdirSync(guardPath(path).path));
}

/** Renames a file or a folder; its new name survives a power cut. @throws ScratchpadError `environment` */
export function move(from: string, to: string): void {
  try {
    const [source, target] = [guardPath(from).path, guardPath(to).path];
    renameSync(source, target);
    flushDirectory(dirname(target));
    if (dirname(source) !== dirname(target)) flushDirectory(dirname(source));
  } catch (error) {
    throw toIoError(error, 'cannot move', from);
  }
}

/** Moves a damaged file into a folder, under the time and its name. @returns its new path */
export function setAside(path: string, folder: string, name = basename(path)): string {
  const target = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${name}`);
  ensureFolder(folder);
  move(path, target);
  return target;
}

/** Gives a file that never changes a second name; copies it if the file system has no hard links. */
export function linkOrCopy(from: string, to: string): void {
  const [source, target] = [guardPath(from).path, guardPath(to).path];
  const stats = lstatSync(source, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw notRegularFile(from, stats);
  if (succeeds(() => linkSync(source, target))) return;

  try {
    copyFileSync(source, target, constants.COPYFILE_EXCL);
    flushDirectory(target);
  } catch (error) {
    throw toIoError(error, 'cannot copy', from);
  }
}

/**
 * Removes temporary files in a folder whose writers have ended.
 * @param belongs says for the name of a target whether to remove its temporary files
 */
export function sweepTemporary(folder: string, belongs: (target: string) => boolean = () => true): void {
  for (const name of tryList(folder)) {
    const { target, pid } = parseTemporaryName(name) ?? {};
    if (target === undefined || pid === undefined || !belongs(target)) continue;
    if (pid === process.pid || !isProcessGone(pid)) continue;
    tryRemoveTree(join(folder, name));
  }
}
