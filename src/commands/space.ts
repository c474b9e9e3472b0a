import type { Pad } from '../core/context.ts';
import { besideInShort } from '../core/scope.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Invocation } from './invocation.ts';
import { needSession, openSession } from './open.ts';

/** Reports a change, and how full the space is now. Prints an `Outcome` with `--json`. */
export function report(invocation: Invocation, outcome: Outcome): void {
  invocation.warn(outcome.warnings, 'not kept');
  const { session } = invocation.options;
  if (session !== undefined && outcome.revision === 1)
    invocation.note(`this starts session ${session}; list all with: scratchpad session list`);
  invocation.done(outcome, `${outcome.message}\n${describeUsage(outcome)}`);
}

/** Changes a space of the session and reports that. */
export async function change(invocation: Invocation, act: (pad: Pad) => Promise<Outcome>): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await act(pad));
}

export interface ShowOptions {
  /** Number the lines. */
  numbers?: boolean;
}

/** Prints one space as it is. */
export async function showSpace(
  invocation: Invocation,
  space: SpaceName,
  options: ShowOptions = {},
): Promise<void> {
  const opened = await openSession(invocation);
  await needSession(opened);
  const { pad, workspace } = opened;
  const snapshot = await pad.store.read();
  const { spaces, notices } = snapshot;
  invocation.warn(notices);
  const beside = space === 'plan' && snapshot.seen ? besideInShort(snapshot.seen) : undefined;
  if (beside !== undefined)
    invocation.note(`other open plans: ${beside}; scratchpad plan take N makes one the plan here`);
  const content = spaces[space];
  if (content === '')
    invocation.note(
      workspace.exists
        ? `${space} is empty`
        : 'there is no scratchpad here; create one with: scratchpad init',
    );
  const shown = options.numbers ? withNumbers(space, content) : content;
  invocation.exact({ ...usageOf(space, content, pad.config.limits), content }, shown);
}

/** A space with the numbers that its commands take: of the steps of a plan, else of the lines. */
function withNumbers(space: SpaceName, content: string): string {
  const steps = space === 'plan' ? stepsOf(content) : [];
  if (steps.length === 0) return numbered(content.split('\n'));
  const numbers = new Map(steps.map(({ line, number }) => [line, String(number)]));
  const width = Math.max(...[...numbers.values()].map((number) => number.length));
  return content
    .split('\n')
    .map((line, k) => `${(numbers.get(k) ?? '').padStart(width)}  ${line}`)
    .join('\n');
}

/** Lines with their numbers, as `edit`, `remove` and `move` take them. */
export function numbered(lines: readonly string[]): string {
  const width = String(lines.length).length;
  return lines.map((line, k) => `${String(k + 1).padStart(width)}  ${line}`).join('\n');
}
