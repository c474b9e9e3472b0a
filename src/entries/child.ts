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
