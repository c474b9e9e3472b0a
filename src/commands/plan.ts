import { misuse, refused } from '../base/errors.ts';
import { takePlan } from '../core/plans.ts';
import { planSpace } from '../core/spaces.ts';
import type { StepName } from '../pad/plan.ts';
import { currentStep, label, outlook, stepNumbers, stepsOf } from '../pad/steps.ts';
import { type Invocation, readReplacement, readTextArgument, withoutSession } from './invocation.ts';
import { numberOf } from './numbers.ts';
import { needSession, openSession } from './open.ts';
import { changing, editing, report, type ShowOptions, showSpace, type TextOptions } from './space.ts';

const verb = changing(planSpace);

/** Steps by their numbers, such as `2` or `2-4`, or one step by words of its text. */
const stepNames = (words: readonly string[]): StepName[] => {
  const numbers = words.map(stepNumbers);
  if (numbers.every((each) => each !== undefined)) return numbers.flat();
  const text = words.join(' ');
  if (/\p{L}/u.test(text)) return [text];
  throw misuse('not the number of a step', {
    expected: 'a number such as 2, or words of the step',
    found: text,
  });
};
const stepName = (text: string): StepName => stepNames([text])[0] ?? text;

export const show = (invocation: Invocation, options: ShowOptions): Promise<void> =>
  showSpace(invocation, 'plan', options);

export const set = verb((call, text: string | undefined, { file }: TextOptions) => {
  const content = readReplacement('plan', text, file, call);
  return (plan) => plan.set(content);
});

export const add = verb((call, text: string | undefined, { file }: TextOptions) => {
  const content = readTextArgument(text, file, call);
  return (plan) => plan.add(content);
});

export const [done, undone, remove] = (['done', 'undone', 'remove'] as const).map((op) =>
  verb((_, steps: string[]) => (plan) => plan[op](...stepNames(steps))),
);

export const current = verb((_, step: string) => (plan) => plan.current(stepName(step)));

export const edit = editing(
  'plan',
  verb((call, step: string, text: string | undefined, { file }: TextOptions) => {
    const words = readTextArgument(text, file, call);
    return (plan) => plan.edit(stepName(step), words);
  }),
);

export const move = verb((_, from: string, to: string) => {
  const place = numberOf(to, 'the number of a step');
  return (plan) => plan.move(stepName(from), place);
});

export const clear = verb(() => (plan) => plan.clear());

/** The step that is next, on one line. With `--json`: `{number, text}`, both null without an open step. */
export async function next(invocation: Invocation): Promise<void> {
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
}

/** Takes over another open plan, by its number; lists them without one. */
export async function take(invocation: Invocation, number: string | undefined): Promise<void> {
  const { pad } = await openSession(invocation);
  const wanted = number === undefined ? undefined : numberOf(number, 'the number of a plan');
  const { content, warnings } = await takePlan(pad, wanted);
  invocation.warn(warnings);
  invocation.done({ plan: content }, `the plan here is now:\n${content}`);
}

/** Puts the open tasks of the last session into the plan space. */
export async function adopt(invocation: Invocation, options: { replace?: boolean }): Promise<void> {
  const { pad } = await openSession(invocation);
  const { spaces } = await pad.store.read();
  if (spaces.plan.trim() !== '' && options.replace !== true)
    throw refused('a plan exists already', {
      found: spaces.plan.split('\n', 1)[0] ?? '',
      next: { to: 'replace it', command: 'scratchpad plan adopt --replace' },
    });
  const { handoverHere } = await import('./handover.ts');
  const text = (await handoverHere(withoutSession(invocation)))?.plan;
  if (text === undefined)
    throw refused('the last session has no open tasks', {
      next: { to: 'list its facts', command: 'scratchpad handover' },
    });
  report(invocation, await planSpace(pad).set(text));
}
