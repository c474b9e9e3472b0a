import { refused } from '../base/errors.ts';
import { takePlan } from '../core/plans.ts';
import { planSpace } from '../core/spaces.ts';
import { stepNumbers } from '../pad/steps.ts';
import { type Invocation, readReplacement, readTextArgument, withoutSession } from './invocation.ts';
import { numberOf } from './numbers.ts';
import { openSession } from './open.ts';
import { changing, editing, report, type ShowOptions, showSpace, type TextOptions } from './space.ts';

const verb = changing(planSpace);
const stepNumber = (text: string): number => numberOf(text, 'the number of a step');

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
  verb((_, numbers: string[]) => {
    const steps = numbers.flatMap((text) => stepNumbers(text) ?? stepNumber(text));
    return (plan) => plan[op](...steps);
  }),
);

export const current = verb((_, number: string) => {
  const step = stepNumber(number);
  return (plan) => plan.current(step);
});

export const edit = editing(
  'plan',
  verb((call, number: string, text: string | undefined, { file }: TextOptions) => {
    const [step, words] = [stepNumber(number), readTextArgument(text, file, call)];
    return (plan) => plan.edit(step, words);
  }),
);

export const move = verb((_, from: string, to: string) => {
  const [step, place] = [stepNumber(from), stepNumber(to)];
  return (plan) => plan.move(step, place);
});

export const clear = verb(() => (plan) => plan.clear());

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
      next: 'replace it with: scratchpad plan adopt --replace',
    });
  const { handoverHere } = await import('./handover.ts');
  const text = (await handoverHere(withoutSession(invocation)))?.plan;
  if (text === undefined)
    throw refused('the last session has no open tasks', {
      next: 'list its facts with: scratchpad handover',
    });
  report(invocation, await planSpace(pad).set(text));
}
