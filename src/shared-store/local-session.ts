import { join } from 'node:path';
import { ensureFolder, tryLock, tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { keepConflict } from '../session/copies.ts';
import { FileStore } from '../session/file-store.ts';
import type { Conflict } from '../session/reconcile.ts';
import type { SessionStore } from '../session/store.ts';
import type { SessionPaths } from '../session/workspace.ts';
import type { PadState } from './outgoing.ts';
import { PlanStore, planIn } from './plan-store.ts';
import type { EntryState } from './sync-entries.ts';
import type { LocalPad } from './sync-pad.ts';

const LOOK_MS = 20;

interface Kept {
  /** The workspace's id in the store: the state is valid for this one only. */
  workspace: string;
  /** Also read when the journal is compacted: unsent revisions are kept. */
  sent?: number;
  pad?: Omit<PadState, 'sent'>;
  entries?: Record<string, EntryState>;
  /** The fingerprint of the session's files when all of them had been sent. */
  seen?: string;
  /** The same for each plan of the pad that all sessions share, by its id. */
  plans?: Record<string, Pick<Kept, 'sent' | 'pad' | 'seen'>>;
}

export interface LocalSessionOptions {
  root: string;
  primary: string;
  env: NodeJS.ProcessEnv;
  now: () => number;
  workspace: string;
}

/** One session of this working copy, with the state of its exchange with the shared store. */
export class LocalSession implements LocalPad {
  readonly store: SessionStore;
  readonly entries: FileEntries;
  readonly paths: SessionPaths;
  readonly #root: string;
  readonly #workspace: string;
  /** For one plan of the shared pad: its id. */
  readonly plan: string | undefined;
  #kept: Kept;

  constructor(session: string, { root, primary, env, now, workspace }: LocalSessionOptions) {
    this.plan = planIn(session);
    const only = this.plan ?? '';
    const store = new FileStore(root, this.plan === undefined ? session : primary, {
      primary,
      now,
      env,
      only,
    });
    this.store = this.plan === undefined ? store : new PlanStore(store, only);
    this.paths = store.paths;
    this.entries = new FileEntries(this.paths, now);
    this.#root = root;
    this.#workspace = workspace;
    this.#kept = this.#read();
  }

  state(): PadState | undefined {
    const { pad, sent } = this.#part;
    return pad === undefined ? undefined : { ...pad, sent };
  }

  keep({ sent, ...pad }: PadState): void {
    this.#writePart({ ...this.#part, pad, sent });
  }

  keepConflict(conflict: Conflict): string {
    return keepConflict(this.paths, this.#root, conflict, 'machine');
  }

  entryStates(): Readonly<Record<string, EntryState>> {
    return this.#kept.entries ?? {};
  }

  keepEntry(name: string, state: EntryState): void {
    this.#write({ ...this.#kept, entries: { ...this.#kept.entries, [name]: state } });
  }

  /** A fingerprint of the session's files: while it is the same, there is nothing to send. */
  mark(): string {
    const { pad, journal, dir } = this.paths;
    return [pad, journal, join(dir, 'entries', 'index.json')]
      .map((path) => {
        const stats = tryStat(path);
        return stats === undefined ? '' : `${stats.size}-${stats.mtimeMs}-${stats.ino}`;
      })
      .join('|');
  }

  hasContent(): boolean {
    return this.mark() !== '||';
  }

  isInStep(): boolean {
    return this.#part.seen === this.mark();
  }

  /** @param mark from before the exchange: later changes are sent with the next one */
  noteInStep(mark: string): void {
    this.#writePart({ ...this.#part, seen: mark });
  }

  /**
   * Runs one exchange while no other process runs one for this session.
   * @returns false if another process was busy with it all the time
   */
  async exclusively(work: () => Promise<void>, waitMs: number): Promise<boolean> {
    ensureFolder(this.paths.dir);
    for (const end = Date.now() + waitMs; ; ) {
      const lock = tryLock(join(this.paths.dir, 'shared.lock'));
      if (lock !== undefined) {
        try {
          this.#kept = this.#read();
          await work();
          return true;
        } finally {
          lock.release();
        }
      }
      if (Date.now() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** What is kept of this pad, or of this plan. */
  get #part(): Pick<Kept, 'sent' | 'pad' | 'seen'> {
    return this.plan === undefined ? this.#kept : (this.#kept.plans?.[this.plan] ?? {});
  }

  #writePart(part: Pick<Kept, 'sent' | 'pad' | 'seen'>): void {
    const kept = this.#kept;
    if (this.plan === undefined) this.#write({ ...kept, ...part });
    else this.#write({ ...kept, plans: { ...kept.plans, [this.plan]: part } });
  }

  #read(): Kept {
    const kept = (tryReadJson(this.paths.shared, 'record') ?? {}) as Partial<Kept>;
    return kept.workspace === this.#workspace
      ? { ...kept, workspace: kept.workspace }
      : { workspace: this.#workspace };
  }

  #write(kept: Kept): void {
    const text = `${JSON.stringify(kept)}\n`;
    if (text === `${JSON.stringify(this.#kept)}\n`) return;
    this.#kept = kept;
    // A state from before the last exchange only causes a repetition, so it need not survive a power cut.
    writeAtomically(this.paths.shared, text, { durable: false });
  }
}
