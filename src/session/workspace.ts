import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { ioError } from './io-error.ts';
import { checkSessionId, fileNameFor } from './names.ts';

export const PAD_FILE = 'SCRATCHPAD.md';
export const DATA_DIR = '.scratchpad';
export const DEFAULT_PRIMARY = 'main';

/** The directory that holds `SCRATCHPAD.md` and `.scratchpad/`. */
export interface Workspace {
  root: string;
  /** Whether it holds a scratchpad already. */
  exists: boolean;
}

/** Where one session of a workspace keeps its things. */
export interface SessionPaths {
  session: string;
  /** The session's SCRATCHPAD.md. */
  pad: string;
  /** Directory of the directories of all sessions. */
  sessions: string;
  /** Directory of this session's journal, lock and entries. */
  dir: string;
  journal: string;
  lock: string;
  data: string;
  recovered: string;
  conflicts: string;
}

/**
 * Finds the workspace: the one named, else `SCRATCHPAD_WORKSPACE`, else the nearest ancestor
 * of `cwd` that holds one, else `cwd`.
 * @throws ScratchpadError `usage` when the one named is not a directory.
 */
export function findWorkspace(named: string | undefined, env: NodeJS.ProcessEnv, cwd: string): Workspace {
  const asked = named ?? (env.SCRATCHPAD_WORKSPACE || undefined);
  if (asked !== undefined) {
    const root = resolve(cwd, asked);
    if (kindOf(root) !== 'directory') {
      throw new ScratchpadError('usage', 'the workspace is not a directory', {
        where: named === undefined ? 'SCRATCHPAD_WORKSPACE' : '--workspace',
        expected: 'the path of an existing directory',
        found: asked,
        next: `create it, or name another with --workspace`,
      });
    }
    return { root, exists: holdsPad(root) };
  }
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (holdsPad(at)) return { root: at, exists: true };
    if (dirname(at) === at) return { root: resolve(cwd), exists: false };
  }
}

/**
 * Paths of one session. The primary session's pad stands in the workspace itself.
 * @throws ScratchpadError `usage` for an impossible id.
 */
export function sessionPaths(root: string, session: string, primary = DEFAULT_PRIMARY): SessionPaths {
  const data = join(root, DATA_DIR);
  const sessions = join(data, 'sessions');
  const dir = join(sessions, fileNameFor(checkSessionId(session)));
  return {
    session,
    pad: session === primary ? join(root, PAD_FILE) : join(dir, PAD_FILE),
    sessions,
    dir,
    journal: join(dir, 'journal.jsonl'),
    lock: join(dir, 'lock'),
    data,
    recovered: join(data, 'recovered'),
    conflicts: join(data, 'conflicts'),
  };
}

/**
 * The file to replace when `path` is written: the link's target when it is a symbolic link.
 * A workspace may come with a clone, so a link out of it is refused: nothing outside is ever written.
 * @throws ScratchpadError `environment` for a directory, a special file or a link that leads out.
 */
export function writableTarget(path: string, root: string): string {
  let target = path;
  try {
    if (lstatSync(path).isSymbolicLink()) {
      target = realpathSync(path);
      const home = realpathSync(root);
      if (target !== home && !target.startsWith(home + sep)) throw leadsOut(path, target);
    }
    const stats = statSync(target);
    if (!stats.isFile()) {
      throw new ScratchpadError('environment', 'not a regular file', {
        where: path,
        expected: 'a file, or nothing',
        found: stats.isDirectory() ? 'a directory' : 'a special file',
        next: 'move it away and run the command again',
      });
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  return target;
}

/**
 * @param inner directories below `.scratchpad` that will be written in, outermost first
 * @throws ScratchpadError `environment` when one of them, or `.scratchpad`, is a link that leads
 * out of the workspace.
 */
export function checkDataDir(root: string, inner: readonly string[] = []): void {
  for (const dir of [join(root, DATA_DIR), ...inner]) {
    try {
      if (!lstatSync(dir).isSymbolicLink()) continue;
      const target = realpathSync(dir);
      if (!target.startsWith(realpathSync(root) + sep)) throw leadsOut(dir, target);
    } catch (error) {
      if (error instanceof ScratchpadError) throw error;
      // A broken link leads nowhere: making the directory fails and says so.
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw ioError(error, 'cannot read', dir);
    }
  }
}

function leadsOut(path: string, target: string): ScratchpadError {
  return new ScratchpadError('environment', 'a symbolic link leads out of the workspace', {
    where: path,
    expected: 'a file or directory inside the workspace',
    found: target,
    next: 'replace the link by the thing itself',
  });
}

function holdsPad(dir: string): boolean {
  return kindOf(join(dir, PAD_FILE)) !== 'missing' || kindOf(join(dir, DATA_DIR)) === 'directory';
}

function kindOf(path: string): 'directory' | 'other' | 'missing' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return 'missing';
  return stats.isDirectory() ? 'directory' : 'other';
}
