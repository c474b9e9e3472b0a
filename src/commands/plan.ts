import { misuse, refused } from '../base/errors.ts';
import { takePlan } from '../core/plans.ts';
import { type Outcome, type PlanSpace, planSpace } from '../core/spaces.ts';
import type { StepName } from '../pad/plan.ts';
import { currentStep, label, outlook, stepNumbers, stepsOf } from '../pad/steps.ts';
import { command, type Declared } from './command.ts';
import {
  type Invocation,
  numberOf,
  readReplacement,
  readTextArgument,
  withoutSession,
} from './invocation.ts';
import { needSession, openSession } from './open.ts';
import { change, report, showing, TAKE_BACK, TEXT } from './spaces.ts';

const STEP = 'its number, or words that only it has';
const STEPS = 'their numbers, such as 2 or 2-4, or words that only one step has';

const changed = (call: Invocation, act: (plan: PlanSpace) => Promise<Outcome>, more?: string) =>
  change(call, (pad) => act(planSpace(pad)), more);

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

const onSteps = (call: Invocation, op: 'done' | 'undone' | 'remove', steps: readonly string[]) => {
  const names = stepNames(steps);
  return changed(call, (space) => space[op](...names));
};

export const plan: Declared = {
  examples: [
    'scratchpad plan set "1. Fix auth bug\n2. Add test"',
    'scratchpad plan done',
    'scratchpad plan done "add test"',
  ],
  verbs: {
    show: showing('plan', 'print the plan', 'with the numbers of the steps, as the other commands take them'),
    next: command({
      about: 'print the step that is next',
      run: async (call) => {
        const opened = await openSession(call);
        await needSession(opened);
        const steps = stepsOf((await opened.pad.store.read()).spaces.plan);
        const step = steps.every(({ done }) => done) ? undefined : currentStep(steps);
        const none =
          steps.length === 0 ? 'the plan is empty; add a step with: scratchpad plan add' : outlook(steps);
        call.result(
          { number: step?.number ?? null, text: step?.text.trim() ?? null },
          step === undefined ? none : label(step),
        );
      },
    }),
    add: command({
      about: 'add a step at the end, or one for each line',
      takes: TEXT,
      run: (call, { text, file }) => {
        const content = readTextArgument(text, file, call);
        return changed(call, (space) => space.add(content));
      },
    }),
    set: command({
      about: 'replace the plan; text over the limit is cut, with a warning',
      takes: TEXT,
      run: (call, { text, file }) => {
        const content = readReplacement('plan', text, file, call);
        return changed(call, (space) => space.set(content));
      },
    }),
    edit: command({
      about: 'change the text of a step, or open the plan in your editor',
      takes: { '[step]': `${STEP}; the editor opens unless given`, ...TEXT },
      run: async (call, { step, text, file }) => {
        if (step === undefined) return (await import('./edit.ts')).editSpaceText(call, 'plan');
        const [name, words] = [stepName(step), readTextArgument(text, file, call)];
        return changed(call, (space) => space.edit(name, words));
      },
    }),
    done: command({
      about: 'strike steps through and mark them DONE; moves the current marker on',
      takes: { '[steps...]': `${STEPS}; the current one unless given` },
      run: (call, { steps }) => onSteps(call, 'done', steps),
    }),
    undone: command({
      about: 'reopen steps',
      also: ['reopen'],
      takes: { '<steps...>': STEPS },
      run: (call, { steps }) => onSteps(call, 'undone', steps),
    }),
    current: command({
      about: 'mark a step as the current one',
      takes: { '<step>': STEP },
      run: (call, { step }) => {
        const name = stepName(step);
        return changed(call, (space) => space.current(name));
      },
    }),
    remove: command({
      about: 'remove steps and renumber the rest',
      also: ['delete', 'rm'],
      takes: { '<steps...>': STEPS },
      run: (call, { steps }) => onSteps(call, 'remove', steps),
    }),
    move: command({
      about: 'move a step to the place of another and renumber the plan',
      takes: { '<step>': STEP, '<to>': 'number of the place' },
      run: (call, { step, to }) => {
        const [name, place] = [stepName(step), numberOf(to, 'the number of a step')];
        return changed(call, (space) => space.move(name, place));
      },
    }),
    clear: command({
      about: 'empty the plan',
      run: (call) => changed(call, (space) => space.clear(), TAKE_BACK),
    }),
    take: command({
      about: 'make another open plan the one here: that of another session, branch or work tree',
      takes: {
        '[number]': 'its number, as plan and SCRATCHPAD.md show it; not needed if there is only one',
      },
      examples: ['scratchpad plan take 2'],
      run: async (call, { number }) => {
        const { pad } = await openSession(call);
        const wanted = number === undefined ? undefined : numberOf(number, 'the number of a plan');
        const { content, warnings } = await takePlan(pad, wanted);
        call.warn(warnings);
        call.done({ plan: content }, ['the plan here is now:', content]);
      },
    }),
    adopt: command({
      about: "take over the agent's own task list, or the approved plan, from the last session",
      takes: { '--replace': 'replace the existing plan' },
      run: async (call, { replace }) => {
        const { pad } = await openSession(call);
        const held = (await pad.store.read()).spaces.plan;
        if (held.trim() !== '' && replace !== true)
          throw refused('a plan exists already', {
            found: held.split('\n', 1)[0] ?? '',
            next: { to: 'replace it', command: 'scratchpad plan adopt --replace' },
          });
        const { handoverHere } = await import('./handover.ts');
        const text = (await handoverHere(withoutSession(call)))?.plan;
        if (text === undefined)
          throw refused('the last session has no open tasks', {
            next: { to: 'list its facts', command: 'scratchpad handover' },
          });
        report(call, await planSpace(pad).set(text));
      },
    }),
  },
};
