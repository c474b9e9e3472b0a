import { setTimeout } from 'node:timers/promises';
import { describeError } from '../../base/errors.ts';
import { exists, tryStat } from '../../base/fs/index.ts';
import { discoverSessions, makeFilePlace, type SessionRef } from '../../transcript/discover.ts';
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

/** The part of its time to live after which a block is renewed even if nothing has changed. */
const RENEW_AFTER = 0.9;
/** chokidar does not report a second change of a file within 50 ms: a run begins later, and reads both. */
const UNREPORTED_MS = 60;
const RENEWAL_CHECK_MS = 20_000;
/** How long after a failed run to try again, even if nothing changes. */
const RETRY_MS = 60_000;

/** Keeps the state block fresh until it is ended. An error in one run does not prevent the next. */
export async function watchWorkspace(options: WatchOptions): Promise<void> {
  const opened = await options.open();
  await new WorkspaceWatch(options, opened, await findActiveSession(opened, options.request)).run();
}

class WorkspaceWatch {
  readonly #options: WatchOptions;
  readonly #opened: TriggerPad;
  readonly #stop = new AbortController();
  readonly #ending: AbortSignal;
  readonly #watcher: PlacesWatcher;
  #active: SessionRef | undefined;
  #fingerprint = '';
  #plan = '';
  #renewAt = Number.POSITIVE_INFINITY;
  #changes = new Set<RunReason>();
  #wake = (): void => undefined;

  constructor(options: WatchOptions, opened: TriggerPad, active: SessionRef | undefined) {
    this.#options = options;
    this.#opened = opened;
    this.#active = active;
    this.#ending = AbortSignal.any([options.signal, this.#stop.signal]);
    this.#watcher = new PlacesWatcher({
      onChange: (kind) => void (kind === 'plan' ? this.#notePlan() : this.#note(kind)),
      onProblem: (error) => options.tell({ event: 'problem', problem: describeError(error) }),
      pollMs: options.pollMs,
    });
  }

  async run(): Promise<void> {
    const { tell, request, intervalMs, quietMs } = this.#options;
    // A timer does not count the time that the machine sleeps.
    const renewal = setInterval(() => {
      if (Date.now() >= this.#renewAt) this.#note('age');
    }, RENEWAL_CHECK_MS);

    await this.#watchPlaces(this.#opened);
    const session = request.transcript ?? this.#active?.path ?? null;
    tell({ event: 'watching', pid: process.pid, workspace: this.#opened.pad.root, session });

    // The first run covers the changes before everything was watched.
    this.#changes = new Set(['start']);
    this.#ending.addEventListener('abort', () => this.#wake());
    const pause = (ms: number): Promise<void> =>
      setTimeout(ms, undefined, { signal: this.#ending }).catch(() => undefined);

    while (!this.#ending.aborted) {
      // Several changes become one run, and a change during a run causes another.
      const changes = this.#changes;
      this.#changes = new Set();
      await this.#runOnce(changes);
      await pause(intervalMs);
      if (this.#changes.size === 0 && !this.#ending.aborted)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });

      await pause(Math.max(quietMs, UNREPORTED_MS));
    }

    clearInterval(renewal);
    await this.#watcher.close();
    tell({ event: 'ended', because: String(this.#ending.reason) });
  }

  #note(reason: RunReason): void {
    this.#changes.add(reason);
    this.#wake();
  }

  #watchPlaces({ pad, paths }: TriggerPad): Promise<void> {
    const sources = listWatchedPlaces(pad, this.#options.request.transcript, this.#active?.path);
    return this.#watcher.watch([...sources, { ...makeFilePlace(paths.pad), kind: 'plan' }]);
  }

  /** Each run writes the block into the file of the plan, which must not cause another. */
  async #notePlan(): Promise<void> {
    await setTimeout(UNREPORTED_MS);
    const now = await this.#opened.pad.store.read().catch(() => undefined);
    if (now !== undefined && now.spaces.plan !== this.#plan) this.#note('plan');
  }

  async #runOnce(changes: ReadonlySet<RunReason>): Promise<void> {
    const { check, tell } = this.#options;
    try {
      if (exists(this.#opened.pad.root)) await this.#assemble(changes);
      else this.#stop.abort('the workspace no longer exists');
    } catch (error) {
      tell({ event: 'failed', reasons: [...changes], error: describeError(error) });
      this.#renewAt = Date.now() + RETRY_MS;

      try {
        check();
      } catch {
        this.#stop.abort('its lock was removed, or taken over');
      }
    }
  }

  async #assemble(changes: ReadonlySet<RunReason>): Promise<void> {
    const { open, tell, request, check, once } = this.#options;
    const reasons = [...changes];
    check();
    const { transcript } = request;
    if (transcript !== undefined && !exists(transcript)) return tell({ event: 'waiting', transcript });

    const opened = await open();
    const active = await findActiveSession(opened, request);
    const fingerprint = fingerprintSession(active, request);
    const isOther = active?.path !== this.#active?.path || active?.id !== this.#active?.id;

    if (isOther) tell({ event: 'session', session: active?.path ?? null });
    this.#active = active;
    // Also with `age`: chokidar no longer watches a folder that was replaced in one step.
    if (isOther || changes.has('config') || changes.has('age')) await this.#watchPlaces(opened);

    // Transcripts of other projects are in the same folders.
    const isUnchanged = !isOther && fingerprint === this.#fingerprint;
    if (isUnchanged && reasons.every((reason) => reason === 'transcript'))
      return tell({ event: 'unchanged', reasons });

    const before = await opened.pad.store.read();
    this.#plan = before.spaces.plan;
    const report = await runTrigger(opened, 'watch', { ...request, before });
    this.#fingerprint = fingerprint;
    tell({ event: 'assembled', reasons, ...report });
    this.#renewAt = Date.now() + report.ttlMs * RENEW_AFTER;
    if (once && !changes.has('start')) this.#stop.abort('one run was asked for');
  }
}

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
