import { ensureFolder, tryLock } from '../base/fs/index.ts';
import { type Follow, workerLock } from './afterwards.ts';
import { Exchange } from './exchange.ts';
import { sharedFolder } from './membership.ts';
import { storeSettings } from './settings.ts';

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
        await exchange.syncAll();
        await settle(exchange, end);
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

async function settle(exchange: Exchange, end: number): Promise<void> {
  for (let quietSince = Date.now(); Date.now() - quietSince < LINGER_MS && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (!(await exchange.mayHaveUnsent())) continue;
    await exchange.syncAll();
    quietSince = Date.now();
  }
}
