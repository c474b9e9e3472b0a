import type { Pad } from '../core/context.ts';
import { besideInShort } from '../core/scope.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Invocation, Takes } from './invocation.ts';
import { needSession, openSession } from './open.ts';

/** Reports a change, and how full the space is now. Prints an `Outcome` with `--json`. */
export function report(invocation: Invocation, outcome: Outcome): void {
  invocation.warn(outcome.warnings, 'not kept');
  const { session } = invocation.options;
  if (session !== undefined && outcome.revision === 1)
    invocation.note(`this starts session ${session}; list all with: scratchpad session list`);
  invocation.done(outcome, `${outcome.message}\n${describeUsage(outcome)}`);
}

/**
 * Commands that change one space: `read` checks what was typed, before anything is opened, and gives the change.
 */
export const changing =
  <Space>(spaceIn: (pad: Pad) => Space) =>
  <Words extends unknown[]>(
    read: (call: Invocation, ...words: Words) => (space: Space) => Promise<Outcome>,
  ) =>
  async (invocation: Invocation, ...words: Words): Promise<void> => {
    const act = read(invocation, ...words);
    report(invocation, await act(spaceIn((await openSession(invocation)).pad)));
  };

export type TextOptions = Takes<'file'>;

type Edit = (call: Invocation, what: string, text: string | undefined, options: TextOptions) => Promise<void>;

/** `edit`: changes what is named, or opens the whole space in an editor. */
export const editing =
  (space: SpaceName, edit: Edit) =>
  async (
    invocation: Invocation,
    what: string | undefined,
    text: string | undefined,
    options: TextOptions,
  ): Promise<void> => {
    if (what !== undefined) return edit(invocation, what, text, options);
    return (await import('./edit.ts')).editSpaceText(invocation, space);
  };

export type ShowOptions = Takes<never, 'numbers'>;

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
