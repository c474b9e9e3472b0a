import type { Pad } from '../core/context.ts';
import { besideInShort } from '../core/scope.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import { command, type Declared } from './command.ts';
import type { Invocation } from './invocation.ts';
import { needSession, openSession } from './open.ts';

/** What the commands that take one text take. */
export const TEXT = {
  '[text]': 'the text, or - to read it from stdin',
  '-f, --file <path>': 'read the text from a file',
};

/** Reports a change, and how full the space is now. Prints an `Outcome` with `--json`. */
export function report(call: Invocation, outcome: Outcome, more?: string): void {
  call.warn(outcome.warnings, 'not kept');
  const { session } = call.options;
  if (session !== undefined && outcome.revision === 1)
    call.note(`this starts session ${session}; list all with: scratchpad session list`);
  call.done(outcome, [outcome.message, describeUsage(outcome), more]);
}

/** Changes a space and reports it. */
export async function change(
  call: Invocation,
  act: (pad: Pad) => Promise<Outcome>,
  more?: string,
): Promise<void> {
  report(call, await act((await openSession(call)).pad), more);
}

/** What the commands that empty a space add to their answer. */
export const TAKE_BACK = 'take it back with: scratchpad undo';

/** The verb that prints a space; it runs where no verb is given. */
export const showing = (space: SpaceName, about: string, numbers: string): Declared =>
  command({
    about,
    also: ['list', 'ls'],
    usual: true,
    takes: { '--numbers': numbers },
    run: (call, given) => showSpace(call, space, given.numbers),
  });

/** Prints one space as it is; with `--json` also how full it is. */
export async function showSpace(call: Invocation, space: SpaceName, numbers = false): Promise<void> {
  const opened = await openSession(call);
  await needSession(opened);
  const { pad, workspace } = opened;
  const { spaces, notices, seen } = await pad.store.read();
  call.warn(notices);
  const beside = space === 'plan' && seen ? besideInShort(seen) : undefined;
  if (beside !== undefined)
    call.note(`other open plans: ${beside}; scratchpad plan take N makes one the plan here`);
  const content = spaces[space];
  if (content === '')
    call.note(
      workspace.exists
        ? `${space} is empty`
        : 'there is no scratchpad here; create one with: scratchpad init',
    );
  const items = space === 'refs' ? refsOf(content) : undefined;
  const lines = items ?? content.split('\n');
  call.exact(
    { ...usageOf(space, content, pad.config.limits), ...(items ? { items } : { content }) },
    numbers && content !== '' ? withNumbers(space, lines) : lines.join('\n'),
  );
}

/** Lines with the numbers that the commands take: of the steps of a plan, else of the lines. */
function withNumbers(space: SpaceName, lines: readonly string[]): string {
  const steps = space === 'plan' ? stepsOf(lines.join('\n')) : [];
  const byLine = new Map(steps.map(({ line, number }) => [line, String(number)]));
  const numbers = lines.map((_, k) => (steps.length > 0 ? (byLine.get(k) ?? '') : String(k + 1)));
  const width = Math.max(...numbers.map((number) => number.length));
  return lines.map((line, k) => `${(numbers[k] ?? '').padStart(width)}  ${line}`).join('\n');
}
