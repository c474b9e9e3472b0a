/**
 * Brings the index of a workspace up to date in a process of its own that outlives this one. Only for the
 * command line: it runs the program that is running. Never fails; the next search starts it again.
 */
export function startRefresh(workspace: string): void {
  const program = process.argv[1];
  if (program === undefined) return;
  void import('node:child_process')
    .then(({ spawn }) => {
      const args = [program, 'memory', 'index', '--changed', '--quiet', '--workspace', workspace];
      const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: workspace });
      child.on('error', () => undefined);
      child.unref();
    })
    .catch(() => undefined);
}
