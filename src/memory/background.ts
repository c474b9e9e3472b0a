import { keepForProcess } from '../base/fs/index.ts';

const running = keepForProcess(new Set<string>());

/**
 * Brings the index of a workspace up to date in a process of its own that outlives this one. It starts when this
 * process has ended its work, so that nobody waits for it; at once from one that stays. Never fails; the next search
 * starts it again.
 * @param resident starts `scratchpad`, from a process that stays; else the program that is running does
 */
export function startRefresh(workspace: string, resident?: readonly string[]): void {
  const [command = '', ...words] = resident ?? [process.execPath, process.argv[1] ?? ''];
  if (words.includes('') || running.has(workspace)) return;

  running.add(workspace);
  const start = (): void => {
    try {
      const { spawn } = process.getBuiltinModule('node:child_process');
      const args = [...words, 'memory', 'index', '--changed', '--quiet', '--workspace', workspace];
      const child = spawn(command, args, { detached: true, stdio: 'ignore', cwd: workspace });

      child.on('error', () => running.delete(workspace));
      child.on('exit', () => running.delete(workspace));
      child.unref();
    } catch {
      running.delete(workspace);
    }
  };

  if (resident) start();
  else process.once('exit', start);
}
