import { refused } from '../base/errors.ts';
import { provenanceOf } from '../base/trust/index.ts';
import { parsePad } from '../pad/document.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { PadStore, Snapshot } from '../session/store.ts';
import type { Pad } from './context.ts';

/**
 * The pad as a model may see it, by tools and by the commands that an agent runs: empty, and saying so, if it came with
 * a clone or belongs to another user, and the person has not approved it.
 */
export function forModel({ root, env, store }: Pick<Pad, 'root' | 'env' | 'store'>): PadStore {
  const note = (): string | undefined => {
    const { spaces, note = '' } = provenanceOf(root, env);
    return spaces === 'own' ? undefined : note;
  };
  return {
    async read(): Promise<Snapshot> {
      const snapshot = await store.read();
      const said = note();
      if (said === undefined) return snapshot;
      return { ...snapshot, spaces: NO_SPACES, document: parsePad(''), notices: [said] };
    },
    change: (decide, by) =>
      store.change(async (now) => {
        const changes = await decide(now);
        const said = note();
        // What a model may not see it must not replace.
        if (said !== undefined && changes.some(({ space, op }) => op === 'set' && now.spaces[space] !== ''))
          throw refused('it would replace what is not shown to you: nothing was changed', { found: said });
        return changes;
      }, by),
    keepState: (state) => store.keepState(state),
    writeState: (state) => store.writeState(state),
    history: async () =>
      note() === undefined ? store.history() : { revisions: [], skipped: 0, base: NO_SPACES },
    savedAt: () => store.savedAt(),
    here: store.here,
  };
}
