import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { DATA_DIR, keepForProcess, readHolderPid } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { formatAge } from '../base/text/durations.ts';
import { hearCommits } from '../session/workspace.ts';
import {
  getSharedFolder,
  isLeftAlone,
  isMember,
  noteContact,
  readContact,
  type StoreMember,
  takeNotices,
} from './membership.ts';

/** What a command or a hook, which must not wait for the store, does before and after its work. */
export { isMember, type StoreMember, takeNotices } from './membership.ts';

const LOOK_AGAIN_MS = 10_000;
/** A local copy of this age is described as old. */
const OLD_MS = 5 * 60_000;

/** The workspaces whose changes this process sends at its end. */
const followed = keepForProcess(new Set<string>());

export const getWorkerLock = (root: string): string => join(getSharedFolder(root), 'worker.lock');

/** Sends what this process commits, and receives what others wrote, in a worker that starts when the process ends. */
export function sendAfterwards(member: StoreMember): void {
  const { root } = member;
  if (followed.has(root)) return;

  followed.add(root);
  let hasCommitted = false;
  hearCommits(({ data }) => {
    hasCommitted ||= data === join(root, DATA_DIR);
  });
  process.once('exit', () => {
    const age = Date.now() - (readContact(root).inStep ?? 0);
    if (hasCommitted || age < 0 || age > LOOK_AGAIN_MS) startWorker(member);
  });
}

/** Starts a worker (`runWorker`) that outlives this process, unless one runs or the server is left alone after a failure. */
function startWorker(member: StoreMember): void {
  const { root, env } = member;
  const program = process.argv[1];
  if (program === undefined || !isMember(member)) return;
  if (isLeftAlone(readContact(root)) || readHolderPid(getWorkerLock(root)) !== undefined) return;

  // If it fails the next command tries again.
  attempt(() => {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const args = [program, 'store', 'sync', '--quiet', '--workspace', root];
    const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: root, env });

    child.on('error', () => undefined);
    child.unref();
  });
}

/**
 * Receives what others wrote before a host's model is shown the pad.
 * @param sessions the sessions whose pads to check
 * @param isStart whether a context window starts, which is told if the copy is old
 * @returns what the model should know; never throws
 */
export async function receiveChanges(
  member: StoreMember,
  sessions: readonly string[],
  isStart: boolean,
): Promise<string[]> {
  const { root } = member;
  if (!isMember(member)) return [];

  const isInStep = await receiveInTime(member, sessions);
  const age = Date.now() - (readContact(root).inStep ?? Date.now());
  if (isInStep || !isStart || age < OLD_MS) return takeNotices(root);

  const old = `(The shared memory is out of reach: plan, notes and refs are as this machine knew them ${formatAge(age)} ago.)`;
  return [...takeNotices(root), old];
}

/**
 * Receives what others wrote if the server answers in time. Nobody waits for a slow one again before a worker in the
 * background has found it fast enough. Never throws.
 */
export async function receiveInTime(member: StoreMember, sessions: readonly string[]): Promise<boolean> {
  const { root, config } = member;
  const { wait: waitMs } = config.shared;
  const contact = readContact(root);
  if ((contact.connectMs ?? 0) >= waitMs || isLeftAlone(contact) || !isMember(member)) return false;

  try {
    const { openExchange } = await import('./exchange.ts');
    // Loading the driver does not count as waiting for the server.
    await import('./remote.ts');
    const exchange = openExchange(member, { waitMs });
    if (exchange === undefined) return false;

    const exchanging = exchange.sync({ only: sessions }).then(
      () => 'done',
      (error: unknown) => (exchange.isServerError(error) ? 'late' : 'refused'),
    );
    const outcome = await withTimeout(exchanging, waitMs, () => 'late');

    exchange.close();
    if (outcome === 'late') noteContact(root, { connectMs: waitMs });

    return outcome === 'done';
  } catch {
    // `store status` reports an invalid address.
    return false;
  }
}
