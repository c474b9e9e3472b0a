import { join } from 'node:path';
import { DATA_DIR, holderOf } from '../base/fs/index.ts';
import type { Config } from '../config/config.ts';
import { hearCommits } from '../session/workspace.ts';
import { isOpen, readCircuit } from './circuit.ts';
import { readMembership, sharedFolder } from './membership.ts';

export { takeNotices } from './membership.ts';

const LOOK_AGAIN_MS = 10_000;

/** Workspaces that this process follows; this module is a bundle of its own, so it is loaded only once. */
const followed = new Set<string>();

export interface Follow {
  root: string;
  config: Config;
  env: NodeJS.ProcessEnv;
}

export const workerLock = (root: string): string => join(sharedFolder(root), 'worker.lock');

/**
 * Sends what this process commits, and receives what others wrote, in a worker that starts when the process
 * ends, so that nobody waits for the network. For commands and hooks.
 */
export function sendAfterwards(follow: Follow): void {
  const { root } = follow;
  if (followed.has(root)) return;
  followed.add(root);
  let committed = false;
  hearCommits(({ data }) => {
    committed ||= data === join(root, DATA_DIR);
  });
  process.once('exit', () => {
    const age = Date.now() - (readCircuit(root).inStep ?? 0);
    if (committed || age < 0 || age > LOOK_AGAIN_MS) startWorker(follow);
  });
}

/**
 * Whether the workspace is shared: if the store is set for all of a user's workspaces, this one must have
 * joined it.
 */
export function takesPart({ root, config, env }: Follow): boolean {
  return Boolean(env.SCRATCHPAD_STORE) || (config.store !== undefined && readMembership(root) !== undefined);
}

/**
 * Starts a worker (`worker.ts`) that outlives this process, unless one is running, the server is being left
 * alone after a failure, or the workspace is not shared. It runs the same program.
 */
function startWorker(follow: Follow): void {
  const { root, env } = follow;
  const program = process.argv[1];
  if (program === undefined || !takesPart(follow)) return;
  if (isOpen(readCircuit(root), Date.now()) || holderOf(workerLock(root)) !== undefined) return;
  try {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const args = [program, 'store', 'sync', '--quiet', '--workspace', root];
    const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: root, env });
    child.on('error', () => undefined);
    child.unref();
  } catch {
    // The next command tries again.
  }
}
