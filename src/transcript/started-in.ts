import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findHome, openFile, readBytesFrom, tryList } from '../base/fs/index.ts';

/** The folder is in one of the first rows; the first one of Codex also holds its instructions. */
const HEAD_BYTES = 256 * 1024;

/**
 * Finds the folder in which a session of Claude Code or Codex began, in the host's own file, which its agent cannot write
 * in a sandbox. For sessions that no hook has recorded.
 */
export function findSessionFolder(session: string, env: NodeJS.ProcessEnv): string | undefined {
  if (!/^[\w-]{8,}$/.test(session)) return undefined;

  const home = findHome(env);
  const claude = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');
  const codex = join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

  for (const folder of tryList(claude)) {
    const found = readStartFolder(join(claude, folder, `${session}.jsonl`));
    if (found !== undefined) return found;
  }

  return findInNewest(codex, 3, (name) => name.endsWith(`${session}.jsonl`));
}

function findInNewest(
  folder: string,
  depth: number,
  isSession: (name: string) => boolean,
): string | undefined {
  for (const name of tryList(folder).sort().reverse()) {
    if (depth === 0 && !isSession(name)) continue;
    const path = join(folder, name);
    const found = depth === 0 ? readStartFolder(path) : findInNewest(path, depth - 1, isSession);
    if (found !== undefined) return found;
  }

  return undefined;
}

/**
 * The folder in which a session began: the first value of `cwd` in its file. A `cwd` within a text has backslashes before
 * its quotation marks.
 */
export function readStartFolder(path: string): string | undefined {
  const file = attempt(() => openFile(path, 'transcript'));
  if (file === undefined) return undefined;

  try {
    const head = readBytesFrom(file.fd, 0, Math.min(HEAD_BYTES, file.stats.size)).toString('utf8');
    const value = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
    const folder = value === undefined ? undefined : attempt((): unknown => JSON.parse(value));
    return typeof folder === 'string' ? folder : undefined;
  } finally {
    file.close();
  }
}
