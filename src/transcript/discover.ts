import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { ScratchpadError } from '../base/errors.ts';
import {
  DATA_DIR,
  exists,
  findHome,
  isInside,
  isOwn,
  leadsOutside,
  PAD_FILE,
  resolveRealPath,
  tryStat,
} from '../base/fs/index.ts';
import { listUntrusted } from '../base/trust/index.ts';
import { readEnds } from './head.ts';
import { type Home, listFiles, listSessions, SESSION_HOMES, type Search, type SessionFile } from './homes.ts';
import type { SessionRef } from './types.ts';

export type { SessionRef } from './types.ts';

const BATCH = 64;

export interface DiscoverOptions {
  /** The workspace directory; only sessions that ran in it are returned. */
  workspace: string;
  env?: NodeJS.ProcessEnv;
  home?: string;
  /** Extra session files or folders, relative to the workspace. */
  paths?: string[];
  /** The hosts to look at; default: all. */
  homes?: readonly Home[];
  /** Stop when this many of the newest are certain; default: all. */
  limit?: number;
  /** Called for a session store that exists but cannot be read (locked, too new, no reader in this Node). */
  onProblem?: (problem: ScratchpadError) => void;
}

/**
 * Lists the sessions of a workspace, of all hosts on this machine, most recently active first. Sessions of scripts, and
 * those in which nobody spoke, come after all others. Sessions of other projects, timers, hooks and subagents are left
 * out, as are archived ones.
 */
export async function discoverSessions(options: DiscoverOptions): Promise<SessionRef[]> {
  const search = createSearch(options);
  const files = listConfiguredFiles(options, false);

  for (const home of options.homes ?? SESSION_HOMES) files.push(...(await listSessions(home, search)));

  return findNewest(files, options.limit ?? Number.POSITIVE_INFINITY);
}

/** One line on files in `transcript.paths` that are not read; `undefined` if there are none. */
export function describeStrangers(options: DiscoverOptions): string | undefined {
  const [first, ...more] = listConfiguredFiles(options, true);
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  const reason = "tracked by git, another user's or linked; if yours, run scratchpad trust";
  return first && `transcript.paths: ${relative(options.workspace, first.path)}${others} not read: ${reason}`;
}

function listConfiguredFiles(options: DiscoverOptions, areForeign: boolean): SessionFile[] {
  const paths = listConfiguredPaths(options);
  const isForeign = makeForeignCheck(options.workspace, paths, options.env ?? process.env);
  return paths.flatMap(listSessionFiles).filter(({ path }) => isForeign(path) === areForeign);
}

function createSearch({ workspace, env = process.env, home, onProblem }: DiscoverOptions): Search {
  const identity = identifyWorkspace(workspace);
  return { ...identity, env, home: home ?? findHome(env), onProblem: onProblem ?? (() => undefined) };
}

const listConfiguredPaths = ({ workspace, paths = [] }: DiscoverOptions): string[] =>
  paths.map((path) => resolve(workspace, path));

/**
 * Finds files in the workspace that are not the person's own sessions: files that git tracks came with a clone, and their
 * words would count as the person's; links that lead outside may have come with an archive.
 */
function makeForeignCheck(
  workspace: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): (path: string) => boolean {
  const root = resolve(workspace);
  const inside = paths.filter((path) => isInside(root, path) && tryStat(path) !== undefined);
  if (inside.length === 0) return () => false;

  const names = inside.map((path) => relative(root, path).split(sep).join('/'));
  const wanted = names.map((name) => (tryStat(join(root, name))?.isDirectory() ? `${name}/` : name));
  const tracked = new Set(listUntrusted(root, wanted, env).map((name) => join(root, name)));
  // A folder, which ends in a slash, is tracked with all that is in it.
  const folders = [...tracked].filter((path) => path.endsWith(sep));
  const isTracked = (path: string): boolean =>
    tracked.has(path) || folders.some((folder) => path.startsWith(folder));

  return (path) => isTracked(path) || (isInside(root, path) && !isOwn(path, env)) || leadsOutside(root, path);
}

/** The session files of a path that the config names: they belong to the workspace, wherever they ran. */
function listSessionFiles(path: string): SessionFile[] {
  const owns = (): boolean => true;
  if (tryStat(path)?.isDirectory() !== true) return [{ path, owns }];
  const isSession = (name: string): boolean => /\.jsonl?$/.test(name) && name !== 'sessions.json';
  return listFiles(path, isSession).map((one) => ({ path: one, owns }));
}

interface FoundSession extends SessionRef {
  /** A script ran it, or nobody spoke in it: it comes after all others. */
  isAside?: boolean;
  /** The same for all copies of a session's file; the path for a file without an id. */
  key: string;
}

/** Examines files from the one that changed last on, until no other can be newer than those found. */
async function findNewest(files: readonly SessionFile[], limit: number): Promise<SessionRef[]> {
  const candidates = files.flatMap((file) => {
    const stats = tryStat(file.path);
    if (stats?.isFile() !== true) return [];
    const changed = new Date(stats.mtimeMs).toISOString();
    return [{ file, changed, latest: file.lastActive ?? changed }];
  });

  candidates.sort((a, b) => (a.latest < b.latest ? 1 : -1));
  const found = new Map<string, FoundSession>();
  const listNewest = (): FoundSession[] => [...found.values()].sort(compareActivity).slice(0, limit);

  for (const [index, { file, changed, latest }] of candidates.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resume) => setImmediate(resume));
    const last = found.size >= limit ? listNewest().at(-1) : undefined;
    if (last !== undefined && last.isAside !== true && latest < last.lastActive) break;

    const session = file.isListed === true ? toFoundSession(file) : readFoundSession(file, changed);
    const copy = session && found.get(session.key);
    if (session && (copy === undefined || compareActivity(session, copy) < 0))
      found.set(session.key, session);
  }

  return listNewest().map(({ isAside: _, key: __, ...ref }) => ref);
}

function toFoundSession(file: SessionFile): FoundSession | undefined {
  const { host = '', id = '', path, lastActive = '', cwd } = file;
  return file.owns(cwd) ? { host, id, path, cwd, lastActive, key: `${path}\0${id}` } : undefined;
}

/** @param changed when the file was changed, ISO 8601 */
function readFoundSession(file: SessionFile, changed: string): FoundSession | undefined {
  const { path, host, id, chat, lastActive } = file;
  const ends = readEnds(path, file.owns);
  if (ends === undefined || ends.isSubagent || (file.unlisted && ends.isEmpty)) return undefined;

  const { format, session, cwd, updated } = ends;
  // The time of the last row counts, because the file may be a copy, unless a wrong clock wrote a time to come.
  const isPast = updated !== undefined && (updated <= changed || Date.parse(updated) <= Date.now());
  const ownId = id ?? session;

  return {
    host: host ?? format,
    id: ownId ?? basename(path, extname(path)),
    path,
    cwd,
    ...(chat !== undefined && { chat }),
    lastActive: lastActive ?? (isPast ? updated : changed),
    isAside: ends.isScripted || ends.isEmpty,
    key: ownId === undefined ? path : `${host ?? format}\0${ownId}`,
  };
}

function compareActivity(a: FoundSession, b: FoundSession): number {
  const aside = Number(a.isAside === true) - Number(b.isAside === true);
  if (aside !== 0) return aside;
  if (a.lastActive === b.lastActive) return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
  return a.lastActive < b.lastActive ? 1 : -1;
}

/** A part of the file system in which files of one kind are created and changed. */
export interface FilePlace {
  /** Absolute; it need not exist yet. */
  root: string;
  /**
   * Whether a folder below the root may contain such files, by the names of its path components. Never called
   * for the root.
   */
  folder(parts: readonly string[]): boolean;
  /** Whether a file is one of them, by its name and the names of its folders below the root. */
  file(name: string, parts: readonly string[]): boolean;
}

export function makeFilePlace(path: string): FilePlace {
  const wanted = basename(path);
  return { root: dirname(path), folder: () => false, file: (name) => name === wanted };
}

/** The places of a path that may be a file or a folder of files. */
export const listFilePlaces = (path: string, isWanted: (name: string) => boolean): FilePlace[] => [
  makeFilePlace(path),
  { root: path, folder: () => false, file: isWanted },
];

export function listSessionPlaces(options: DiscoverOptions): FilePlace[] {
  const search = createSearch(options);
  return [
    ...listConfiguredPaths(options).flatMap((path) => listFilePlaces(path, (name) => /\.jsonl?$/.test(name))),
    ...SESSION_HOMES.map((home) => ({
      root: home.root(search),
      folder: (parts: readonly string[]) => home.folder(parts, search, true),
      file: (name: string) => home.file(name),
    })),
  ];
}

/** A folder that has one of these is a project of its own. */
const PROJECT_FILES = [PAD_FILE, DATA_DIR, '.git'];

function identifyWorkspace(workspace: string): Pick<Search, 'names' | 'owns'> {
  const absolute = resolve(workspace);
  const real = resolveRealPath(absolute) ?? absolute;
  const names = [...new Set([absolute, real])];
  const isOfWorkspace = (folder: string): boolean => {
    const realFolder = resolveRealPath(folder) ?? folder;
    if (names.includes(folder) || realFolder === real) return true;
    if (!isInside(real, realFolder) || !exists(realFolder)) return false;

    for (let above = realFolder; above !== real && above !== dirname(above); above = dirname(above))
      if (PROJECT_FILES.some((name) => exists(join(above, name)))) return false;

    return true;
  };

  const results = new Map<string, boolean>();

  return {
    names,
    owns(cwd) {
      if (cwd === undefined) return false;
      const result = results.get(cwd) ?? isOfWorkspace(resolve(cwd));
      results.set(cwd, result);
      return result;
    },
  };
}
