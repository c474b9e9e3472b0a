import { refusal } from '../base/errors.ts';
import { judgeProvenance } from '../base/trust/index.ts';
import { parsePad } from '../pad/document.ts';
import type { SpaceName } from '../pad/markers.ts';
import { detectActor } from '../session/actor.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { PadStore, Snapshot } from '../session/store.ts';
import type { Pad } from './context.ts';

/** Whether an agent runs the command, and the pad is untrusted. */
export const isWithheld = (pad: Pick<Pad, 'root' | 'env'>): boolean =>
  detectActor(pad.env).agent !== undefined && isUntrusted(pad);

/** Whether plan, notes, refs and entries came from elsewhere: no model may see them. */
export const isUntrusted = ({ root, env }: Pick<Pad, 'root' | 'env'>): boolean =>
  judgeProvenance(root, env).spaces === 'untrusted';

/** Whether the pad or the settings are withheld: other files of the folder may be a stranger's, too. */
export const isForeignFolder = ({ root, env }: Pick<Pad, 'root' | 'env'>): boolean =>
  judgeProvenance(root, env).withheld !== undefined;

export const MEMORY_WITHHELD =
  'memory files of this folder are withheld until the person runs: scratchpad trust';

/**
 * The pad as a model may see it, by tools and by the commands that an agent runs: empty, and saying so, if it came with
 * a clone or belongs to another user, and the person has not approved it. What is not shown can be added to, not lost.
 */
export function hideUntrusted({ root, env, store }: Pick<Pad, 'root' | 'env' | 'store'>): PadStore {
  const readReason = (): string | undefined => {
    const { spaces, note = '' } = judgeProvenance(root, env);
    return spaces === 'own' ? undefined : note;
  };
  return {
    async read(): Promise<Snapshot> {
      const snapshot = await store.read();
      const reason = readReason();
      if (reason === undefined) return snapshot;
      return { ...snapshot, spaces: NO_SPACES, document: parsePad(''), isWithheld: true, notices: [reason] };
    },
    change: (decide, by) =>
      store.change(async (now) => {
        const changes = await decide(now);
        const reason = readReason();
        // A session has a plan of its own, beside the withheld one.
        const isOwn = (space: SpaceName): boolean => space === 'plan' && store.here?.session !== undefined;
        const losesText = changes.some(
          ({ space, content }) => !isOwn(space) && !content.includes(now.spaces[space]),
        );

        if (reason !== undefined && losesText)
          throw refusal('it would change what is not shown to you: nothing was changed', { found: reason });

        return changes;
      }, by),
    keepState: (state) => store.keepState(state),
    writeState: (state) => store.writeState(state),
    history: async (which) =>
      readReason() === undefined ? store.history(which) : { revisions: [], skipped: 0, base: NO_SPACES },
    savedAt: () => store.savedAt(),
    here: store.here,
  };
}
