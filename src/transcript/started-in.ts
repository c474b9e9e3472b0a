import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findHome, openFile, readBytesFrom, tryList } from '../base/fs/index.ts';

/** The folder is in one of the first records; the first of Codex holds its instructions, too. */
const HEAD_BYTES = 256 * 1024;

/**
 * The folder in which a session began by the host's own file, which a sandbox keeps from its agent. For sessions that
 * no hook has recorded; of hosts that tell their commands which session they are in.
 */
export function sessionFolder(session: string, env: NodeJS.ProcessEnv): string | undefined {
  if (!/^[\w-]{8,}$/.test(session)) return undefined;

  const home = findHome(env);
  const claude = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');
  const codex = join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

  for (const folder of tryList(claude)) {
    const found = readStartFolder(join(claude, folder, `${session}.jsonl`));
    if (found !== undefined) return found;
  }

  return newestBelow(codex, 3, (name) => name.endsWith(`${session}.jsonl`));
}

function newestBelow(
  folder: string,
  depth: number,
  isSession: (name: string) => boolean,
): string | undefined {
  for (const name of tryList(folder).sort().reverse()) {
    const path = join(folder, name);
    const found =
      depth > 0 ? newestBelow(path, depth - 1, isSession) : isSession(name) && readStartFolder(path);
    if (found) return found;
  }

  return undefined;
}

/**
 * The folder in which a session began, by the beginning of its file: the first value of the key. Text that contains one
 * has backslashes before the quotation marks.
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
