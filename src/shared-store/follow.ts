import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DATA_DIR, ensureFolder, keepForProcess, tryLock } from '../base/fs/index.ts';
import { hearCommits } from '../session/workspace.ts';
import { getWorkerLock } from './background-sync.ts';
import { type Exchange, openExchange, requireExchange } from './exchange.ts';
import { getSharedFolder, type StoreMember } from './membership.ts';
import type { ExchangeReport } from './types.ts';

interface FollowOptions {
  exchange: Exchange;
  /** Whether to hear of what others do, over a connection that stays open. Otherwise it only sends. */
  listens?: boolean;
  /** Called after every exchange that changed something here, sent something, or has notices. */
  onExchange?: (done: ExchangeReport) => void;
  onProblem?: (error: unknown) => void;
  signal?: AbortSignal;
}

/** Commits and news within this time are exchanged together. */
const GATHER_MS = 100;
/** A listener looks this often by itself: a pooler that shares connections passes no notifications. */
const LOOK_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Keeps a working copy in step: sends what this process commits, and takes in what others announce. It never throws,
 * and keeps the process alive only until its commits are sent or have failed once: the next process sends the rest.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { exchange, listens = false, onExchange, onProblem, signal } = options;
  let due = listens;
  let wake = (): void => undefined;
  let isHearing = false;
  const handleNews = (): void => {
    due = true;
    wake();
  };

  hearCommits(({ data }) => {
    if (data === join(exchange.options.root, DATA_DIR)) handleNews();
  });
  signal?.addEventListener('abort', handleNews);

  for (let failures = 0; !signal?.aborted; ) {
    if (!due) {
      const timer = listens || failures > 0 ? setTimeout(handleNews, LOOK_MS).unref() : undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      clearTimeout(timer);
    }

    await pause(GATHER_MS);
    due = false;

    try {
      if (listens && !isHearing) {
        isHearing = true;
        const remote = await exchange.connect();
        await remote.listen(handleNews, () => {
          isHearing = false;
        });
      }

      const report = await exchange.sync();
      if (report.received + report.sent + report.notices.length > 0) onExchange?.(report);
      // What cannot be sent now, such as a session that another process is sending, is tried again later.
      failures = !due && (await exchange.mayHaveUnsent()) ? 1 : 0;
    } catch (error) {
      isHearing = false;
      due = true;
      failures += 1;
      if (!signal?.aborted) onProblem?.(error);
      // Many listeners lose a server at the same time, and should not all return at the same time.
      const ms = Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** failures) * (0.5 + Math.random() / 2);
      await pause(ms, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  exchange.close();
}

const followed = keepForProcess(new Map<string, Exchange>());

/** Sends what this process commits, without listening: there may be hundreds of servers, which ask when they need to. */
export function sendMeanwhile(member: StoreMember): void {
  const { root } = member;
  const exchange = followed.has(root) ? undefined : openExchange(member);
  if (exchange === undefined) return;

  followed.set(root, exchange);
  void follow({ exchange });
}

/** Runs one requested exchange. @throws ScratchpadError like `Exchange`, and `refused` if no store is set */
export async function runExchange(member: StoreMember): Promise<ExchangeReport> {
  const exchange = requireExchange(member);
  return exchange.sync().finally(() => exchange.close());
}

/** How long a worker waits for more work: one worker serves consecutive commands. */
const LINGER_MS = 1000;
/** A worker ends after this; the next command starts another. */
const LONGEST_MS = 300_000;

/**
 * Exchanges until nothing is left to do and nothing arrives for a moment. After it has released its lock it looks for
 * work once more: a command that saw the lock starts no other worker. Never throws; a failure is recorded.
 */
export async function runWorker(member: StoreMember): Promise<void> {
  const { root } = member;
  const exchange = openExchange(member);
  if (exchange === undefined) return;

  const end = Date.now() + LONGEST_MS;
  const hasMore = async (): Promise<boolean> => Date.now() < end && (await exchange.mayHaveUnsent());

  try {
    ensureFolder(getSharedFolder(root));
    do {
      const lock = tryLock(getWorkerLock(root));
      if (!lock) return;

      try {
        do {
          await exchange.sync();
          await pause(LINGER_MS);
        } while (await hasMore());
      } finally {
        lock.release();
      }
    } while (await hasMore());
  } catch {
  } finally {
    exchange.close();
  }
}
