import type { SpawnOptions } from 'node:child_process';
import { execa } from '../base/safety/execa.ts';
import type { Ended, Running } from './child.ts';

/**
 * Like `startCommand`, where the program may be a script: on Windows `npm` is `npm.cmd`, which only a shell
 * runs.
 */
export function startOnWindows(
  [file, ...args]: readonly [string, ...string[]],
  options: SpawnOptions,
): Running {
  const child = execa(file, args, { ...options, extendEnv: false, reject: false, buffer: false } as object);
  const ended = child.then(({ exitCode, signal, cause }): Ended => {
    if (exitCode === undefined && signal === undefined) throw cause;
    return { code: exitCode ?? null, signal: (signal as NodeJS.Signals | undefined) ?? null };
  });
  return { child, ended };
}
