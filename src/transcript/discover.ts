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
import { HOMES, type Home, listFiles, listSessions, type Search, type SessionFile } from './homes.ts';
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
 * The sessions of a workspace, of all hosts on this machine, most recently active first; those of scripts, and those in
 * which nobody spoke, after all others. Sessions of other projects, timers, hooks and subagents are left out, and
 * archived ones.
 */
export async function discoverSessions(options: DiscoverOptions): Promise<SessionRef[]> {
  const search = createSearch(options);
  const found = listConfiguredFiles(options).flatMap(({ file, stranger }) => (stranger ? [] : file));

  for (const one of options.homes ?? HOMES) found.push(...(await listSessions(one, search)));

  return confirmNewest(found, options.limit ?? Number.POSITIVE_INFINITY);
}

/** One line on files in `transcript.paths` that are not read; empty if there are none. */
export function describeStrangers(options: DiscoverOptions): string {
  const [first, ...more] = listConfiguredFiles(options).filter(({ stranger }) => stranger !== undefined);
  if (first === undefined) return '';
  const path = relative(options.workspace, first.file.path);
  return `transcript.paths: ${path}${more.length > 0 ? ` and ${more.length} more` : ''} not read: ${first.stranger}`;
}

function listConfiguredFiles(
  options: DiscoverOptions,
): { file: SessionFile; stranger?: string | undefined }[] {
  const paths = listConfiguredPaths(options);
  const findReason = makeStrangerCheck(options.workspace, paths, options.env ?? process.env);
  return paths.flatMap(listSessionFiles).map((file) => ({ file, stranger: findReason(file.path) }));
}

function createSearch({ workspace, env = process.env, home, onProblem }: DiscoverOptions): Search {
  const places = { ...listDirectories(workspace), env, home: home ?? findHome(env) };
  return { ...places, onProblem: onProblem ?? (() => undefined) };
}

const listConfiguredPaths = ({ workspace, paths = [] }: DiscoverOptions): string[] =>
  paths.map((path) => resolve(workspace, path));

/**
 * Says why a file in the workspace is not one of the person's own sessions: files that git tracks came with a
 * clone, and would count as what the person said last; links that lead outside may have come with an archive.
 */
function makeStrangerCheck(
  workspace: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): (path: string) => string | undefined {
  const root = resolve(workspace);
  const inside = paths.filter((path) => isInside(root, path) && tryStat(path) !== undefined);
  if (inside.length === 0) return () => undefined;

  const names = inside.map((path) => relative(root, path).split(sep).join('/'));
  const wanted = names.map((name, k) => (tryStat(inside[k] ?? '')?.isDirectory() ? `${name}/` : name));
  const tracked = new Set(listUntrusted(root, wanted, env).map((name) => join(root, name)));
  // One that ends in a slash is tracked with all that is in it.
  const folders = [...tracked].filter((path) => path.endsWith(sep));
  const isTracked = (path: string): boolean =>
    tracked.has(path) || folders.some((folder) => path.startsWith(folder));

  return (path) => {
    if (isTracked(path)) return 'tracked by git; if yours, run scratchpad trust';
    const isOther = (isInside(root, path) && !isOwn(path, env)) || leadsOutside(root, path);
    return isOther ? "another user's, or a link that leads outside; copy it here" : undefined;
  };
}

/** Files and folders that the config names: their sessions belong to the workspace, wherever they ran. */
function listSessionFiles(path: string): SessionFile[] {
  const owns = (): boolean => true;
  if (tryStat(path)?.isDirectory() !== true) return [{ path, owns }];
  const isSession = (name: string): boolean => /\.jsonl?$/.test(name) && name !== 'sessions.json';
  return listFiles(path, isSession).map((one) => ({ path: one, owns }));
}

/** A session as it was found: those of scripts, and those in which nobody spoke, come after all others. */
interface FoundSession extends SessionRef {
  isAside?: boolean;
  /** A copy of a session's file is the same session; without an id in it each file is one. */
  key: string;
}

/** Examines files from the one that changed last on, until no other can be newer than those found. */
async function confirmNewest(files: readonly SessionFile[], limit: number): Promise<SessionRef[]> {
  const candidates = files.flatMap((file) => {
    const stats = tryStat(file.path);
    if (stats?.isFile() !== true) return [];
    const changed = new Date(stats.mtimeMs).toISOString();
    return [{ file, changed, latest: file.lastActive ?? changed }];
  });

  const found = new Map<string, FoundSession>();
  const listNewest = (): FoundSession[] => [...found.values()].sort(compareActivity).slice(0, limit);

  for (const [index, { file, changed, latest }] of candidates
    .sort((a, b) => (a.latest < b.latest ? 1 : -1))
    .entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resume) => setImmediate(resume));
    const last = found.size >= limit ? listNewest().at(-1) : undefined;
    if (last !== undefined && last.isAside !== true && latest < last.lastActive) break;

    for (const ref of file.isListed === true ? toSessionRefs(file) : peek(file, changed)) {
      const first = found.get(ref.key);
      if (first === undefined || compareActivity(ref, first) < 0) found.set(ref.key, ref);
    }
  }

  return listNewest().map(({ isAside: _, key: __, ...ref }) => ref);
}

const toSessionRefs = ({
  host = '',
  id = '',
  path,
  lastActive = '',
  cwd,
  owns,
}: SessionFile): FoundSession[] =>
  owns(cwd) ? [{ host, id, path, cwd, lastActive, key: `${path}\0${id}` }] : [];

/** @param changed when the file was, ISO 8601 */
function peek({ path, owns, host, id, lastActive, unlisted }: SessionFile, changed: string): FoundSession[] {
  const ends = readEnds(path, owns);
  if (ends === undefined || ends.isSubagent || (unlisted && ends.isEmpty)) return [];

  const { format, session, cwd, updated } = ends;
  // The record tells, not the file, which may be a copy; but a wrong clock must not make a session the newest forever.
  const isPast = updated !== undefined && (updated <= changed || Date.parse(updated) <= Date.now());
  const last = lastActive ?? (isPast ? updated : changed);
  const isAside = ends.isScripted || ends.isEmpty;
  const own = id ?? session;
  const key = own === undefined ? path : `${host ?? format}\0${own}`;

  return [
    {
      host: host ?? format,
      id: own ?? basename(path, extname(path)),
      path,
      lastActive: last,
      cwd,
      isAside,
      key,
    },
  ];
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

export const listFilePlaces = (path: string, isOne: (name: string) => boolean): FilePlace[] => [
  makeFilePlace(path),
  { root: path, folder: () => false, file: isOne },
];

export function listSessionPlaces(options: DiscoverOptions): FilePlace[] {
  const search = createSearch(options);
  return [
    ...listConfiguredPaths(options).flatMap((path) => listFilePlaces(path, (name) => /\.jsonl?$/.test(name))),
    ...HOMES.map((home) => ({
      root: home.root(search),
      folder: (parts: readonly string[]) => home.folder(parts, search, true),
      file: (name: string) => home.file(name),
    })),
  ];
}

const OWN_PROJECT = [PAD_FILE, DATA_DIR, '.git'];

function listDirectories(workspace: string): Pick<Search, 'names' | 'owns'> {
  const absolute = resolve(workspace);
  const real = resolveRealPath(absolute) ?? absolute;
  const names = [...new Set([absolute, real])];
  const decide = (cwd: string): boolean => {
    const own = resolveRealPath(cwd) ?? cwd;
    if (names.includes(cwd) || own === real) return true;
    if (!isInside(real, own) || !exists(own)) return false;

    for (let at = own; at !== real && at !== dirname(at); at = dirname(at))
      if (OWN_PROJECT.some((name) => exists(join(at, name)))) return false;

    return true;
  };

  const ownership = new Map<string, boolean>();

  return {
    names,
    owns(cwd) {
      if (cwd === undefined) return false;
      const owned = ownership.get(cwd) ?? decide(resolve(cwd));
      ownership.set(cwd, owned);
      return owned;
    },
  };
}
