import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { DATA_DIR, holderOf } from '../fs/index.ts';
import { hearCommits } from '../session/commits.ts';
import { isOpen, readCircuit } from './circuit.ts';
import { readMembership, sharedFolder } from './membership.ts';

/** Workspaces that are followed in this process: this module is loaded once, as a bundle of its own. */
const followed = new Set<string>();

export interface Follow {
  root: string;
  config: Config;
  env: NodeJS.ProcessEnv;
}

/** The lock of the one worker that serves a workspace. */
export const workerLock = (root: string): string => join(sharedFolder(root), 'worker.lock');

/**
 * Has what this process commits sent by a worker that is started when it ends: nobody waits for the network. For
 * commands and hooks.
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
    if (committed) startWorker(follow);
  });
}

/**
 * Starts a worker (`worker.ts`) that outlives this process, unless one serves the workspace, the server is left alone
 * after a failure, or the workspace takes no part. It runs the program that is running.
 */
export function startWorker({ root, config, env }: Follow): void {
  const program = process.argv[1];
  const takesPart = Boolean(env.SCRATCHPAD_STORE) || readMembership(root) !== undefined;
  if (program === undefined || !takesPart || (!env.SCRATCHPAD_STORE && config.store === undefined)) return;
  if (isOpen(readCircuit(root).until, Date.now()) || holderOf(workerLock(root)) !== undefined) return;
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
