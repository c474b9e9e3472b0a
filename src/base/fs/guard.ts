import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { attempt, failure, hasCode, ScratchpadError } from '../errors.ts';

const NEXT_STEPS = new Map([
  ['ENOSPC', 'free some space on that disk and run the command again: nothing was changed'],
  ['EDQUOT', 'free some of your quota and run the command again: nothing was changed'],
  ['EROFS', 'the file system is read-only: make it writable, or name another workspace'],
  ['EACCES', 'check the permissions of the file and its directory'],
  ['EPERM', 'check the permissions of the file and its directory'],
  ['EISDIR', 'a directory is in the place of a file: move it away'],
  ['ENOTDIR', 'a file is in the place of a directory: move it away'],
]);

/** Turns an error of the system into one that says what to do; returns any other as it is. */
export function toIoError(error: unknown, what: string, path: string): unknown {
  // Our own errors have a code, too.
  if (!(error instanceof Error) || error instanceof ScratchpadError || !('code' in error)) return error;

  const next = NEXT_STEPS.get(String(error.code));
  return failure(`${what} ${basename(path)}`, { where: path, found: error.message, next, cause: error });
}

export const PAD_FILE = 'SCRATCHPAD.md';
export const DATA_DIR = '.scratchpad';

/** Which links may be followed outside `.scratchpad`; by default all. */
export interface Bounds {
  /** A folder: a link that leads out of it is refused. */
  within?: string;
  /** The path was resolved before: `openFile` refuses a link that has appeared since. */
  resolved?: boolean;
}

/** A path that was checked as far as is possible before it is opened. */
interface GuardedPath {
  path: string;
  /** For a path in a `.scratchpad` the folder that holds that: below it no component may be a link. */
  base: string | undefined;
}

/** Resolves a path and checks its folders. @throws ScratchpadError `environment` if a link on the way may not be followed */
export function guardPath(path: string, { within }: Bounds = {}): GuardedPath {
  const absolute = resolve(path);
  const base = findWorkspaceRoot(absolute);
  if (base !== undefined) {
    checkFolders(dirname(absolute), base);
    return { path: absolute, base };
  }

  if (within === undefined) return { path: absolute, base };

  const real = resolvePlace(absolute);
  if (!isInside(resolveRealPath(within) ?? within, real)) {
    throw failure('a symbolic link leads out of the workspace', {
      where: path,
      expected: 'a file or directory inside the workspace',
      found: real,
      next: 'replace the link by the file or directory itself',
      refusal: 'link',
    });
  }

  return { path: real, base: findWorkspaceRoot(real) };
}

/** Repeats the checks once a file is open: folders may have been replaced in between. */
export function checkOpened({ path, base }: GuardedPath): void {
  if (base === undefined) return;
  checkFolders(dirname(path), base);
  if (readLinkStats(path)?.isSymbolicLink()) throw linkRefused(path);
}

/** Checks that a folder and its parents, down from `base`, are real folders. Missing ones are fine. */
export function checkFolders(folder: string, base: string): void {
  let path = base;
  for (const name of relative(base, folder).split(sep).filter(Boolean)) {
    path = join(path, name);
    const stats = readLinkStats(path);
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) throw linkRefused(path);

    if (!stats.isDirectory()) {
      throw failure('a file is in the place of a directory', {
        where: path,
        next: 'move it away and run the command again',
      });
    }
  }
}

/** The folder that holds the outermost `.scratchpad` of an absolute path. */
function findWorkspaceRoot(path: string): string | undefined {
  const end = `${path}${sep}`.indexOf(`${sep}${DATA_DIR}${sep}`);
  return end < 0 ? undefined : path.slice(0, end) || sep;
}

export const resolveRealPath = (path: string): string | undefined => attempt(() => realpathSync.native(path));

/** Resolves the links of a path that need not exist yet: the folders of a new file may be links. */
export function resolvePlace(path: string): string {
  const real = resolveRealPath(path);
  if (real !== undefined) return real;
  // A broken link resolves to nothing, but writing through it would create a file at its target.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkRefused(path);

  const above = dirname(path);
  return above === path ? path : join(resolvePlace(above), basename(path));
}

export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Whether a path in a folder leads out of it, through a link that may have come with an archive. */
export const leadsOutside = (folder: string, path: string): boolean =>
  isInside(folder, path) && !isInside(resolveRealPath(folder) ?? folder, resolveRealPath(path) ?? path);

/**
 * Stats of a path as it is named, of a link itself; `undefined` if nothing is there.
 * @throws ScratchpadError `environment`
 */
export function readLinkStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined;
    throw toIoError(error, 'cannot read', path);
  }
}

export function linkRefused(path: string): ScratchpadError {
  const [what, next] =
    findWorkspaceRoot(resolve(path)) !== undefined
      ? [`a symbolic link in ${DATA_DIR} is not followed`, 'replace the link by the file or directory itself']
      : ['a symbolic link is not written through', 'name the file that it leads to, or remove the link'];
  return failure(what, { where: path, expected: 'a separate file or directory', next, refusal: 'link' });
}

/** Most folders to look at: in a path of thousands that takes seconds. */
const MOST_LEVELS = 128;
/** No system opens a longer path. */
const LONGEST_PATH = 4096;

/** A folder and those above it, the nearest first. */
export function* walkUpward(folder: string): Generator<string> {
  let current = folder.length > LONGEST_PATH ? folder : resolve(folder);
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    yield current;
    if (dirname(current) === current || current.length > LONGEST_PATH) return;
    current = dirname(current);
  }
}
