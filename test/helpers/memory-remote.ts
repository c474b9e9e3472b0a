import { NO_SPACES, type Spaces } from '../../src/session/journal.ts';
import type {
  Batch,
  Pulled,
  Remote,
  RemoteEntry,
  RemoteRevision,
  RemoteTrail,
} from '../../src/shared-store/remote.ts';

interface Pad {
  spaces: Spaces;
  journal: (RemoteRevision & { last: boolean })[];
}

/** A shared store that lives as long as the process: for tests, and as the shortest account of what a store does. */
export class MemoryRemote implements Remote {
  readonly #pads = new Map<string, Pad>();
  readonly #entries = new Map<string, Map<string, RemoteEntry>>();
  readonly #contents = new Map<string, Buffer>();
  readonly #trails = new Map<string, RemoteTrail & { body: string }>();

  async pull(session: string, since: number, operations: readonly string[]): Promise<Pulled> {
    const { spaces, journal } = this.#pad(session);
    const numbered = journal.map((row, k) => ({ ...row, revision: k + 1 }));
    return {
      revision: journal.length,
      spaces,
      mark: journal.at(-1)?.operation ?? null,
      sinceMark: journal[since - 1]?.operation ?? null,
      landed: numbered.filter(({ operation }) => operations.includes(operation)),
      actors: Object.fromEntries(
        numbered.slice(since).flatMap(({ space, actor }) => (actor === undefined ? [] : [[space, actor]])),
      ),
      conflicts: numbered.slice(since).flatMap(({ operation, space, content, conflict }) => {
        return conflict === undefined ? [] : [{ operation, space, content, replaced: conflict }];
      }),
    };
  }

  async push(session: string, { since, revisions, spaces }: Batch): Promise<number | 'behind'> {
    const pad = this.#pad(session);
    if (pad.journal.length !== since) return 'behind';
    const known = new Set(pad.journal.map(({ operation }) => operation));
    if (revisions.some(({ operation }) => known.has(operation))) return 'behind';
    revisions.forEach((row, k) => {
      pad.journal.push({ ...row, last: k === revisions.length - 1 });
    });
    this.#pads.set(session, { ...pad, spaces });
    return pad.journal.length;
  }

  async pads(): Promise<Map<string, number>> {
    return new Map([...this.#pads].map(([session, { journal }]) => [session, journal.length]));
  }

  async entries(session: string): Promise<RemoteEntry[]> {
    return [...this.#entriesOf(session).values()];
  }

  async putEntry(session: string, entry: Omit<RemoteEntry, 'version'>, expected: number): Promise<boolean> {
    const entries = this.#entriesOf(session);
    if ((entries.get(entry.name)?.version ?? 0) !== expected) return false;
    entries.set(entry.name, { ...entry, version: expected + 1 });
    return true;
  }

  async hasContent(hash: string): Promise<boolean> {
    return this.#contents.has(hash);
  }

  async putContent(hash: string, bytes: Buffer): Promise<void> {
    this.#contents.set(hash, bytes);
  }

  async content(hash: string): Promise<Buffer> {
    return this.#contents.get(hash) ?? Buffer.alloc(0);
  }

  async trails(): Promise<RemoteTrail[]> {
    return [...this.#trails.values()].map(({ session, updated }) => ({ session, updated }));
  }

  async trail(session: string): Promise<string | undefined> {
    return this.#trails.get(session)?.body;
  }

  async putTrail(trail: RemoteTrail, body: string): Promise<void> {
    if ((this.#trails.get(trail.session)?.updated ?? 0) < trail.updated)
      this.#trails.set(trail.session, { ...trail, body });
  }

  async forget(session: string): Promise<void> {
    this.#pads.delete(session);
    this.#entries.delete(session);
    this.#trails.delete(session);
  }

  async close(): Promise<void> {}

  #pad(session: string): Pad {
    const pad = this.#pads.get(session) ?? { spaces: NO_SPACES, journal: [] };
    this.#pads.set(session, pad);
    return pad;
  }

  #entriesOf(session: string): Map<string, RemoteEntry> {
    const entries = this.#entries.get(session) ?? new Map<string, RemoteEntry>();
    this.#entries.set(session, entries);
    return entries;
  }
}
