import { refusal, ScratchpadError, usageError } from '../base/errors.ts';
import { defuse } from '../base/safety/index.ts';
import type { Optional } from '../base/text/json.ts';
import { countCharacters, foldText, formatCount, formatThousands } from '../base/text/strings.ts';
import { adviseToShorten, TAKE_ONE } from '../pad/advice.ts';
import { type Limits, measureUsage, parseRefs, type Usage } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { addStep, markCurrent, markDone, markOpen, moveStep, removeSteps, rewordStep } from '../pad/plan.ts';
import { readPlanText } from '../pad/plan-text.ts';
import { addRefs, removeRefs, setRefs } from '../pad/refs.ts';
import { extractRules, warnOfLostRules } from '../pad/rules.ts';
import {
  type EditResult,
  joinText,
  removeLines,
  replaceText,
  rewordLine,
  type SpaceText,
  setText,
} from '../pad/spaces.ts';
import { expandRanges, type StepName } from '../pad/step-names.ts';
import { NO_STEPS, parseSteps, renderOutlook } from '../pad/steps.ts';
import { describeOwner, describePlan, type VisiblePlan } from '../session/plans.ts';
import type { Snapshot } from '../session/store.ts';
import type { Pad } from './context.ts';
import { summarizeOtherPlans } from './scope.ts';

export interface Outcome extends Usage {
  /** A description for a person: `1. ~~Fix auth bug~~ DONE - next: 2. Add test`. */
  message: string;
  revision: number;
  /** Whether the space was changed, by this call or by an edit in the file adopted with it. */
  changed: boolean;
  /** Warnings for the writer: text cut, refs dropped, damage found, edits merged. */
  warnings: string[];
}

type Edit = (current: string, limits: Limits) => EditResult;

export async function editSpace(pad: Pad, space: SpaceName, op: string, edit: Edit): Promise<Outcome> {
  const { limits } = pad.config;
  let edited: EditResult = { content: '', warnings: [], message: '' };
  let isSame = false;
  let before: VisiblePlan | undefined;
  const done = await pad.store.change((now) => {
    const current = now.spaces[space];
    edited = space === 'plan' ? editVisiblePlan(now, edit, limits) : edit(current, limits);
    isSame = edited.content === current;
    before = now.seen;

    return [{ space, content: edited.content, op }];
  });

  const replaced = op === 'set' ? describeReplacedSteps(before?.plan, done.seen?.plan) : '';
  return {
    ...measureUsage(space, done.spaces[space], limits),
    message: [isSame && 'nothing changed', edited.message].filter(Boolean).join(': ') + replaced,
    revision: done.revision,
    changed: done.revisions.length > 0,
    warnings: [
      ...done.notices,
      ...edited.warnings,
      ...(space === 'plan' && !isSame ? describePlanChange(op, before, done.seen) : []),
    ],
  };
}

/** Names the other plans if this caller has none: the step is most likely in one of them. */
function editVisiblePlan({ spaces, seen }: Snapshot, edit: Edit, limits: Limits): EditResult {
  try {
    return edit(spaces.plan, limits);
  } catch (error) {
    const others = spaces.plan.trim() === '' && seen ? summarizeOtherPlans(seen) : undefined;
    if (others === undefined || !(error instanceof ScratchpadError) || error.kind !== 'refused') throw error;
    throw refusal('you have no plan here: nothing was changed', { found: others, next: TAKE_ONE });
  }
}

/** Warns if the plan that was changed is a new one beside others, or was another session's. */
function describePlanChange(op: string, before?: VisiblePlan, after?: VisiblePlan): string[] {
  const plan = after?.plan;
  const { plan: previous, origin } = before ?? {};
  if (after === undefined || plan === undefined) return [];

  if (previous?.id === plan.id) {
    const isTakenOver =
      (op !== 'set' && (previous.session ?? plan.session) !== plan.session) || (origin && !after.origin);
    return isTakenOver
      ? [`this continues the plan of ${origin ?? describeOwner(previous)}; undo takes the change back`]
      : [];
  }

  if (previous !== undefined && after.others.some(({ id }) => id === previous.id))
    return [
      `${defuse(describePlan(previous))} was set aside; scratchpad plan take ${previous.number} brings it back`,
    ];

  const others = summarizeOtherPlans(after);
  // When a plan is cleared, an older one may come back.
  const isNew = before?.others.every(({ id }) => id !== plan.id) ?? true;
  return others === undefined || !isNew ? [] : [`a new plan was begun; still open beside it: ${others}`];
}

/** Plans are also set to finish their steps, or to add some: a step whose words stay is not replaced. */
function describeReplacedSteps(before: VisiblePlan['plan'], after: VisiblePlan['plan']): string {
  if (before === undefined || before.id !== after?.id) return '';
  const remaining = new Set(parseSteps(after.content).map(({ text }) => foldText(text)));
  const lost = parseSteps(before.content).filter(({ done, text }) => !done && !remaining.has(foldText(text)));
  const count = formatCount(lost.length, 'open step');
  return lost.length > 0 ? `\n${count} replaced; scratchpad undo brings the former plan back` : '';
}

/** `notes` and `plan`: free text with a limit. Every change is durable when its promise resolves. */
export type TextSpace = ReturnType<typeof openTextSpace>;

export function openTextSpace(pad: Pad, space: 'notes' | 'plan') {
  const edit = (op: string, change: (now: SpaceText) => EditResult): Promise<Outcome> =>
    editSpace(pad, space, op, (content, limits) => change({ space, content, limits }));
  return {
    read: async (): Promise<string> => (await pad.store.read()).spaces[space],
    /** Replaces the text; text over the limit is cut, with a warning. */
    set: (text: string): Promise<Outcome> => setWhole(pad, space, text, (edited) => edited),
    /** Adds a line. @throws ScratchpadError `refused` if it does not fit. */
    append: (text: string) => edit('append', (now) => joinText(now, text, 'append')),
    /** Adds a line at the top. @throws ScratchpadError `refused` if it does not fit. */
    prepend: (text: string) => edit('prepend', (now) => joinText(now, text, 'prepend')),
    /** @throws ScratchpadError `refused` with the number of matches unless `find` occurs exactly once, or `all` */
    replace: (find: string, replacement: string, { all = false }: Optional<{ all: boolean }> = {}) =>
      edit('replace', (now) => replaceText(now, find, replacement, all)),
    /** @throws ScratchpadError `refused` with the number of matches unless `text` occurs exactly once, or `all` */
    delete: (text: string, { all = false }: Optional<{ all: boolean }> = {}) =>
      edit('delete', (now) => replaceText(now, text, '', all)),
    /** Changes a line, counted from 1. @throws ScratchpadError `refused` if there is no such line. */
    editLine: (line: number, text: string) => edit('edit', (now) => rewordLine(now, line, text)),
    /** Removes lines: by number from 1, `2-4`, or a text. @throws ScratchpadError `refused` unless one line holds it */
    removeLines: (...lines: (number | string)[]) =>
      edit('remove', (now) => removeLines(now, expandRanges(lines, now.content.split('\n').length))),
    /** Empties the space; `Rule:` lines of the notes stay unless `all`. */
    clear: ({ all = false }: Optional<{ all: boolean }> = {}) =>
      edit('clear', ({ content }) => clearSpace(space, all || space === 'plan' ? '' : extractRules(content))),
  };
}

/** Steps are named by their number, or by a text that only one of them holds. */
export type PlanSpace = ReturnType<typeof openPlanSpace>;

/** One step or more, `(1, 2)`, or a list of them, `([1, 2])`, which must not be empty. */
type Steps = [StepName, ...StepName[]] | [readonly StepName[]];

export function openPlanSpace(pad: Pad) {
  const edit = (op: string, change: Edit): Promise<Outcome> => editSpace(pad, 'plan', op, change);
  return {
    ...openTextSpace(pad, 'plan'),
    set: async (text: string): Promise<Outcome> =>
      setWhole(pad, 'plan', await readPlanText(text), describeNewPlan),
    /** Adds a step in the style of the list. @throws ScratchpadError `refused` if it does not fit. */
    add: async (step: string) => {
      const text = await readPlanText(step);
      return edit('add', (now, limits) => {
        const added = requireFitting(addStep(now, text), limits);
        return { ...added, warnings: [...added.warnings, ...warnOfOneLine(text)] };
      });
    },
    /** Strikes steps through and marks them DONE. @throws ScratchpadError `refused` if there is no such step. */
    done: (...steps: Steps) => edit('done', (now) => markDone(now, listSteps(steps))),
    /** The same for the current step. @throws ScratchpadError `refused` if no step is open. */
    doneCurrent: () => edit('done', (now) => markDone(now, [])),
    /** Reopens steps. @throws ScratchpadError `refused` if there is no such step. */
    undone: (...steps: Steps) => edit('undone', (now) => markOpen(now, listSteps(steps))),
    /** Moves the current marker. @throws ScratchpadError `refused` if there is no such step. */
    current: (step: StepName) => edit('current', (now) => markCurrent(now, step)),
    /** Changes the text of a step; its state stays. @throws ScratchpadError `refused` if there is no such step. */
    edit: (step: StepName, text: string) =>
      edit('edit', (now, limits) => requireFitting(rewordStep(now, step, text), limits)),
    /** Removes steps and renumbers the rest. @throws ScratchpadError `refused` if there is no such step. */
    remove: (...steps: Steps) => edit('remove', (now) => removeSteps(now, listSteps(steps))),
    /** Moves a step to the place of another and renumbers. @throws ScratchpadError `refused` if there is no such step. */
    move: (step: StepName, to: number) => edit('move', (now) => moveStep(now, step, to)),
    /** Moves another open plan here, by its number. @throws ScratchpadError `refused` if there is no such plan. */
    take: async (number: number) => (await import('./plans.ts')).takePlan(pad, number),
  };
}

/** A list that a program has filtered empty names no step, and not the current one. */
function listSteps(steps: Steps): StepName[] {
  const list = steps.flat();
  if (list.length > 0) return list;
  throw usageError('no step was named: nothing was changed', {
    expected: 'numbers or words of steps',
    next: { to: 'finish the current step', call: 'pad.plan.doneCurrent()' },
  });
}

export type RefsSpace = ReturnType<typeof openRefsSpace>;

export function openRefsSpace(pad: Pad) {
  const edit = (op: string, change: Edit): Promise<Outcome> => editSpace(pad, 'refs', op, change);
  return {
    /** Oldest first. */
    list: async (): Promise<string[]> => parseRefs((await pad.store.read()).spaces.refs),
    /** Adds refs as the newest, dropping the oldest when full. */
    add: (...refs: string[]) => edit('add', (now, limits) => addRefs(now, refs, limits)),
    /** By their exact text, or their number from 1. @throws ScratchpadError `refused` if there is no such ref. */
    remove: (...refs: string[]) => edit('remove', (now) => removeRefs(now, refs)),
    /** The first items up to the limit are kept; items that are not strings are left out, with a warning. */
    set: (items: readonly unknown[]) => edit('set', (_, limits) => setRefs(items, limits)),
    clear: () => edit('clear', () => clearSpace('refs')),
  };
}

/** Sets a space. A text over the limit is stored as an entry first, so that the cut loses nothing. */
async function setWhole(
  pad: Pad,
  space: 'notes' | 'plan',
  text: string,
  describe: (edited: EditResult) => EditResult,
): Promise<Outcome> {
  const fitted = setText(space, text, pad.config.limits);
  const entryWarnings = fitted.warnings.length > 0 ? await keepWholeText(pad, space, text) : [];
  const edited = describe(fitted);
  return editSpace(pad, space, 'set', (current) => {
    const lostRules = space === 'notes' ? warnOfLostRules(`${current}\n${text}`, edited.content) : [];
    return { ...edited, warnings: [...edited.warnings, ...lostRules, ...entryWarnings] };
  });
}

/** Keeps the whole of a text that is cut. @returns a sentence that says where */
export async function keepWholeText(pad: Pad, space: 'notes' | 'plan', text: string): Promise<string[]> {
  pad.assertCanCreate?.();
  const name = await pad.keepWhole?.(space, text);
  return name === undefined ? [] : [`the whole text is kept as the entry ${name}`];
}

/** Adds the number of steps and the next one to the answer; warns of a plan without steps. */
function describeNewPlan(edited: EditResult): EditResult {
  const { content, warnings } = edited;
  const steps = parseSteps(content);
  if (steps.length === 0) return content === '' ? edited : { ...edited, warnings: [...warnings, NO_STEPS] };
  const message = `set: ${formatCount(steps.length, 'step')} - ${renderOutlook(steps)}`;
  return { ...edited, message, warnings: [...warnings, ...warnOfOneLine(content)] };
}

/** Warns of a list in one line: `1. a 2. b`, or with `\\n` between its steps, which a shell passes on as two characters. */
function warnOfOneLine(plan: string): string[] {
  const remedy = 'put each step on a line of its own';
  if (/\S\s*\\n\s*(?:\d+[.)]|[-*+])\s/.test(plan))
    return [`the plan contains \\n as text, not as a line break; ${remedy}`];

  const isOne = ONE_LINE.test(plan) && parseSteps(plan).length === 1;

  return isOne ? [`the plan is one step that holds others; ${remedy}`] : [];
}

const ONE_LINE = /^\s*\(?1([.)、]|:(?=\s))[^\n]*?\s\(?2\1\s*\S|①[^\n]*②/;

/** Empties a space but for `remaining`, the rules. */
export function clearSpace(space: SpaceName, remaining = ''): EditResult {
  const message = remaining === '' ? `${space} cleared` : `${space} cleared; the rules stay`;
  return { content: remaining, warnings: [], message };
}

/** A new step that does not fit is refused, because cutting the last line would change the plan. */
function requireFitting(edited: EditResult, limits: Limits): EditResult {
  const used = countCharacters(edited.content);
  if (used <= limits.plan) return edited;
  throw refusal('the step would exceed the plan limit: nothing was changed', {
    expected: `at most ${formatThousands(limits.plan)} characters in all (the setting limits.plan)`,
    found: `${formatThousands(used)} with the step`,
    next: adviseToShorten('plan'),
  });
}
