import { SPACE_NAMES } from '../pad/markers.ts';
import { digestsOf, type Revision, replay } from './journal.ts';
import type { History, SessionStore } from './store.ts';

/**
 * The history including edits that a person has made to the file since the last command, with the numbers that the
 * next change will give them. Writes nothing.
 *
 * @param at ISO 8601, UTC: when the file was saved
 */
export async function historyNow(store: SessionStore, at: string): Promise<History> {
  const history = await store.history();
  const { spaces: present, edits = {} } = await store.read();
  const { revisions, base } = history;
  let known = replay(revisions, base);
  let last = revisions.at(-1);
  const pending: Revision[] = [];
  for (const space of SPACE_NAMES) {
    if (present[space] === known[space]) continue;
    known = { ...known, [space]: present[space] };
    last = {
      rev: (last?.rev ?? 0) + 1,
      id: '',
      parentId: last?.id ?? null,
      space,
      content: present[space],
      op: 'edit',
      by: edits[space] ?? 'edit',
      timestamp: at,
      digests: digestsOf(known),
    };
    pending.push(last);
  }
  return { ...history, revisions: [...revisions, ...pending] };
}
