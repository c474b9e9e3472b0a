import { takePlan } from '../core/plans.ts';
import { planSpace } from '../core/spaces.ts';
import { ScratchpadError } from '../errors.ts';
import { stepNumbers } from '../pad/steps.ts';
import { type Invocation, readReplacement, readTextArgument, withoutSession } from './invocation.ts';
import type { TextOptions } from './notes.ts';
import { numberOf } from './numbers.ts';
import { openSession } from './open.ts';
import { change, report, type ShowOptions, showSpace } from './space.ts';

export function show(invocation: Invocation, options: ShowOptions): Promise<void> {
  return showSpace(invocation, 'plan', options);
}

export const set = writer('set');
export const add = writer('add');
export const done = marker('done');
export const undone = marker('undone');
export const remove = marker('remove');

export async function current(invocation: Invocation, number: string): Promise<void> {
  const step = stepNumber(number);
  await change(invocation, (pad) => planSpace(pad).current(step));
}

/** Changes the text of a step, or opens the plan in an editor. */
export async function edit(
  invocation: Invocation,
  number: string | undefined,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  if (number === undefined) return (await import('./edit.ts')).editSpaceText(invocation, 'plan');
  const step = stepNumber(number);
  const words = readTextArgument(text, options.file, invocation);
  await change(invocation, (pad) => planSpace(pad).edit(step, words));
}

export async function move(invocation: Invocation, from: string, to: string): Promise<void> {
  const [step, place] = [stepNumber(from), stepNumber(to)];
  await change(invocation, (pad) => planSpace(pad).move(step, place));
}

export function clear(invocation: Invocation): Promise<void> {
  return change(invocation, (pad) => planSpace(pad).clear());
}

/** Takes over another open plan, by its number; lists them without one. */
export async function take(invocation: Invocation, number: string | undefined): Promise<void> {
  const { pad } = await openSession(invocation);
  const wanted = number === undefined ? undefined : numberOf(number, 'the number of a plan');
  const { content, warnings } = await takePlan(pad, wanted);
  invocation.warn(warnings);
  invocation.done({ plan: content }, `the plan here is now:\n${content}`);
}

/** Puts the open tasks of the last session, or its approved plan, into the plan space. */
export async function adopt(invocation: Invocation, options: { replace?: boolean }): Promise<void> {
  const { pad } = await openSession(invocation);
  const { spaces } = await pad.store.read();
  if (spaces.plan.trim() !== '' && options.replace !== true)
    throw new ScratchpadError('refused', 'a plan exists already', {
      found: spaces.plan.split('\n', 1)[0] ?? '',
      next: 'replace it with: scratchpad plan adopt --replace',
    });
  const { trailHere } = await import('./trail.ts');
  const { planFrom } = await import('../trail/adopt.ts');
  const text = planFrom((await trailHere(withoutSession(invocation))).trail);
  if (text === undefined)
    throw new ScratchpadError('refused', 'the last session has no open tasks and no approved plan', {
      next: 'list its facts with: scratchpad trail --all',
    });
  report(invocation, await planSpace(pad).set(text));
}

function writer(op: 'set' | 'add') {
  return async (invocation: Invocation, text: string | undefined, options: TextOptions): Promise<void> => {
    const { file } = options;
    const content =
      op === 'set'
        ? readReplacement('plan', text, file, invocation)
        : readTextArgument(text, file, invocation);
    await change(invocation, (pad) => planSpace(pad)[op](content));
  };
}

function marker(op: 'done' | 'undone' | 'remove') {
  return async (invocation: Invocation, numbers: string[]): Promise<void> => {
    const steps = numbers.flatMap((text) => stepNumbers(text) ?? stepNumber(text));
    await change(invocation, (pad) => planSpace(pad)[op](...steps));
  };
}

function stepNumber(text: string): number {
  return numberOf(text, 'the number of a step');
}
