/**
 * Updates the index of a workspace in a separate process that outlives this one. Only for the command line, because
 * it starts the current program again. It starts when this process has finished its work, so that nobody waits for
 * it. Never fails; the next search starts it again.
 */
export function startRefresh(workspace: string): void {
  const program = process.argv[1];
  if (program === undefined) return;
  process.once('exit', () => {
    try {
      const { spawn } = process.getBuiltinModule('node:child_process');
      const args = [program, 'memory', 'index', '--changed', '--quiet', '--workspace', workspace];
      const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: workspace });
      child.on('error', () => undefined);
      child.unref();
    } catch {
      // As said above.
    }
  });
}
