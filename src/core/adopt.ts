import { refused } from '../base/errors.ts';
import { type Limits, refsOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { addRefs, setRefs } from '../pad/refs.ts';
import { joinText, setText } from '../pad/spaces.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Spaces } from '../session/journal.ts';
import type { Change, Committed, SessionStore } from '../session/store.ts';
import type { Spaces as Entries } from '../transcript/entries.ts';

/**
 * Adds another session's notes to a pad, without lines that it already has.
 * @throws ScratchpadError `refused` if they do not fit
 */
export function promoteNotes(from: Spaces, to: SessionStore, limits: Limits): Promise<Committed> {
  return to.change(({ spaces }) => notesChange(from, spaces, limits, 'promote'));
}

/**
 * Takes over another session's plan, and its notes and refs that are not here yet.
 * @param replace whether its plan may replace one that is not done
 * @throws ScratchpadError `refused` if there is such a plan, or the notes do not fit
 */
export function adoptSpaces(
  from: Spaces,
  to: SessionStore,
  limits: Limits,
  replace = false,
): Promise<Committed> {
  return to.change(({ spaces }) => {
    const op = 'adopt';
    const open = stepsOf(spaces.plan).some(({ done }) => !done) || stepsOf(spaces.plan).length === 0;
    const taken = spaces.plan.trim() !== '' && spaces.plan !== from.plan && open;
    if (from.plan.trim() !== '' && taken && !replace) {
      throw refused('a plan exists here already: nothing was changed', {
        expected: 'an empty plan, or one that is done',
        next: { to: 'replace it', command: '--replace' },
      });
    }
    const refs = addRefs(spaces.refs, refsOf(from.refs), limits).content;
    const changes: Change[] = [...notesChange(from, spaces, limits, op)];
    if (from.plan.trim() !== '') changes.push({ space: 'plan', content: from.plan, op });
    if (from.refs.trim() !== '') changes.push({ space: 'refs', content: refs, op });
    return changes;
  });
}

function notesChange(from: Spaces, spaces: Spaces, limits: Limits, op: string): Change[] {
  const there = new Set(spaces.notes.split('\n'));
  const added = from.notes.split('\n').filter((line) => line.trim() !== '' && !there.has(line));
  if (added.length === 0) return [];
  const { content } = joinText('notes', spaces.notes, added.join('\n'), 'append', limits);
  return [{ space: 'notes', content, op }];
}

/** What the entries of a host's session file become here, each space within its limit. */
export function changesFrom(found: Entries, limits: Limits): { changes: Change[]; warnings: string[] } {
  const warnings: string[] = [];
  const changes = SPACE_NAMES.filter((space) => found[space] !== undefined).map((space) => {
    const edited =
      space === 'refs' ? setRefs(found.refs ?? [], limits) : setText(space, found[space] ?? '', limits);
    warnings.push(...edited.warnings);
    return { space, content: edited.content, op: 'restore' } as const;
  });
  return { changes, warnings };
}
