import { inShort } from '../../base/errors.ts';
import { exists, tryStat } from '../../base/fs/index.ts';
import { discoverSessions, type SessionRef } from '../../transcript/discover.ts';
import type { AssembleRequest } from '../assemble-pad.ts';
import { type OpenedPad, type RunReport, runTrigger } from './run.ts';
import { type Kind, PlacesWatcher, watchedPlaces } from './watcher.ts';

/** Why a run was made: a change, the start, or a block that is about to expire. */
export type RunReason = Kind | 'start' | 'age';

/** An event that the watcher reports. */
export type WatchEvent =
  | { event: 'watching'; pid: number; workspace: string; session: string | null }
  | ({ event: 'assembled'; reasons: RunReason[] } & RunReport)
  | { event: 'unchanged'; reasons: RunReason[] }
  | { event: 'waiting'; for: string }
  | { event: 'failed'; reasons: RunReason[]; error: string }
  | { event: 'session'; session: string | null }
  | { event: 'shared'; sent: number; received: number; notices: string[] }
  | { event: 'problem'; problem: string }
  | { event: 'ended'; because: string };

export interface WatchOptions extends PaceOptions {
  open: () => Promise<OpenedPad>;
  tell: (event: WatchEvent) => void;
  /** The transcript or session to assemble; default: the most recent session. */
  request: Pick<AssembleRequest, 'transcript' | 'session'>;
  pollMs?: number;
  /** Ends after the first run that a change has caused. */
  once: boolean;
  /** Throws if the lock that makes this the only instance was lost. */
  check: () => void;
  /** Aborted to end the watcher; the reason is reported. */
  signal: AbortSignal;
}

/**
 * A block is renewed after this part of its time to live even if nothing has changed, because the time has.
 */
const RENEW_AT = 0.9;

/** Keeps the state block fresh until it is ended. An error in one run does not prevent the next. */
export async function watchWorkspace(options: WatchOptions): Promise<void> {
  const { open, tell, request, signal } = options;
  const opened = await open();
  const { root } = opened.pad;
  const end = endOf(signal);
  let active = await activeOf(opened, request);
  let mark = '';
  let places = placesOf(opened, request, active);

  const run = async (changes: ReadonlySet<RunReason>): Promise<void> => {
    const reasons = [...changes];
    try {
      if (!exists(root)) return end.now('the workspace no longer exists');
      options.check();
      const now = await open();
      const found = await activeOf(now, request);
      const changed = markOf(found, request);
      const moved = found?.path !== active?.path || found?.id !== active?.id;
      if (moved) tell({ event: 'session', session: found?.path ?? null });
      active = found;
      if ((moved && found && !watcher.covers(found.path)) || changes.has('config')) {
        places = placesOf(now, request, found);
        await watcher.watch(places);
      }
      // Files of other projects are in the same folders.
      if (reasons.every((reason) => reason === 'transcript') && !moved && changed === mark) {
        return tell({ event: 'unchanged', reasons });
      }
      const awaited = request.transcript;
      if (awaited !== undefined && !exists(awaited)) return tell({ event: 'waiting', for: awaited });
      const report = await runTrigger(now, 'watch', request);
      mark = changed;
      tell({ event: 'assembled', reasons, ...report });
      renewal.in(report.ttlMs * RENEW_AT);
      if (options.once && !changes.has('start')) end.now('one run was asked for');
    } catch (error) {
      tell({ event: 'failed', reasons, error: inShort(error) });
      renewal.in(RETRY_MS);
      try {
        options.check();
      } catch {
        end.now('its lock was removed, or taken over');
      }
    }
  };
  const pace = new Pace<RunReason>(options, run);
  const renewal = new Renewal(() => pace.note('age'));
  // Changes before everything is watched are covered by the first run, which comes afterwards.
  let watching = false;
  const watcher = new PlacesWatcher({
    onChange: (kind) => {
      if (watching) pace.note(kind);
    },
    onProblem: (error) => tell({ event: 'problem', problem: inShort(error) }),
    pollMs: options.pollMs,
  });
  await watcher.watch(places);
  watching = true;
  tell({ event: 'watching', pid: process.pid, workspace: root, session: active?.path ?? null });
  pace.note('start');
  const because = await end.told;
  renewal.stop();
  await watcher.close();
  await pace.close();
  tell({ event: 'ended', because });
}

/** Retries after a failed run, even if nothing changes. */
const RETRY_MS = 60_000;

interface End {
  now(because: string): void;
  told: Promise<string>;
}

function endOf(signal: AbortSignal): End {
  let now: (because: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => {
    now = resolve;
  });
  const aborted = (): void => now(String(signal.reason));
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted, { once: true });
  return { now, told };
}

function placesOf(
  { pad: { root, config, env } }: OpenedPad,
  { transcript }: WatchOptions['request'],
  active: SessionRef | undefined,
) {
  return watchedPlaces({ root, config, env, transcript, active: active?.path });
}

/** The session that an assembly would read; `undefined` if there is none, or a file was named. */
async function activeOf(
  { pad: { root, config, env } }: OpenedPad,
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
function markOf(active: SessionRef | undefined, { transcript }: WatchOptions['request']): string {
  const path = transcript ?? active?.path;
  if (path === undefined) return '';
  const marks = [path, `${path}-wal`].map((file) => {
    const stats = tryStat(file);
    return stats ? `${stats.size}-${stats.mtimeMs}-${stats.ino}` : '';
  });
  return [path, active?.id, active?.lastActive, ...marks].join('|');
}

/** How soon a run may follow a change, in milliseconds. */
export interface PaceOptions {
  /** A run waits until nothing has changed for this long. */
  quietMs: number;
  /** Longest wait for a pause in a continuous stream of changes. */
  patienceMs: number;
  /** Least time from the end of one run to the start of the next. */
  intervalMs: number;
}

/**
 * Turns changes into runs: several changes become one run, only one runs at a time, and a change during a run
 * causes another, so that the last change is never missed.
 */
export class Pace<Change> {
  readonly #options: PaceOptions;
  readonly #run: (changes: ReadonlySet<Change>) => Promise<void>;
  #waiting = new Set<Change>();
  #firstAt = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** @param run must not reject */
  constructor(options: PaceOptions, run: (changes: ReadonlySet<Change>) => Promise<void>) {
    this.#options = options;
    this.#run = run;
  }

  /** Records a change. */
  note(change: Change): void {
    if (this.#closed) return;
    // The monotonic clock: setting back the wall clock must not delay a run.
    if (this.#waiting.size === 0) this.#firstAt = performance.now();
    this.#waiting.add(change);
    if (this.#running === undefined) this.#arm();
  }

  /** Stops; resolves when the last run has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const { quietMs, patienceMs, intervalMs } = this.#options;
    const now = performance.now();
    const due = Math.max(Math.min(now + quietMs, this.#firstAt + patienceMs), this.#endedAt + intervalMs);
    this.#timer = setTimeout(() => this.#start(), Math.max(0, due - now));
  }

  #start(): void {
    const changes = this.#waiting;
    this.#waiting = new Set();
    this.#running = this.#run(changes).finally(() => {
      this.#running = undefined;
      this.#endedAt = performance.now();
      if (this.#waiting.size > 0 && !this.#closed) this.#arm();
    });
  }
}

/** How often to look at the wall clock: a timer does not count the time that the machine sleeps. */
const LOOK_MS = 20_000;

/**
 * Calls once when a period has passed on the wall clock; if the machine slept through its end, right after it
 * wakes.
 */
export class Renewal {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** Replaces the previous period. */
  in(ms: number): void {
    this.#waitUntil(Date.now() + ms, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #waitUntil(due: number, spanMs: number): void {
    clearTimeout(this.#timer);
    const left = due - Date.now();
    // More than the whole period is left, so the clock was set back.
    if (left <= 0 || left > spanMs + LOOK_MS) this.#call();
    else this.#timer = setTimeout(() => this.#waitUntil(due, spanMs), Math.min(left, LOOK_MS));
  }
}
