import { parsePad } from '../pad/document.ts';
import { compose } from './compose.ts';
import { type Author, NO_SPACES, type Revision } from './journal.ts';
import { reconcile } from './reconcile.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';

/** A session's memory that lives as long as the process: for tests and for embedding. */
export class MemoryStore implements SessionStore {
  readonly session: string;
  /** The pad, as a person with an editor would see and change it. */
  text: string | undefined;
  readonly #revisions: Revision[] = [];
  readonly #now: () => number;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(session = 'main', now: () => number = Date.now) {
    this.session = session;
    this.#now = now;
  }

  async read(): Promise<Snapshot> {
    const document = this.text === undefined ? undefined : parsePad(this.text);
    const { spaces } = await reconcile(document, this.#revisions.at(-1), () => this.#journal());
    return {
      session: this.session,
      exists: this.text !== undefined,
      document: document ?? parsePad(''),
      spaces,
      revision: this.#revisions.at(-1)?.rev ?? 0,
      notices: [],
    };
  }

  change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by: Author = 'cli',
  ): Promise<Committed> {
    const run = async (): Promise<Committed> => {
      const document = this.text === undefined ? undefined : parsePad(this.text);
      const last = this.#revisions.at(-1);
      const { spaces, adoptions } = await reconcile(document, last, () => this.#journal());
      const before = await this.read();
      const changes = await decide(before);
      const session = this.session;
      const composed = compose({ session, document, spaces, adoptions, last, changes, by, now: this.#now() });
      this.#revisions.push(...composed.revisions);
      this.text = composed.text;
      return {
        ...before,
        exists: true,
        document: parsePad(composed.text),
        spaces: composed.spaces,
        revision: composed.revision,
        revisions: composed.revisions,
      };
    };
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async history(): Promise<History> {
    return this.#journal();
  }

  #journal(): { revisions: Revision[]; base: typeof NO_SPACES; skipped: number } {
    return { revisions: [...this.#revisions], base: NO_SPACES, skipped: 0 };
  }
}
