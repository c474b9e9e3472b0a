import { type Author, NO_SPACES, type Revision } from './journal.ts';
import type { JournalContent } from './journal-file.ts';
import type { KeptState } from './state-file.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';
import { type Medium, transact } from './transaction.ts';
import { snapshotOf, viewOf } from './view.ts';

/** A session's memory for the lifetime of the process: for tests and for embedding. */
export class MemoryStore implements SessionStore {
  readonly session: string;
  /** The pad as seen and changed by a person in an editor. */
  text: string | undefined;
  /** Originals of damaged pads. */
  readonly recovered: string[] = [];
  /** Both sides of edits that could not be merged. */
  readonly conflicts: { acknowledged: string; file: string }[] = [];
  #revisions: readonly Revision[] = [];
  #state: KeptState | undefined;
  readonly #now: () => number;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(session = 'main', now: () => number = Date.now) {
    this.session = session;
    this.#now = now;
  }

  async read(): Promise<Snapshot> {
    const view = await viewOf(this.text, this.#revisions.at(-1), () => this.#journal());
    return { ...snapshotOf(this.session, view), ...(this.#state && { state: this.#state }) };
  }

  change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by: Author = 'cli',
  ): Promise<Committed> {
    const noting: typeof decide = async (now) => {
      const changes = await decide(now);
      this.#state = changes.findLast((change) => change.kind === 'state')?.state ?? this.#state;
      return changes;
    };
    const result = this.#queue.then(() => transact(this.#medium(), noting, by, this.#now));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async history(): Promise<History> {
    return this.#journal();
  }

  #medium(): Medium {
    const before = this.#revisions;
    return {
      session: this.session,
      readPad: async () => this.text,
      lastRevision: () => this.#revisions.at(-1),
      journal: () => this.#journal(),
      keepOriginal: ({ text = '', problems }) => {
        if (!this.recovered.includes(text)) this.recovered.push(text);
        return `the pad was damaged: ${problems.map(({ message }) => message).join('; ')}`;
      },
      keepConflict: ({ space, acknowledged, file }) => {
        this.conflicts.push({ acknowledged, file });
        return `both sides changed the same lines of ${space}: both versions are kept`;
      },
      prepare: (text) => ({
        replace: (expected) => {
          if (this.text !== expected) return { done: false };
          this.text = text;
          return { done: true };
        },
        discard: () => undefined,
      }),
      append: (revisions) => {
        this.#revisions = [...this.#revisions, ...revisions];
      },
      rollBack: () => {
        this.#revisions = before;
      },
    };
  }

  #journal(): JournalContent {
    return { revisions: [...this.#revisions], base: NO_SPACES, bases: [], skipped: 0 };
  }
}
