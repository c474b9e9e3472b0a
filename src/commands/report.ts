import type { Outcome } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

/** Says what a space holds now. Shape with `--json`: `{space, used, limit, unit, revision, changed, warnings}`. */
export function report(invocation: Invocation, outcome: Outcome): void {
  for (const warning of outcome.warnings) invocation.note(`warning: ${warning}`);
  invocation.result(outcome, describeUsage(outcome));
}

/** Prints one space as it is. Shape with `--json`: `{space, used, limit, unit, content}`. */
export async function showSpace(invocation: Invocation, space: SpaceName): Promise<void> {
  const { pad } = await openSession(invocation);
  const { spaces, notices } = await pad.store.read();
  for (const notice of notices) invocation.note(`warning: ${notice}`);
  const content = spaces[space];
  invocation.result({ ...usageOf(space, content, pad.config.limits), content }, content);
}
