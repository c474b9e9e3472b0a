import { delimiter, join } from 'node:path';
import { isExecutable, realPathOf } from '../../base/fs/index.ts';

/** How a host starts this program. */
export interface Program {
  command: string;
  /** Arguments before ours. */
  args: string[];
}

/**
 * `scratchpad` if the PATH leads to this very program, so that settings can be shared between machines;
 * otherwise this Node with this file.
 * @param script path of the running program
 */
export function programOf(script: string, env: NodeJS.ProcessEnv): Program {
  const self = realPathOf(script) ?? script;
  const named = findExecutable('scratchpad', env);
  if (named !== undefined && (realPathOf(named) ?? named) === self)
    return { command: 'scratchpad', args: [] };
  return { command: process.execPath, args: [self] };
}

/**
 * Directories that npm and similar tools put on the PATH of what they start: `npx scratchpad install` sees
 * one, the host that runs the hooks does not.
 */
const FLEETING = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/** The first executable of that name on the PATH; a path is checked itself. */
export function findExecutable(command: string, env: NodeJS.ProcessEnv): string | undefined {
  if (/[\\/]/.test(command)) return isExecutable(command) ? command : undefined;
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (dir === '' || FLEETING.test(dir)) continue;
    for (const ending of endings) {
      const path = join(dir, command + ending);
      if (isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** The paths of this Node and this program, for callers without a person's PATH. */
export function fixedProgram(script: string): string[] {
  return [process.execPath, realPathOf(script) ?? script];
}

/** A command line for hosts that pass the command to a shell. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`))
    .join(' ');
}
