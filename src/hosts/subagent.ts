import { Sessions } from '../core/sessions.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { defuse } from '../safety/index.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import type { HookInput } from './protocol.ts';
import type { Session } from './session.ts';

/** The initial state of a subagent. */
export interface Given {
  spaces: Spaces;
  /** For the model: the lent entries. */
  notes: string[];
}

const NOTHING: Given = { spaces: NO_SPACES, notes: [] };

/**
 * A pad for a subagent, by `subagent.copyNotepad` and `subagent.inherit`: notes copied, entries lent read-only, from
 * the pad that its parent's commands use. Unknown names are skipped.
 */
export async function spawnFor(at: Session, { session }: HookInput, child: string): Promise<Given> {
  const { primarySession: primary, hook, subagent } = at.config;
  const parent = hook.pad === 'own' && session !== undefined ? session : primary;
  const now = (): number => at.now;
  const store = (id: string): FileStore => new FileStore(at.root, id, { primary, now });
  try {
    const there = await new FileEntries(store(parent).paths, now).list();
    const lent = subagent.inherit.filter((name) => there.some((entry) => entry.name === name));
    if (!(await store(child).read()).exists) {
      const sessions = new Sessions(at.root, { primary, now });
      await sessions.spawn(parent, child, { copyNotepad: subagent.copyNotepad, inherit: lent });
    }
    const { spaces } = await store(child).read();
    return { spaces, notes: lent.length === 0 ? [] : [lentNote(lent, child)] };
  } catch (error) {
    at.fault('a pad for the subagent', error);
    return NOTHING;
  }
}

function lentNote(names: readonly string[], child: string): string {
  const all = names.map((name) => JSON.stringify(name)).join(', ');
  return defuse(
    `[Entries lent to this agent, to be read with \`scratchpad entry read NAME --session ${child}\`: ${all}]`,
  );
}
