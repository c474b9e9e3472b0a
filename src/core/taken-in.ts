import type { Limits } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { setRefs, setText } from '../pad/spaces.ts';
import type { SpaceChange } from '../session/store.ts';
import type { Spaces as Entries } from '../transcript/entries.ts';

/** What the entries of a host's session file become here, each space within its limit. */
export function changesFrom(
  found: Entries,
  limits: Limits,
): { changes: (SpaceChange & { space: SpaceName })[]; warnings: string[] } {
  const warnings: string[] = [];
  const changes = SPACE_NAMES.filter((space) => found[space] !== undefined).map((space) => {
    const edited =
      space === 'refs' ? setRefs(found.refs ?? [], limits) : setText(space, found[space] ?? '', limits);
    warnings.push(...edited.warnings);
    return { kind: 'space', space, content: edited.content, op: 'restore' } as const;
  });
  return { changes, warnings };
}
