import { parsePad } from '../../src/pad/document.ts';
import { type Author, NO_SPACES, type Revision, replayRevisions } from '../../src/session/journal.ts';
import type { CommitResult, History, SessionStore, Snapshot } from '../../src/session/store.ts';

/** A session without files, for properties of what is built on a store. */
export class MemoryStore implements SessionStore {
  readonly #revisions: Revision[] = [];

  async read(): Promise<Snapshot> {
    const exists = this.#revisions.length > 0;
    const spaces = replayRevisions(this.#revisions);
    const revision = this.#revisions.length;
    return { session: 'main', exists, document: parsePad(''), spaces, revision, notices: [] };
  }

  async change(decide: Parameters<SessionStore['change']>[0], by: Author = 'cli'): Promise<CommitResult> {
    const before = this.#revisions.length;
    for (const change of await decide(await this.read())) {
      if (replayRevisions(this.#revisions)[change.space] === change.content) continue;
      const { space, content, op, of, actor } = change;
      const rev = this.#revisions.length + 1;
      const timestamp = new Date(rev).toISOString();
      this.#revisions.push({
        rev,
        id: String(rev),
        parentId: null,
        space,
        content,
        op,
        by,
        of,
        actor,
        timestamp,
      });
    }
    return { ...(await this.read()), revisions: this.#revisions.slice(before) };
  }

  async history(): Promise<History> {
    return { revisions: [...this.#revisions], base: NO_SPACES, skipped: 0 };
  }
}
