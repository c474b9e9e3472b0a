import type { SpawnOptions } from 'node:child_process';
import type { Ended, Running } from './running.ts';

/** Starts a command without a shell. Windows needs more for that, which takes 60 ms to load. */
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

/** Waits for its input to end, which it does when its parent has died, however it died. */
const GUARD = 'read done || { pkill -TERM -P "$1"; kill -TERM "$1"; rm -f -- "$2"; } 2>/dev/null';

/**
 * Sees to it that a command ends with this process, even if this process is killed, and that its unfinished output
 * does not stay on the disk.
 * @param output path of the file that the command writes to
 * @returns ends the guard
 */
export async function guardChild(pid: number | undefined, output: string): Promise<() => void> {
  if (pid === undefined || process.platform === 'win32') return () => undefined;
  const { spawn } = await import('node:child_process');
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(pid), output], {
    // In a group of its own: what kills this process's group must not kill it first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return () => void guard.stdin.end('done\n');
}
