import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { failed, ScratchpadError } from '../../base/errors.ts';
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

/** A system service that has to be notified of files; each step is a list of commands. */
export interface Service {
  /** After the files are written. */
  start: readonly string[][];
  /** What to do if that fails, as where nobody is logged in, and in containers. */
  instead?: string;
  /** Before the files are changed or go. */
  stop: readonly string[][];
  /** After the files have gone. */
  gone: readonly string[][];
}

/** @throws ScratchpadError `environment` */
export function startService({ start, instead }: Service, env: NodeJS.ProcessEnv): void {
  try {
    for (const step of start) demand(step, env);
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    throw failed(`${error.message}: nothing was changed`, { ...error.detail, next: instead });
  }
}

/** Stops what is running. It is no error if it is not. */
export function tellQuietly(steps: readonly string[][], env: NodeJS.ProcessEnv): void {
  for (const step of steps) {
    try {
      call(step, env);
    } catch {
      // It is not running, which is no error.
    }
  }
}

/** The result of a system program. */
interface Called {
  /** `null` if a signal ended it. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

const TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/**
 * Calls a system program and waits for its end. Its messages are in English.
 * @throws ScratchpadError `environment` if it does not exist, or does not end
 */
export function call(words: readonly string[], env: NodeJS.ProcessEnv, input?: Uint8Array): Called {
  const [command = '', ...args] = words;
  const path = findExecutable(command, env);
  if (path === undefined) {
    throw failed(`the program ${command} was not found`, {
      expected: `a program called ${command} on the PATH`,
    });
  }
  const { error, status, stdout, stderr } = spawnSync(path, args, {
    env: { ...env, LC_ALL: 'C', NO_COLOR: '1' },
    input: input ?? '',
    timeout: TIME_LIMIT_MS,
    maxBuffer: OUTPUT_LIMIT,
  });
  // A program that ends without reading its input has still answered.
  if (error && !(status !== null && 'code' in error && error.code === 'EPIPE')) {
    const found = error.message;
    throw failed(`${command} failed`, { found, cause: error });
  }
  return { code: status, stdout, stderr: stderr.toString('utf8').trim() };
}

/** @throws ScratchpadError `environment` with the program's own message if it fails */
export function demand(words: readonly string[], env: NodeJS.ProcessEnv, input?: Uint8Array): Buffer {
  const { code, stdout, stderr } = call(words, env, input);
  if (code === 0) return stdout;
  throw failed(`${words[0]} failed`, {
    where: words.slice(0, 4).join(' '),
    expected: 'exit code 0',
    found: `${code ?? 'a signal'}: ${stderr || stdout.toString('utf8').trim()}`,
  });
}
