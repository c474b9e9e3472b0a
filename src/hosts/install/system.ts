import { spawnSync } from 'node:child_process';
import { failed, ScratchpadError } from '../../base/errors.ts';
import { findExecutable } from './program.ts';

/**
 * A system service that has to be notified when files are added or removed; each step is a list of commands.
 */
export interface Service {
  /** Check that it can be notified at all; and what to do if not. */
  check?: readonly string[][];
  instead?: string;
  /** After the files are written. */
  start?: readonly string[][];
  /** Before the files are changed or go. */
  stop?: readonly string[][];
  /** After the files have gone. */
  gone?: readonly string[][];
}

/** @throws ScratchpadError `environment` before anything is written */
export function checkService({ check = [], instead }: Service, env: NodeJS.ProcessEnv): void {
  for (const step of check) {
    try {
      demand(step, env);
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      throw failed(`${error.message}: nothing was changed`, { ...error.detail, next: instead });
    }
  }
}

/** @throws ScratchpadError `environment` */
export function startService({ start = [] }: Service, env: NodeJS.ProcessEnv): void {
  for (const step of start) demand(step, env);
}

/** Stops what is running. It is no error if it is not. */
export function tellQuietly(steps: readonly string[][] | undefined, env: NodeJS.ProcessEnv): void {
  for (const step of steps ?? []) {
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
