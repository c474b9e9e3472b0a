import { misuse, refused } from '../base/errors.ts';
import { parsed } from '../base/text/json.ts';
import type { Pad } from '../core/context.ts';
import { takePlan } from '../core/plans.ts';
import { besideInShort } from '../core/scope.ts';
import { type Outcome, planSpace, refsSpace, textSpace } from '../core/spaces.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { StepName } from '../pad/plan.ts';
import { currentStep, label, outlook, stepNumbers, stepsOf } from '../pad/steps.ts';
import {
  type Invocation,
  isNumber,
  numberOf,
  readReplacement,
  readTextArgument,
  type Takes,
  withoutSession,
} from './invocation.ts';
import { needSession, openSession } from './open.ts';

type TextOptions = Takes<'file'>;
type ShowOptions = Takes<never, 'numbers'>;
type Body<Words extends unknown[]> = (invocation: Invocation, ...words: Words) => Promise<void>;

/** Reports a change, and how full the space is now. Prints an `Outcome` with `--json`. */
export function report(invocation: Invocation, outcome: Outcome, more = ''): void {
  invocation.warn(outcome.warnings, 'not kept');
  const { session } = invocation.options;
  if (session !== undefined && outcome.revision === 1)
    invocation.note(`this starts session ${session}; list all with: scratchpad session list`);
  invocation.done(outcome, `${outcome.message}\n${describeUsage(outcome)}${more}`);
}

/**
 * Commands that change one space: `read` checks what was typed, before anything is opened, and gives the change.
 */
const changing =
  <Space>(spaceIn: (pad: Pad) => Space) =>
  <Words extends unknown[]>(
    read: (call: Invocation, ...words: Words) => (space: Space) => Promise<Outcome>,
    more?: string,
  ): Body<Words> =>
  async (invocation, ...words) => {
    const act = read(invocation, ...words);
    report(invocation, await act(spaceIn((await openSession(invocation)).pad)), more);
  };

const onNotes = changing((pad) => textSpace(pad, 'notes'));
const onPlan = changing(planSpace);
const onRefs = changing(refsSpace);

const TAKE_BACK = '\ntake it back with: scratchpad undo';

/** `edit`: changes what is named, or opens the whole space in an editor. */
const editing =
  (
    space: SpaceName,
    edit: Body<[what: string, text: string | undefined, options: TextOptions]>,
  ): Body<[what: string | undefined, text: string | undefined, options: TextOptions]> =>
  async (invocation, what, text, options) => {
    if (what !== undefined) return edit(invocation, what, text, options);
    return (await import('./edit.ts')).editSpaceText(invocation, space);
  };

const showing =
  (space: SpaceName): Body<[options: ShowOptions]> =>
  (invocation, options) =>
    showSpace(invocation, space, options);

/** Prints one space as it is; with `--json` also how full it is. */
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
  const items = refsOf(content);
  if (content === '')
    invocation.note(
      workspace.exists
        ? `${space} is empty`
        : 'there is no scratchpad here; create one with: scratchpad init',
    );
  const lines = space === 'refs' ? items : content.split('\n');
  invocation.exact(
    { ...usageOf(space, content, pad.config.limits), ...(space === 'refs' ? { items } : { content }) },
    options.numbers && content !== ''
      ? withNumbers(space, lines)
      : space === 'refs'
        ? items.join('\n')
        : content,
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

const lineNumber = (text: string): number => numberOf(text, 'the number of a line');

const adding = (op: 'append' | 'prepend') =>
  onNotes((call, text: string | undefined, { file }: TextOptions) => {
    const content = readTextArgument(text, file, call);
    if (content.trim() === '')
      throw misuse('the text is empty: nothing was changed', { expected: 'the text to add' });
    return (space) => space[op](content);
  });

export const notes = {
  show: showing('notes'),
  add: adding('append'),
  prepend: adding('prepend'),
  set: onNotes((call, text: string | undefined, { file }: TextOptions) => {
    const content = readReplacement('notes', text, file, call);
    return (space) => space.set(content);
  }),
  edit: editing(
    'notes',
    onNotes((call, line, text, { file }) => {
      const [number, content] = [lineNumber(line), readTextArgument(text, file, call)];
      return (space) => space.editLine(number, content);
    }),
  ),
  replace: onNotes(
    (_, find: string, by: string, options: Takes<never, 'all'>) => (space) =>
      space.replace(find, by, options),
  ),
  /** By number, or the one line that holds a text. */
  remove: onNotes(
    (_, what: string[]) => (space) =>
      space.removeLines(...(what.every(isNumber) ? what.map(Number) : [what.join(' ')])),
  ),
  move: onNotes((_, from: string, to: string) => {
    const [line, place] = [lineNumber(from), lineNumber(to)];
    return (space) => space.moveLine(line, place);
  }),
  clear: onNotes(() => (space) => space.clear(), TAKE_BACK),
  /** Adds the notes of this session to the shared notes of all sessions. */
  async promote(invocation: Invocation): Promise<void> {
    const { store, config, workspace } = await openSession(invocation);
    const { primarySession: primary } = config;
    if (store.paths.session === primary) {
      throw misuse('these notes are already the shared ones', {
        expected: 'the session to promote notes from: --session ID',
      });
    }
    const [{ promoteNotes }, { FileStore }] = await Promise.all([
      import('../core/adopt.ts'),
      import('../session/file-store.ts'),
    ]);
    const shared = new FileStore(workspace.root, primary, { primary, cwd: invocation.cwd });
    const done = await promoteNotes((await store.read()).spaces, shared, config.limits);
    invocation.warn(done.notices);
    const changed = done.revisions.length > 0;
    invocation.done(
      { revision: done.revision, changed },
      changed
        ? `promoted to ${primary}: ${describeUsage(usageOf('notes', done.spaces.notes, config.limits))}`
        : 'nothing to promote: the shared notes have it all',
    );
  },
};

/** Steps by their numbers, such as `2` or `2-4`, or one step by words of its text. */
function stepNames(words: readonly string[]): StepName[] {
  const numbers = words.map(stepNumbers);
  if (numbers.every((each) => each !== undefined)) return numbers.flat();
  const text = words.join(' ');
  if (/\p{L}/u.test(text)) return [text];
  throw misuse('not the number of a step', {
    expected: 'a number such as 2, or words of the step',
    found: text,
  });
}
const stepName = (text: string): StepName => stepNames([text])[0] ?? text;

const onSteps = (op: 'done' | 'undone' | 'remove') =>
  onPlan((_, steps: string[]) => {
    const names = stepNames(steps);
    return (space) => space[op](...names);
  });

export const plan = {
  show: showing('plan'),
  /** The step that is next, on one line. With `--json`: `{number, text}`, both null without an open step. */
  async next(invocation: Invocation): Promise<void> {
    const opened = await openSession(invocation);
    await needSession(opened);
    const steps = stepsOf((await opened.pad.store.read()).spaces.plan);
    const step = steps.every(({ done }) => done) ? undefined : currentStep(steps);
    const none =
      steps.length === 0 ? 'the plan is empty; add a step with: scratchpad plan add' : outlook(steps);
    invocation.result(
      { number: step?.number ?? null, text: step?.text.trim() ?? null },
      step === undefined ? none : label(step),
    );
  },
  add: onPlan((call, text: string | undefined, { file }: TextOptions) => {
    const content = readTextArgument(text, file, call);
    return (space) => space.add(content);
  }),
  set: onPlan((call, text: string | undefined, { file }: TextOptions) => {
    const content = readReplacement('plan', text, file, call);
    return (space) => space.set(content);
  }),
  edit: editing(
    'plan',
    onPlan((call, step, text, { file }) => {
      const [name, words] = [stepName(step), readTextArgument(text, file, call)];
      return (space) => space.edit(name, words);
    }),
  ),
  done: onSteps('done'),
  undone: onSteps('undone'),
  current: onPlan((_, step: string) => {
    const name = stepName(step);
    return (space) => space.current(name);
  }),
  remove: onSteps('remove'),
  move: onPlan((_, from: string, to: string) => {
    const [name, place] = [stepName(from), numberOf(to, 'the number of a step')];
    return (space) => space.move(name, place);
  }),
  clear: onPlan(() => (space) => space.clear(), TAKE_BACK),
  /** Takes over another open plan, by its number; lists them without one. */
  async take(invocation: Invocation, number: string | undefined): Promise<void> {
    const { pad } = await openSession(invocation);
    const wanted = number === undefined ? undefined : numberOf(number, 'the number of a plan');
    const { content, warnings } = await takePlan(pad, wanted);
    invocation.warn(warnings);
    invocation.done({ plan: content }, `the plan here is now:\n${content}`);
  },
  /** Puts the open tasks of the last session into the plan space. */
  async adopt(invocation: Invocation, options: { replace?: boolean }): Promise<void> {
    const { pad } = await openSession(invocation);
    const { spaces } = await pad.store.read();
    if (spaces.plan.trim() !== '' && options.replace !== true)
      throw refused('a plan exists already', {
        found: spaces.plan.split('\n', 1)[0] ?? '',
        next: { to: 'replace it', command: 'scratchpad plan adopt --replace' },
      });
    const { handoverHere } = await import('./handover.ts');
    const text = (await handoverHere(withoutSession(invocation)))?.plan;
    if (text === undefined) throw nothingThere('has no open tasks');
    report(invocation, await planSpace(pad).set(text));
  },
};

const nothingThere = (why: string) =>
  refused(`the last session ${why}`, { next: { to: 'list its facts', command: 'scratchpad handover' } });

/** Refs as arguments, or one as `-`/`--file`. */
const onItems = (op: 'add' | 'remove') =>
  onRefs((call, items: string[], { file }: TextOptions) => {
    const named = items.length > 1 ? items : [readTextArgument(items[0], file, call)];
    return (space) => space[op](...named);
  });

/** Files that are worth keeping at hand. */
const MOST_FILES = 10;

export const refs = {
  show: showing('refs'),
  add: onItems('add'),
  /** Items as arguments, or `-`/`--file` with a JSON array or one ref per line. */
  set: onRefs((call, items: string[], { file }: TextOptions) => {
    const single = items.length === 0 || (items.length === 1 && items[0] === '-');
    if (!single) return (space) => space.set(items);
    const text = readReplacement('refs', items[0], file, call);
    // A ref may begin with a bracket, too.
    const list = parsed(text);
    return (space) => space.set(Array.isArray(list) ? list : text.split('\n'));
  }),
  edit: editing(
    'refs',
    onRefs((call, ref, text, { file }) => {
      const by = readTextArgument(text, file, call);
      return (space) => space.edit(ref, by);
    }),
  ),
  remove: onItems('remove'),
  move: onRefs((_, ref: string, to: string) => {
    const place = numberOf(to, 'the number of a place');
    return (space) => space.move(ref, place);
  }),
  clear: onRefs(() => (space) => space.clear(), TAKE_BACK),
  /** Adds the files that the last session changed, the newest last. */
  async adopt(invocation: Invocation): Promise<void> {
    const { pad } = await openSession(invocation);
    const { handoverHere } = await import('./handover.ts');
    const edited = (await handoverHere(withoutSession(invocation)))?.state.edited ?? [];
    const files = edited.slice(0, MOST_FILES);
    if (files.length === 0) throw nothingThere('changed no files of this workspace');
    const space = refsSpace(pad);
    const held = (await space.list()).filter((ref) => !files.includes(ref));
    const all = [...held, ...files.toReversed()].slice(-pad.config.limits.refs);
    report(invocation, await space.set(all));
  },
};
