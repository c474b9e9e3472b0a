import { dirname, join, resolve } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { DATA_DIR, tryStat } from '../fs/index.ts';
import { mayWrite } from '../trust/provenance.ts';
import { checkSessionId, fileNameFor } from './names.ts';

export const PAD_FILE = 'SCRATCHPAD.md';
export { DATA_DIR } from '../fs/index.ts';
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
  /** Shows that the pad's state block was assembled here. */
  seal: string;
  lock: string;
  /** What is known of the exchange with a shared store. */
  shared: string;
  data: string;
  recovered: string;
  conflicts: string;
}

/**
 * Finds the workspace: the one named, else `SCRATCHPAD_WORKSPACE`, else `cwd` or the nearest ancestor that holds
 * one and does not belong to another user, else `cwd`.
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
    if (holdsPad(at) && (at === resolve(cwd) || mayWrite(at, env))) return { root: at, exists: true };
    if (dirname(at) === at) return { root: resolve(cwd), exists: false };
  }
}

/**
 * Paths of one session. The primary session's pad stands in the workspace itself.
 * @param folder where the session is being made, before it takes its place
 * @throws ScratchpadError `usage` for an impossible id.
 */
export function sessionPaths(
  root: string,
  session: string,
  primary = DEFAULT_PRIMARY,
  folder?: string,
): SessionPaths {
  const data = join(root, DATA_DIR);
  const sessions = join(data, 'sessions');
  const dir = folder ?? join(sessions, fileNameFor(checkSessionId(session)));
  return {
    session,
    pad: session === primary ? join(root, PAD_FILE) : join(dir, PAD_FILE),
    sessions,
    dir,
    journal: join(dir, 'journal.jsonl'),
    seal: join(dir, 'state.seal'),
    lock: join(dir, 'lock'),
    shared: join(dir, 'shared.json'),
    data,
    recovered: join(data, 'recovered'),
    conflicts: join(data, 'conflicts'),
  };
}

function holdsPad(dir: string): boolean {
  return kindOf(join(dir, PAD_FILE)) !== 'missing' || kindOf(join(dir, DATA_DIR)) === 'directory';
}

function kindOf(path: string): 'directory' | 'other' | 'missing' {
  const stats = tryStat(path);
  if (!stats) return 'missing';
  return stats.isDirectory() ? 'directory' : 'other';
}
