import { setTimeout } from 'node:timers/promises';
import { describeError } from '../../base/errors.ts';
import { exists, tryStat } from '../../base/fs/index.ts';
import { discoverSessions, type SessionRef } from '../../transcript/discover.ts';
import type { AssembleRequest } from '../assemble-pad.ts';
import { type RunReport, runTrigger, type TriggerOptions, type TriggerPad } from './run.ts';
import { type Kind, listWatchedPlaces, PlacesWatcher } from './watcher.ts';

type RunReason = Kind | 'start' | 'age';

export type WatchEvent =
  | { event: 'watching'; pid: number; workspace: string; session: string | null }
  | { event: 'waiting'; transcript: string }
  | ({ event: 'assembled'; reasons: RunReason[] } & RunReport)
  | { event: 'unchanged'; reasons: RunReason[] }
  | { event: 'failed'; reasons: RunReason[]; error: string }
  | { event: 'session'; session: string | null }
  | { event: 'shared'; sent: number; received: number; notices: string[] }
  | { event: 'problem'; problem: string }
  | { event: 'ended'; because: string };

interface WatchOptions extends TriggerOptions<WatchEvent> {
  /** A run waits this long, in milliseconds, for more changes. */
  quietMs: number;
  /** Least time from the end of one run to the start of the next, in milliseconds. */
  intervalMs: number;
  /** The transcript or session to assemble; default: the most recent session. */
  request: Pick<AssembleRequest, 'transcript' | 'session'>;
  pollMs?: number;
  /** Ends after the first run that a change has caused. */
  once: boolean;
}

/** A block is renewed after this part of its time to live even if nothing has changed, because the time has. */
const RENEW_AT = 0.9;
/** chokidar does not tell of a second change of a file within 50 ms: a run begins later, and reads both. */
const UNTOLD_MS = 60;
const LOOK_MS = 20_000;

/** Keeps the state block fresh until it is ended. An error in one run does not prevent the next. */
export async function watchWorkspace(options: WatchOptions): Promise<void> {
  const { open, tell, request, signal } = options;
  const opened = await open();
  const { root } = opened.pad;
  const stop = new AbortController();
  const end = (because: string): void => stop.abort(because);
  const ending = AbortSignal.any([signal, stop.signal]);
  let active = await findActiveSession(opened, request);
  let mark = '';
  let due = Number.POSITIVE_INFINITY;

  const run = async (changes: ReadonlySet<RunReason>): Promise<void> => {
    const reasons = [...changes];
    try {
      if (!exists(root)) return end('the workspace no longer exists');

      options.check();
      const { transcript } = request;
      if (transcript !== undefined && !exists(transcript)) return tell({ event: 'waiting', transcript });

      const now = await open();
      const found = await findActiveSession(now, request);
      const changed = fingerprintSession(found, request);
      const moved = found?.path !== active?.path || found?.id !== active?.id;

      if (moved) tell({ event: 'session', session: found?.path ?? null });
      active = found;
      // With time, too: a folder that was replaced in one go is watched no more.
      if (moved || changes.has('config') || changes.has('age'))
        await watcher.watch(listWatchedPlaces(now.pad, request.transcript, found?.path));
      // Files of other projects are in the same folders.
      if (reasons.every((reason) => reason === 'transcript') && !moved && changed === mark) {
        return tell({ event: 'unchanged', reasons });
      }

      const report = await runTrigger(now, 'watch', request);
      mark = changed;
      tell({ event: 'assembled', reasons, ...report });
      due = Date.now() + report.ttlMs * RENEW_AT;
      if (options.once && !changes.has('start')) end('one run was asked for');
    } catch (error) {
      tell({ event: 'failed', reasons, error: describeError(error) });
      due = Date.now() + RETRY_MS;

      try {
        options.check();
      } catch {
        end('its lock was removed, or taken over');
      }
    }
  };

  let changes = new Set<RunReason>();
  let wake = (): void => undefined;
  const note = (reason: RunReason): void => {
    changes.add(reason);
    wake();
  };
  // A timer does not count the time that the machine sleeps.
  const renewal = setInterval(() => {
    if (Date.now() >= due) note('age');
  }, LOOK_MS);
  const watcher = new PlacesWatcher({
    onChange: note,
    onProblem: (error) => tell({ event: 'problem', problem: describeError(error) }),
    pollMs: options.pollMs,
  });

  await watcher.watch(listWatchedPlaces(opened.pad, request.transcript, active?.path));
  tell({
    event: 'watching',
    pid: process.pid,
    workspace: root,
    session: request.transcript ?? active?.path ?? null,
  });
  // The first run covers the changes before everything was watched.
  changes = new Set(['start']);
  ending.addEventListener('abort', () => wake());
  const pause = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal: ending }).catch(() => undefined);
  while (!ending.aborted) {
    // Several changes become one run, and a change during a run causes another.
    const made = changes;
    changes = new Set();
    await run(made);
    await pause(options.intervalMs);
    if (changes.size === 0 && !ending.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });

    await pause(Math.max(options.quietMs, UNTOLD_MS));
  }

  clearInterval(renewal);
  await watcher.close();
  tell({ event: 'ended', because: String(ending.reason) });
}

/** Retries after a failed run, even if nothing changes. */
const RETRY_MS = 60_000;

/** The session that an assembly would read; `undefined` if there is none, or a file was named. */
async function findActiveSession(
  { pad: { root, config, env } }: TriggerPad,
  { transcript, session }: WatchOptions['request'],
): Promise<SessionRef | undefined> {
  if (transcript !== undefined) return undefined;
  const found = await discoverSessions({
    workspace: root,
    env,
    paths: config.transcript.paths,
    limit: session === undefined ? 1 : undefined,
  });

  return session === undefined ? found[0] : found.find(({ id }) => id === session);
}

/** A fingerprint that changes with the session. A database changes a file beside it. */
function fingerprintSession(active: SessionRef | undefined, { transcript }: WatchOptions['request']): string {
  const path = transcript ?? active?.path;
  if (path === undefined) return '';

  const marks = [path, `${path}-wal`].map((file) => {
    const stats = tryStat(file);
    return stats ? `${stats.size}-${stats.mtimeMs}-${stats.ino}` : '';
  });

  return [path, active?.id, active?.lastActive, ...marks].join('|');
}
