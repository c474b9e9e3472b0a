import { join } from 'node:path';
import { refused, type ScratchpadError } from '../base/errors.ts';
import { DATA_DIR, ensureFolder, tryLock } from '../base/fs/index.ts';
import { hearCommits } from '../session/workspace.ts';
import { type Follow, workerLock } from './afterwards.ts';
import { Exchange, type Exchanged } from './exchange.ts';
import { sharedFolder } from './membership.ts';
import { storeSettings } from './settings.ts';

/** Commits within this time are sent together. */
const GATHER_MS = 100;
/** How long an idle connection is kept; it does not keep the process alive. */
const IDLE_MS = 30_000;
/** Pause after a failure, doubled each time; a server that was left alone is asked again after its pause. */
const RETRY_MS = 1000;
/** This runs in somebody else's process, who may wait for it to end. */
const TIMEOUT_MS = 3000;

const followed = new Map<string, Exchange>();

/**
 * Sends automatically what this process commits, shortly afterwards. For long-running processes: MCP, the
 * library.
 * @param given an address passed to the library
 * @returns `undefined` if no store is set
 */
export function sendMeanwhile({ root, config, env }: Follow, given?: string): Exchange | undefined {
  const before = followed.get(root);
  if (before !== undefined) return before;
  const settings = storeSettings(root, config, env, given);
  if (settings === undefined) return undefined;
  const exchange = new Exchange({ root, config, env, now: Date.now, settings, timeoutMs: TIMEOUT_MS });
  followed.set(root, exchange);
  let committed = false;
  let sending = false;
  let resting: NodeJS.Timeout | undefined;
  const send = async (): Promise<void> => {
    clearTimeout(resting);
    for (let failures = 0; committed; ) {
      // After a failure this does not keep the process alive: the next process sends what is left.
      await pause(failures === 0 ? GATHER_MS : RETRY_MS * 2 ** Math.min(failures - 1, 5), failures === 0);
      try {
        committed = false;
        await exchange.sync();
        // What cannot be sent now, such as a session that another process is sending, is tried again later.
        failures = !committed && (await exchange.mayHaveUnsent()) ? failures + 1 : 0;
        committed ||= failures > 0;
      } catch {
        // The failure is recorded for `status`.
        committed = true;
        failures += 1;
      }
    }
    resting = setTimeout(() => void exchange.close(), IDLE_MS).unref();
    sending = false;
  };
  hearCommits(({ data }) => {
    if (data !== join(root, DATA_DIR)) return;
    committed = true;
    if (sending) return;
    sending = true;
    void send();
  });
  return exchange;
}

/**
 * Runs one requested exchange.
 * @throws ScratchpadError like `Exchange`, and `refused` if no store is set
 */
export async function syncNow({ root, config, env }: Follow, given?: string): Promise<Exchanged> {
  const settings = storeSettings(root, config, env, given);
  if (settings === undefined) throw noStore();
  const exchange = new Exchange({ root, config, env, now: Date.now, settings, asked: true });
  try {
    return await exchange.sync();
  } finally {
    await exchange.close();
  }
}

export function noStore(): ScratchpadError {
  return refused('no shared store is set', {
    expected: 'the setting store, or SCRATCHPAD_STORE in the environment',
    next: {
      to: 'set it',
      command: 'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
    },
  });
}

/** How long a worker waits for more work: one worker serves consecutive commands. */
const LINGER_MS = 1000;
const LOOK_MS = 200;
/** A worker ends after this; the next command starts another. */
const LONGEST_MS = 300_000;

/**
 * Exchanges until nothing is left to do and nothing arrives for a moment. One worker serves a workspace. It
 * checks for new work once more after it has released its lock, because a command that saw the lock held
 * starts no other. Never throws: a failure is recorded for `status`.
 */
export async function runWorker({ root, config, env }: Follow): Promise<void> {
  const settings = storeSettings(root, config, env);
  if (settings === undefined) return;
  const exchange = new Exchange({ root, config, env, now: Date.now, settings });
  const end = Date.now() + LONGEST_MS;
  try {
    ensureFolder(sharedFolder(root));
    do {
      const lock = tryLock(workerLock(root));
      if (!lock) return;
      try {
        await exchange.sync();
        for (let quietSince = Date.now(); Date.now() - quietSince < LINGER_MS && Date.now() < end; ) {
          await pause(LOOK_MS);
          if (!(await exchange.mayHaveUnsent())) continue;
          await exchange.sync();
          quietSince = Date.now();
        }
      } finally {
        lock.release();
      }
    } while ((await exchange.mayHaveUnsent()) && Date.now() < end);
  } catch {
    // The failure is recorded, as the function's comment says.
  } finally {
    await exchange.close();
  }
}

/** @param keepsAlive whether the process waits for it */
function pause(ms: number, keepsAlive = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!keepsAlive) timer.unref();
  });
}
