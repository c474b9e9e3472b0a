import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** How a host starts this program. */
export interface Program {
  command: string;
  /** Words before ours. */
  args: string[];
}

/**
 * `scratchpad` when the PATH leads to this very program, so that settings can be shared between
 * machines; else this Node with this file.
 * @param script path of the running program
 */
export function programOf(script: string, env: NodeJS.ProcessEnv): Program {
  const self = realPath(script);
  const named = whereIs('scratchpad', env);
  if (named !== undefined && realPath(named) === self) return { command: 'scratchpad', args: [] };
  return { command: process.execPath, args: [self] };
}

/** The first file of that name on the PATH that may be run; a path is looked at itself. */
export function whereIs(command: string, env: NodeJS.ProcessEnv): string | undefined {
  if (/[\\/]/.test(command)) return mayRun(command) ? command : undefined;
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const dir of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    for (const ending of endings) {
      const path = join(dir, command + ending);
      if (mayRun(path)) return path;
    }
  }
  return undefined;
}

/** One line for hosts that hand the command to a shell. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`))
    .join(' ');
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
