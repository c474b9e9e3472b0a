import type { Limits } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { setRefs } from '../pad/refs.ts';
import { joinText, setText } from '../pad/spaces.ts';
import type { Spaces } from '../session/journal.ts';
import type { Change, Committed, SessionStore } from '../session/store.ts';

/**
 * Adds another session's notes to a pad, without lines that it already has.
 * @throws ScratchpadError `refused` if they do not fit
 */
export function promoteNotes(from: Spaces, to: SessionStore, limits: Limits): Promise<Committed> {
  return to.change(({ spaces }) => {
    const there = new Set(spaces.notes.split('\n'));
    const added = from.notes.split('\n').filter((line) => line.trim() !== '' && !there.has(line));
    if (added.length === 0) return [];
    const { content } = joinText('notes', spaces.notes, added.join('\n'), 'append', limits);
    return [{ space: 'notes', content, op: 'promote' }];
  });
}

/** What the entries of a host's session file become here, each space within its limit. */
export function changesFrom(
  found: { notes?: string; plan?: string; refs?: string[] },
  limits: Limits,
): { changes: Change[]; warnings: string[] } {
  const warnings: string[] = [];
  const changes = SPACE_NAMES.filter((space) => found[space] !== undefined).map((space) => {
    const edited =
      space === 'refs' ? setRefs(found.refs ?? [], limits) : setText(space, found[space] ?? '', limits);
    warnings.push(...edited.warnings);
    return { space, content: edited.content, op: 'restore' } as const;
  });
  return { changes, warnings };
}
