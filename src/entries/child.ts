import type { SpawnOptions } from 'node:child_process';
import type { Ended, Running } from './running.ts';

/** Starts a command without a shell. Windows needs a package for that, which takes 60 ms to load. */
export async function startCommand(
  command: readonly [string, ...string[]],
  options: SpawnOptions,
): Promise<Running> {
  if (process.platform === 'win32')
    return (await import('./child-windows.ts')).startOnWindows(command, options);
  const { spawn } = await import('node:child_process');
  const [file, ...args] = command;
  const child = spawn(file, args, options);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { child, ended };
}

/** Waits for its stdin to end, which happens when its parent dies, for whatever reason. */
const GUARD = 'read done || { pkill -TERM -P "$1"; kill -TERM "$1"; rm -f -- "$2"; } 2>/dev/null';

/**
 * Makes sure that a command ends with this process, even if this process is killed, and that its unfinished
 * output does not stay on the disk.
 * @param output path of the file that the command writes to
 * @returns a function that ends the guard
 */
export async function guardChild(pid: number | undefined, output: string): Promise<() => void> {
  if (pid === undefined || process.platform === 'win32') return () => undefined;
  const { spawn } = await import('node:child_process');
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(pid), output], {
    // In a process group of its own: a signal that kills this process's group must not kill the guard first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return () => void guard.stdin.end('done\n');
}
