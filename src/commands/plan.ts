import { misuse, refused } from '../base/errors.ts';
import { takePlan } from '../core/plans.ts';
import { besideInShort } from '../core/scope.ts';
import { planSpace } from '../core/spaces.ts';
import type { StepName } from '../pad/plan.ts';
import { currentStep, label, outlook, stepNumbers, stepsOf } from '../pad/steps.ts';
import { command, type Declared } from './command.ts';
import { numberOf, readReplacement, withoutSession } from './invocation.ts';
import { openKnown, openSession } from './open.ts';
import { NO_PAD, report, showing, TAKE_BACK, TEXT, typed, verbsOf } from './spaces.ts';
import { eachHasWords, spell } from './words.ts';

const STEP = 'its number, or words that only it has';
const STEPS = 'their numbers, such as 2 or 2-4, or words that only one step has';

const verb = verbsOf('plan', planSpace);

const TEXTS = {
  '[text...]': 'the text, or - to read it from stdin; of several texts, each is a step',
  '-f, --file <path>': TEXT['-f, --file <path>'],
};

/** Several texts are a step each, on its line. Of single words nobody knows whether they were meant as one text. */
function textOf(verb: string, texts: readonly string[]): string | undefined {
  if (texts.length < 2 || eachHasWords(texts)) return texts.length === 0 ? undefined : texts.join('\n');
  throw misuse('one step or several: nothing was changed', {
    expected: `put a text of several words in quotes, ${spell('plan', verb, texts.join(' '))}, or steps on lines of their own`,
  });
}

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

export const plan: Declared = {
  examples: [
    'scratchpad plan set "1. Fix auth bug\n2. Add test"',
    'scratchpad todo "call the bank"   # the same as: scratchpad plan add',
    'scratchpad done "call the bank"   # the same as: scratchpad plan done',
  ],
  verbs: {
    show: showing('plan', 'print the plan', 'with the numbers of the steps, as the other commands take them'),
    next: command({
      about: 'print the step that is next',
      run: async (call) => {
        const opened = await openKnown(call);
        const { spaces, seen } = await opened.pad.store.read();
        const steps = stepsOf(spaces.plan);
        const others = steps.length === 0 && seen ? besideInShort(seen) : undefined;
        const step = steps.every(({ done }) => done) ? undefined : currentStep(steps);
        const none =
          steps.length > 0
            ? outlook(steps)
            : others !== undefined
              ? `there is no plan here yet; elsewhere ${others}; make one the plan here: scratchpad plan take N`
              : opened.workspace.exists
                ? 'the plan is empty; add a step with: scratchpad plan add'
                : NO_PAD;
        call.result(
          { number: step?.number ?? null, text: step?.text.trim() ?? null },
          step === undefined ? none : label(step),
        );
      },
    }),
    add: verb({
      about: 'add a step at the end, or one for each line',
      takes: TEXTS,
      text: (call, { text, file }) => typed(call, { text: textOf('add', text), file }),
      act: (space, _, text) => space.add(text),
    }),
    set: verb({
      about: 'replace the plan; text over the limit is cut, with a warning',
      takes: TEXTS,
      text: (call, { text, file }) => readReplacement('plan', textOf('set', text), file, call),
      act: (space, _, text) => space.set(text),
    }),
    edit: verb({
      about: 'change the text of a step, or open the plan in your editor',
      takes: { '[step]': `${STEP}; the editor opens unless given`, ...TEXT },
      editor: 'step',
      text: typed,
      act: (space, { step = '' }, text) => space.edit(stepName(step), text),
    }),
    done: verb({
      about: 'strike steps through and mark them DONE; moves the current marker on',
      takes: { '[steps...]': `${STEPS}; the current one unless given` },
      act: (space, { steps }) => space.done(...stepNames(steps)),
    }),
    undone: verb({
      about: 'reopen steps',
      also: ['reopen'],
      takes: { '<steps...>': STEPS },
      act: (space, { steps }) => space.undone(...stepNames(steps)),
    }),
    current: verb({
      about: 'mark a step as the current one',
      takes: { '<step>': STEP },
      act: (space, { step }) => space.current(stepName(step)),
    }),
    remove: verb({
      about: 'remove steps and renumber the rest',
      also: ['delete', 'rm', 'del'],
      takes: { '<steps...>': STEPS },
      act: (space, { steps }) => space.remove(...stepNames(steps)),
    }),
    move: verb({
      about: 'move a step to the place of another and renumber the plan',
      also: ['mv'],
      takes: { '<step>': STEP, '<to>': 'number of the place' },
      act: (space, { step, to }) => space.move(stepName(step), numberOf(to, 'the number of a step')),
    }),
    clear: verb({ about: 'empty the plan', more: TAKE_BACK, act: (space) => space.clear() }),
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
