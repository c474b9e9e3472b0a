import type { Pad } from '../core/context.ts';
import { besideInShort } from '../core/scope.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import { command, type Declared, type Given, type Named, type Takes } from './command.ts';
import { type Invocation, readTextArgument } from './invocation.ts';
import { openKnown, openSession } from './open.ts';
import { columns } from './terminal.ts';

/** What the verbs that take one text take. */
export const TEXT = {
  '[text]': 'the text, or - to read it from stdin',
  '-f, --file <path>': 'read the text from a file',
};

interface Verb<Space, T extends Takes> extends Named {
  takes?: T;
  /** The text that was typed, if it takes one: it is read before anything is opened. */
  text?: (call: Invocation, given: Given<T>) => string;
  act: (space: Space, given: Given<T>, text: string) => Promise<Outcome>;
  more?: string;
  /** Opens the space in an editor if this argument is missing. */
  editor?: keyof Given<T>;
}

/** Declares verbs that change a space and report it. */
export const verbsOf =
  <Space>(name: SpaceName, spaceIn: (pad: Pad) => Space) =>
  // biome-ignore lint/complexity/noBannedTypes: a verb that takes nothing.
  <const T extends Takes = {}>({ act, text, more, editor, ...verb }: Verb<Space, T>): Declared =>
    command({
      ...verb,
      run: async (call, given: Given<T>) => {
        if (editor !== undefined && given[editor] === undefined)
          return (await import('./edit.ts')).editSpaceText(call, name);
        const typed = text?.(call, given) ?? '';
        const { pad, store, unknownSession } = await openSession(call);
        const outcome = await act(spaceIn(pad), given, typed);
        if (unknownSession)
          call.note(`this starts session ${store.paths.session}; list all with: scratchpad session list`);
        report(call, outcome, more);
      },
    });

export const typed = (
  call: Invocation,
  { text, file }: { text: string | undefined; file: string | undefined },
): string => readTextArgument(text, file, call);

/** Reports a change, and how full the space is now. Prints an `Outcome` with `--json`. */
export function report(call: Invocation, outcome: Outcome, more?: string): void {
  // A change that was not made as it was asked for is said even to a script.
  call.warn(outcome.warnings, 'always');
  call.done(outcome, [outcome.message, describeUsage(outcome), more]);
}

export const NO_PAD = 'there is no scratchpad here; create one with: scratchpad init';

/** What is said after a space was emptied. */
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
  const opened = await openKnown(call);
  const { pad, workspace } = opened;
  const { spaces, notices, seen } = await pad.store.read();
  call.warn(notices);
  const beside = space === 'plan' && seen ? besideInShort(seen) : undefined;
  if (beside !== undefined)
    call.note(`other open plans: ${beside}; scratchpad plan take N makes one the plan here`);
  const content = spaces[space];
  if (content === '') call.note(workspace.exists ? `${space} is empty` : NO_PAD);
  const items = space === 'refs' ? refsOf(content) : undefined;
  const lines = items ?? content.split('\n');
  call.exact(
    { ...usageOf(space, content, pad.config.limits), ...(items ? { items } : { content }) },
    (numbers && content !== '' ? columns(numbered(space, lines), [0]) : lines).join('\n'),
  );
}

/** Lines with the numbers that the commands take: of the steps of a plan, else of the lines. */
function numbered(space: SpaceName, lines: readonly string[]): string[][] {
  const steps = space === 'plan' ? stepsOf(lines.join('\n')) : [];
  const numbers = new Map(steps.map(({ line, number }) => [line, String(number)]));
  return lines.map((line, k) => [steps.length > 0 ? (numbers.get(k) ?? '') : String(k + 1), line]);
}
