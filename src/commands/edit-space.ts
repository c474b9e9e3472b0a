import { describeUsage, type Limits, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Edited } from '../pad/spaces.ts';
import { type Invocation, openSession } from './invocation.ts';

/**
 * Runs one edit of one space under the store's lock and says what the space holds now.
 * Shape with `--json`: `{space, used, limit, unit, revision, changed, warnings}`.
 */
export async function editSpace(
  invocation: Invocation,
  space: SpaceName,
  op: string,
  edit: (current: string, limits: Limits) => Edited,
): Promise<void> {
  const { store, config } = await openSession(invocation);
  let warnings: string[] = [];
  const done = await store.change(({ spaces }) => {
    const edited = edit(spaces[space], config.limits);
    warnings = edited.warnings;
    return [{ kind: 'space', space, content: edited.content, op }];
  });
  for (const warning of [...done.notices, ...warnings]) invocation.note(`warning: ${warning}`);
  const usage = usageOf(space, done.spaces[space], config.limits);
  invocation.result(
    {
      ...usage,
      revision: done.revision,
      changed: done.revisions.length > 0,
      warnings: [...done.notices, ...warnings],
    },
    describeUsage(usage),
  );
}

/** Prints one space as it is. Shape with `--json`: `{space, used, limit, unit, content}`. */
export async function showSpace(invocation: Invocation, space: SpaceName): Promise<void> {
  const { store, config } = await openSession(invocation);
  const { spaces, notices } = await store.read();
  for (const notice of notices) invocation.note(`warning: ${notice}`);
  const content = spaces[space];
  invocation.result({ ...usageOf(space, content, config.limits), content }, content);
}
