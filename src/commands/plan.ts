import { usageError } from '../base/errors.ts';
import { formatCall, quoteWord } from '../base/text/shell.ts';
import { openPlanSpace } from '../core/spaces.ts';
import { parseStepNumbers } from '../pad/step-names.ts';
import { findCurrentStep, label, NO_STEPS, parseSteps, renderOutlook, type Step } from '../pad/steps.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { parseNumber, readReplacement, readTextArgument, readWords } from './invocation.ts';
import { openKnown, openSession, readInStep } from './open.ts';
import { defineShow, defineVerbs, joinWords, NO_PAD, noteOtherPlans, REMOVE, TEXT, TEXTS } from './spaces.ts';

const definePlanVerb = defineVerbs(openPlanSpace);
const STEP = 'its number, or words that only it has';
const STEPS = 'their numbers, such as 2 or 2-4, or words that only one step has';
const eachHasWords = (texts: readonly string[]): boolean => texts.every((text) => /\s/.test(text));

/** Each word is a number, such as `2` or `2-4`, or all together are words of one step. */
const stepNames = (words: readonly string[]): readonly string[] =>
  words.every((word) => parseStepNumbers(word) !== undefined) ? words : [words.join(' ')];

function sayNoStep(content: string, steps: readonly Step[]): string {
  if (content.trim() === '') return 'no plan yet; add a step with: scratchpad plan add';
  return steps.length === 0 ? NO_STEPS : renderOutlook(steps);
}

export const plan: CommandDefinition = {
  examples: [
    'scratchpad plan set "1. Fix auth bug\n2. Add test"',
    'scratchpad todo "call the bank"   # the same as: scratchpad plan add',
    'scratchpad done "call the bank"   # the same as: scratchpad plan done',
  ],
  verbs: {
    show: defineShow(
      'plan',
      'print the plan',
      'with the numbers of the steps, as the other commands take them',
    ),
    next: defineCommand({
      about: 'print the step that is next; exits 1 if there is none, but 0 with --json',
      run: async (call) => {
        const { pad, workspace } = await openKnown(call);
        const { spaces, seen } = await readInStep(pad);
        const steps = parseSteps(spaces.plan);
        const step = findCurrentStep(steps);

        call.print(
          { number: step?.number ?? null, text: step?.text.trim() ?? null },
          step === undefined ? '' : label(step),
        );
        if (step !== undefined) return;

        noteOtherPlans(call, seen);
        if (call.options.json) return;
        call.note(workspace.exists ? sayNoStep(spaces.plan, steps) : NO_PAD);
        call.exitCode = 1;
      },
    }),
    add: definePlanVerb({
      about: 'add a step at the end, or one for each line',
      takes: TEXTS,
      change: (space, { text, file }, call) =>
        space.add(readTextArgument(joinWords(text, eachHasWords(text)), file, call)),
    }),
    set: definePlanVerb({
      about: 'replace the plan; text over the limit is cut, with a warning',
      takes: TEXTS,
      change: (space, { text, file }, call) => {
        const each = eachHasWords(text);
        if (text.length < 2 || each)
          return space.set(readReplacement('plan', joinWords(text, each), file, call));
        throw usageError('one step or several: nothing was changed', {
          expected: `one step, ${formatCall('plan', 'set', text.join(' '))}, or steps on lines of their own, scratchpad plan set "$(printf '%s\\n' ${text.map(quoteWord).join(' ')})"`,
        });
      },
    }),
    edit: definePlanVerb({
      about: 'change the text of a step',
      aliases: ['rename'],
      takes: { '<step>': STEP, ...TEXT },
      change: (space, { step, text, file }, call) => space.edit(step, readTextArgument(text, file, call)),
    }),
    done: definePlanVerb({
      about: 'finish steps: mark them DONE, go on to the next',
      takes: { '[steps...]': `${STEPS}; the current one unless given` },
      change: (space, { steps }) => {
        const names = stepNames(steps.length > 0 ? steps : (readWords([]).match(/\S+/g) ?? []));
        return names.length > 0 ? space.done(names) : space.doneCurrent();
      },
    }),
    undone: definePlanVerb({
      about: 'reopen steps',
      aliases: ['reopen'],
      takes: { '<steps...>': STEPS },
      change: (space, { steps }) => space.undone(stepNames(steps)),
    }),
    current: definePlanVerb({
      about: 'mark a step as the current one',
      takes: { '<step>': STEP },
      change: (space, { step }) => space.current(step),
    }),
    remove: definePlanVerb({
      about: 'remove steps and renumber the rest',
      aliases: REMOVE,
      takes: { '<steps...>': STEPS },
      change: (space, { steps }) => space.remove(stepNames(steps)),
    }),
    move: definePlanVerb({
      about: 'move a step to the place of another and renumber the plan',
      aliases: ['mv'],
      takes: { '<step>': STEP, '<to>': 'number of the place' },
      change: (space, { step, to }) => space.move(step, parseNumber(to, 'the number of a step')),
    }),
    clear: definePlanVerb({ about: 'reset the plan: remove all steps', change: (space) => space.clear() }),
    take: defineCommand({
      about: 'make another open plan the one here: that of another session, branch or work tree',
      takes: { '[number]': 'its number, as plan and SCRATCHPAD.md show it; not needed if there is only one' },
      examples: ['scratchpad plan take 2'],
      run: async (call, { number }) => {
        const { pad } = await openSession(call);
        const { takePlan } = await import('../core/plans.ts');
        const word = number ?? readWords([]);
        const wanted = word === '' ? undefined : parseNumber(word, 'the number of a plan');
        const taken = await takePlan(pad, wanted);

        call.warn(taken.warnings);
        call.report({ plan: taken.content }, [taken.message, taken.content]);
      },
    }),
  },
};
