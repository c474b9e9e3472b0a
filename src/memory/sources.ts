import { homedir } from 'node:os';
import { relative, resolve, sep } from 'node:path';
import {
  getLinkStats,
  getStats,
  isInside,
  LARGEST,
  PAD_FILE,
  resolveRealPath,
  type Stats,
  tryList,
  tryStat,
} from '../base/fs/index.ts';

/** A memory file larger than this is left out: it is a dump, not a note. */
const LARGEST_FILE = LARGEST.memory;
const DEEPEST_FOLDER = 32;
const MOST_FILES = 100_000;

export const TOO_LARGE = `larger than ${LARGEST_FILE / 1048576} MiB`;
const TOO_MANY = `after the first ${MOST_FILES} files`;
export const OUTSIDE = 'link that leads outside';
export const UNREADABLE = 'not readable';
export const NOT_A_FILE = 'not a regular file';
export const BINARY = 'binary';
export const GONE = 'broken link or just deleted';

/** Always read if they exist; on a file system that ignores case they are one file. */
export const EVERGREEN = ['MEMORY.md', 'memory.md', 'USER.md'];

export interface MemoryFile {
  /** Relative to the workspace with forward slashes, or absolute if the config names a place outside. */
  path: string;
  real: string;
  size: number;
  mtime: number;
  ctime: number;
}

export type LeftOut = Map<string, number>;

export function countLeftOut(leftOut: LeftOut, reason: string): void {
  leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
}

interface SourceListing {
  sources: MemoryFile[];
  leftOut: LeftOut;
  folders: Map<string, number>;
}

interface Walk extends SourceListing {
  workspace: string;
  roots: readonly string[];
  seen: Set<string>;
}

/**
 * Every memory file of a workspace: `MEMORY.md`, `USER.md`, `memory/` and what `include` names (files or
 * folders, relative to the workspace or absolute), in a fixed order. Hidden files are not memory.
 */
export function listSources(workspace: string, include: readonly string[] = []): SourceListing {
  const walk = createWalk(workspace, include);
  for (const name of [...EVERGREEN, 'memory']) addNamed(walk, name, false);
  for (const name of include) addNamed(walk, name, true);
  return walk;
}

/** The files at some paths and in the folders there, as far as they are sources. */
export function listFiles(
  workspace: string,
  include: readonly string[],
  paths: readonly string[],
): MemoryFile[] {
  const walk = createWalk(workspace, include);
  const named = new Set(include.map((name) => resolve(walk.workspace, name)));
  for (const path of paths) {
    const absolute = resolve(walk.workspace, path);
    addNamed(walk, path, named.has(absolute));
  }

  return walk.sources;
}

export function listAllowedRoots(workspace: string, include: readonly string[] = []): string[] {
  const base = resolve(workspace);
  const root = resolveRealPath(base) ?? base;
  const others = include.flatMap((extra) => {
    const path = resolve(base, extra);
    const real = resolveRealPath(path) ?? path;
    // The config may name a place outside the workspace, but a link inside is no such name.
    return isInside(base, path) && real !== path && !isInside(root, real) ? [] : [real];
  });

  return [root, ...others];
}

function createWalk(workspace: string, include: readonly string[]): Walk {
  const roots = listAllowedRoots(workspace, include);
  const listing = { sources: [], leftOut: new Map(), folders: new Map() };
  return { workspace: resolve(workspace), roots, seen: new Set(), ...listing };
}

/** The path shown and stored for a file: relative to the workspace if it is inside. */
export const formatPath = (workspace: string, path: string): string =>
  isInside(workspace, path) ? relative(workspace, path).replaceAll(sep, '/') : path;

/** @param isExtra whether a file is a source whatever its extension, because the config names it */
function addNamed(walk: Walk, name: string, isExtra: boolean): void {
  const path = resolve(walk.workspace, name);
  // A folder on the way to it may be a link.
  const real = resolveRealPath(path);
  const isOutside = real !== undefined && !isAllowed(walk, real);
  if (isOutside) countLeftOut(walk.leftOut, OUTSIDE);
  else addPath(walk, { path, shown: formatPath(walk.workspace, path), depth: 0, isExtra });
}

const isAllowed = ({ roots }: Walk, real: string): boolean => roots.some((root) => isInside(root, real));

interface Place {
  path: string;
  shown: string;
  depth: number;
  isExtra: boolean;
}

function addPath(walk: Walk, place: Place): void {
  const reason = tryAdd(walk, place);
  if (reason !== undefined) countLeftOut(walk.leftOut, reason);
}

/** Adds a file, or a folder with its content; returns the reason if it is left out. */
function tryAdd(walk: Walk, place: Place): string | undefined {
  const { path, shown, depth, isExtra } = place;
  let real = path;
  let stat: Stats | undefined;

  try {
    stat = getLinkStats(path);
    if (stat?.isSymbolicLink()) {
      real = resolveRealPath(path) ?? path;
      if (!isAllowed(walk, real)) return OUTSIDE;
      stat = real === path ? undefined : getStats(real);
    }
  } catch {
    return UNREADABLE;
  }

  if (stat === undefined) return depth > 0 ? GONE : undefined;

  const id = `${stat.dev}:${stat.ino}`;
  // The same file under two names (a link, or a file system that ignores case) is one source.
  if (walk.seen.has(id)) return undefined;

  if (stat.isDirectory()) {
    walk.seen.add(id);
    return addFolder(walk, place, real, stat);
  }

  if (path.slice(-3).toLowerCase() !== '.md' && !(isExtra && depth === 0)) return undefined;
  if (!stat.isFile()) return NOT_A_FILE;
  if (walk.sources.length >= MOST_FILES) return TOO_MANY;
  if (stat.size > LARGEST_FILE) return TOO_LARGE;

  walk.seen.add(id);
  const { size, mtimeMs: mtime, ctimeMs: ctime } = stat;
  walk.sources.push({ path: shown, real, size, mtime, ctime });

  return undefined;
}

function addFolder(walk: Walk, { path, shown, depth }: Place, real: string, stat: Stats): string | undefined {
  if (depth >= DEEPEST_FOLDER) return `deeper than ${DEEPEST_FOLDER} folders`;
  walk.folders.set(shown, stat.mtimeMs);
  const above = shown === '' ? '' : `${shown}/`;
  for (const name of listNames(real))
    addPath(walk, { path: `${path}${sep}${name}`, shown: above + name, depth: depth + 1, isExtra: false });

  return undefined;
}

/** What may be memory in a folder: nothing hidden, and no pad. */
export const listNames = (folder: string): string[] =>
  tryList(folder)
    .filter((name) => !name.startsWith('.') && name !== PAD_FILE && name !== 'node_modules')
    .sort();

/** Where memory is searched: the workspace's own files, then those of `include`, as far as there are any. */
export function listSearchedPlaces(workspace: string, include: readonly string[] = []): string[] {
  const found = new Map<number, string>();
  for (const name of [...EVERGREEN, 'memory', ...include]) {
    const path = resolve(workspace, name);
    const stat = tryStat(path);
    const end = stat?.isDirectory() ? '/' : '';
    if (stat && !found.has(stat.ino)) found.set(stat.ino, formatPath(resolve(workspace), path) + end);
  }

  return [...found.values()];
}

/** The same in one line for a person; without any memory, where it may be. */
export function describeSearched(places: readonly string[]): string {
  if (places.length === 0) return `nothing yet; ${NO_MEMORY}`;
  const home = `${homedir()}/`;
  return places.map((path) => (path.startsWith(home) ? `~/${path.slice(home.length)}` : path)).join(', ');
}

export const NO_MEMORY =
  'write MEMORY.md, USER.md or memory/*.md, or name other files: scratchpad config set memory.paths docs';
