import { NO_SPACES, type Spaces } from '../../src/session/journal.ts';
import type { Remote } from '../../src/shared-store/remote.ts';
import type { Batch, PullResult } from '../../src/shared-store/types.ts';

interface Pad {
  spaces: Spaces;
  journal: (Batch['changes'][number] & { content: string })[];
}

/** The pads of a shared store that lives as long as the process: for tests, and as the shortest account of them. */
export class MemoryRemote implements Pick<Remote, 'pull' | 'push'> {
  readonly #pads = new Map<string, Pad>();

  async pull(session: string, since: number, sent: string | undefined): Promise<PullResult> {
    const { spaces, journal } = this.#pad(session);
    const rows = journal.map(({ space, actor }) => ({
      space,
      actor: actor === undefined ? null : JSON.stringify(actor),
    }));
    const landed = journal.findIndex(({ operation }) => operation === sent) + 1;
    return {
      revision: journal.length,
      spaces,
      mark: journal.at(-1)?.operation ?? null,
      sinceMark: journal[since - 1]?.operation ?? null,
      landed: landed || null,
      rows: rows.slice(since),
    };
  }

  async push(session: string, { since, changes, spaces }: Batch): Promise<number | 'behind'> {
    const { journal } = this.#pad(session);
    if (journal.length !== since) return 'behind';
    const known = new Set(journal.map(({ operation }) => operation));
    if (changes.some(({ operation }) => known.has(operation))) return 'behind';
    for (const change of changes) journal.push({ ...change, content: spaces[change.space] });
    this.#pads.set(session, { journal, spaces });
    return journal.length;
  }

  #pad(session: string): Pad {
    const pad = this.#pads.get(session) ?? { spaces: NO_SPACES, journal: [] };
    this.#pads.set(session, pad);
    return pad;
  }
}
