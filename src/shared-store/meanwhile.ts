import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { DATA_DIR } from '../fs/index.ts';
import { hearCommits } from '../session/commits.ts';
import type { Follow } from './afterwards.ts';
import { Exchange, type Exchanged } from './exchange.ts';
import { storeSettings } from './settings.ts';

/** Commits that come close together are sent together. */
const GATHER_MS = 100;
/** A connection that is not used is kept so long; it keeps no process from ending. */
const IDLE_MS = 30_000;
/** After a failure, twice as long at each; a server that was left alone is asked again when its pause is over. */
const RETRY_MS = 1000;
/** In a process of somebody else's, who may wait for its end. */
const TIMEOUT_MS = 3000;

const followed = new Map<string, Exchange>();

/**
 * Has what this process commits sent by itself, a moment later. For processes that run on: MCP, the library.
 * @param given an address that the caller of the library gave
 * @returns `undefined` where no store is set
 */
export function sendMeanwhile({ root, config, env }: Follow, given?: string): Exchange | undefined {
  const before = followed.get(root);
  if (before !== undefined) return before;
  const settings = storeSettings(root, config, env, given);
  if (settings === undefined) return undefined;
  const exchange = new Exchange({ root, config, env, now: Date.now, settings, timeoutMs: TIMEOUT_MS });
  followed.set(root, exchange);
  let timer: NodeJS.Timeout | undefined;
  let resting: NodeJS.Timeout | undefined;
  let failures = 0;
  let sent = 0;
  let sending = Promise.resolve();
  const send = async (): Promise<void> => {
    timer = undefined;
    clearTimeout(resting);
    sent = Date.now();
    let left = true;
    try {
      if (await exchange.mayHaveUnsent()) await exchange.syncAll();
      left = await exchange.mayHaveUnsent();
      failures = 0;
    } catch {
      // What failed is in the record that `status` shows.
      failures += 1;
    }
    if (timer !== undefined) return;
    resting = setTimeout(() => void exchange.close(), IDLE_MS).unref();
    // Nobody is kept from ending: what is unsent then is sent by the next process.
    if (left) sendIn(RETRY_MS * 2 ** Math.min(failures, 5)).unref();
  };
  const sendIn = (ms: number): NodeJS.Timeout => {
    timer = setTimeout(() => {
      sending = sending.then(send);
    }, ms);
    return timer;
  };
  hearCommits(({ data }) => {
    if (data !== join(root, DATA_DIR)) return;
    if (timer?.hasRef()) return;
    clearTimeout(timer);
    sendIn(Math.min(GATHER_MS, Math.max(0, sent + GATHER_MS - Date.now())));
  });
  return exchange;
}

/** One exchange that was asked for. @throws ScratchpadError as `Exchange` does, and `refused` where no store is set */
export async function syncNow({ root, config, env }: Follow, given?: string): Promise<Exchanged> {
  const settings = storeSettings(root, config, env, given);
  if (settings === undefined) throw noStore();
  const exchange = new Exchange({ root, config, env, now: Date.now, settings, asked: true });
  try {
    return await exchange.syncAll();
  } finally {
    await exchange.close();
  }
}

export function noStore(): ScratchpadError {
  return new ScratchpadError('refused', 'no shared store is set', {
    expected: 'the setting store, or SCRATCHPAD_STORE in the environment',
    next: 'set it with: scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
  });
}
