import { channel } from 'node:diagnostics_channel';
import { dirname, join, resolve } from 'node:path';
import { refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { DATA_DIR, exists, PAD_FILE, tryStat, walkUpward } from '../base/fs/index.ts';
import { findGitPlace, findMainTop } from '../base/git/place.ts';
import { digestText, makeSlug } from '../base/text/strings.ts';
import { listCopies, mayWrite } from '../base/trust/index.ts';

export const DEFAULT_PRIMARY = 'main';

export interface Workspace {
  root: string;
  exists: boolean;
  /** Whether a person or a program named it; otherwise it was searched for. */
  named: boolean;
  /** The linked work tree in which the search began, if the workspace is that of the main work tree. */
  worktree?: string;
  /** The folder in which the session works, if a command was run elsewhere. */
  from?: string;
}

export interface SessionPaths {
  session: string;
  pad: string;
  sessions: string;
  /** Directory of this session's journal, lock and entries. */
  dir: string;
  journal: string;
  lock: string;
  /** State of the exchange with a shared store. */
  shared: string;
  data: string;
  recovered: string;
  conflicts: string;
}

/**
 * Finds the workspace: the one named, else `SCRATCHPAD_WORKSPACE`, else `cwd` or the nearest folder above that holds
 * a pad and does not belong to another user, else `cwd`. The search goes up to the top of the git work tree, but not
 * up into the home directory, because a pad there does not belong to this project. A linked work tree without a pad of
 * its own uses that of the main one, even one that is yet to be made, because its own files go when it is removed.
 * @param exactly takes the named folder itself, also in a linked work tree
 * @throws ScratchpadError `usage` if the named one is not a directory
 */
export function findWorkspace(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
  { exactly = false } = {},
): Workspace {
  const requested = named ?? (env.SCRATCHPAD_WORKSPACE || undefined);
  if (requested === undefined) return searchWorkspace(resolve(cwd), env);

  const root = resolve(cwd, requested);
  if (!isFolder(root))
    throw usageError('the workspace is not a directory', {
      where: named === undefined ? 'SCRATCHPAD_WORKSPACE' : 'workspace',
      expected: 'the path of an existing directory',
      found: requested,
      next: 'create it, or name the directory that holds SCRATCHPAD.md',
    });

  const main = exactly || hasPad(root) ? undefined : findMainWorkspace(root, env);
  const found = { ...(main ?? { root, exists: hasPad(root) || hasCopies(root) }), named: true };
  // A folder that is named stands for `cd`, with its branch; a variable names the main folder for all work trees.
  const place = named === undefined ? findGitPlace(cwd) : undefined;
  const isSameRepository = place !== undefined && findMainTop(place) === found.root;
  return isSameRepository ? found : { ...found, from: root };
}

function searchWorkspace(start: string, env: NodeJS.ProcessEnv): Workspace {
  const place = findGitPlace(start);
  const mayHaveCopies = place !== undefined && exists(join(place.gitDir, 'scratchpad'));
  const root = listFoldersUpward(start, env).find(
    (folder) =>
      (hasPad(folder) || (mayHaveCopies && hasCopies(folder))) && (folder === start || mayWrite(folder, env)),
  );
  if (root !== undefined) return { root, exists: true, named: false };

  return { ...(findMainWorkspace(start, env) ?? { root: start, exists: false }), named: false };
}

function findMainWorkspace(start: string, env: NodeJS.ProcessEnv): Omit<Workspace, 'named'> | undefined {
  const place = findGitPlace(start);
  const root = place && findMainTop(place);
  if (place?.linked === undefined || root === undefined || !mayWrite(root, env)) return undefined;
  return { root, exists: hasPad(root) || hasCopies(root), worktree: place.linked };
}

function listFoldersUpward(start: string, env: NodeJS.ProcessEnv): string[] {
  const home = env.HOME || env.USERPROFILE;
  const folders: string[] = [];

  for (const folder of walkUpward(start)) {
    // A pad in the home, or in the root of the disk, counts only for work in that very folder.
    const isForAll = (home && folder === resolve(home)) || dirname(folder) === folder;
    if (folder !== start && isForAll) break;
    folders.push(folder);
    if (exists(join(folder, '.git'))) break;
  }

  return folders;
}

/**
 * Paths of one session. The primary session's pad is in the workspace itself.
 * @param folder where the session is created before it is moved into place
 * @throws ScratchpadError `usage` for an impossible id.
 */
export function getSessionPaths(
  root: string,
  session: string,
  primary = DEFAULT_PRIMARY,
  folder?: string,
): SessionPaths {
  const data = join(root, DATA_DIR);
  const sessions = join(data, 'sessions');
  const dir = folder ?? join(sessions, encodeFileName(checkSessionId(session)));

  return {
    session,
    pad: session === primary ? join(root, PAD_FILE) : join(dir, PAD_FILE),
    sessions,
    dir,
    journal: join(dir, 'journal.jsonl'),
    lock: join(dir, 'lock'),
    shared: join(dir, 'shared.json'),
    data,
    recovered: join(data, 'recovered'),
    conflicts: join(data, 'conflicts'),
  };
}

/** The session name under which a linked work tree has its state and entries. */
export const nameWorktreeSession = (name: string): string => `worktree-${name}`;

const hasCopies = (root: string): boolean => listCopies(root).length > 0;

const hasPad = (dir: string): boolean =>
  tryStat(join(dir, PAD_FILE)) !== undefined || isFolder(join(dir, DATA_DIR));

const isFolder = (path: string): boolean => tryStat(path)?.isDirectory() === true;

export function refuseForeignWorkspace(root: string): ScratchpadError {
  return refusal('the workspace belongs to another user: nothing was written', {
    where: root,
    expected: 'a workspace of your own',
    next: {
      to: 'name another workspace; or read this one and, if you trust it, approve it there',
      command: 'scratchpad trust',
    },
  });
}

/** The refusal where git has checked out somebody else's files in the place of ours. */
export function refuseGitReplacement(pad: string): ScratchpadError {
  return refusal('git has put a scratchpad of somebody else here: nothing was changed', {
    where: pad,
    expected: 'a branch without one, where yours is as it was',
    next: {
      to: 'go back to your branch, or remove the file: yours is written anew; if you trust this one, approve it',
      command: 'scratchpad trust',
    },
  });
}

const PLAIN = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?$/;
/** Devices of Windows: no file can have such a name there, whatever its extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const ID_LIMIT = 200;

/**
 * A file name for any session id or entry name: the name itself if it is safe on every file system, else a readable
 * part and a hash. Different names get different files even if the file system ignores case, and none can leave its
 * directory.
 */
export function encodeFileName(name: string): string {
  if (PLAIN.test(name) && !RESERVED.test(name)) return name;
  return `${makeSlug(name) || 'x'}~${digestText(name)}`;
}

export const isSessionId = (id: string): boolean =>
  id.trim() !== '' && [...id].length <= ID_LIMIT && !/[\u0000-\u001f\u007f]/.test(id);

function checkSessionId(id: string): string {
  if (isSessionId(id)) return id;
  throw usageError('not a session id', {
    expected: `1 to ${ID_LIMIT} characters, none of them a control character`,
    found: id,
  });
}

export interface Commit {
  data: string;
  session: string;
}

/** Node's diagnostics channels work across bundles, and cost nothing without listeners. */
const commits = channel('scratchpad.commit');

export function tellCommit({ data, session }: Pick<SessionPaths, 'data' | 'session'>): void {
  if (commits.hasSubscribers) commits.publish({ data, session } satisfies Commit);
}

export function hearCommits(hear: (commit: Commit) => void): void {
  commits.subscribe((message) => hear(message as Commit));
}
