import { hereOf } from '../core/context.ts';
import { planOfBranch } from '../core/scope.ts';
import { planSpace } from '../core/spaces.ts';
import { ScratchpadError } from '../errors.ts';
import { stepNumbers } from '../pad/steps.ts';
import { actorOf } from '../session/actor.ts';
import { takeUp, whereIs } from '../session/origins.ts';
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

/** Restores the plan that this branch had, or else uses the plan of another branch, work tree or day here. */
export async function take(invocation: Invocation): Promise<void> {
  const { pad, store } = await openSession(invocation);
  const snapshot = await pad.store.read();
  const { spaces } = snapshot;
  const own = await planOfBranch(pad.store, snapshot, hereOf(pad), pad.config);
  if (own !== undefined) {
    await pad.store.change(() => [{ kind: 'space', space: 'plan', content: own, op: 'restore' }]);
    invocation.done({ plan: own }, `the plan of this branch is the plan again:\n${own}`);
    return;
  }
  if (spaces.plan.trim() === '') throw new ScratchpadError('refused', 'there is no plan to take');
  const actor = actorOf(invocation.env);
  const origin = { at: invocation.now, ...whereIs(invocation.cwd), actor };
  takeUp(store.paths, 'plan', spaces.plan, origin);
  invocation.done({ plan: spaces.plan }, `the plan here is now:\n${spaces.plan}`);
}

/** Puts the open tasks of the last session into the plan space. */
export async function adopt(invocation: Invocation, options: { replace?: boolean }): Promise<void> {
  const { pad } = await openSession(invocation);
  const { spaces } = await pad.store.read();
  if (spaces.plan.trim() !== '' && options.replace !== true)
    throw new ScratchpadError('refused', 'a plan exists already', {
      found: spaces.plan.split('\n', 1)[0] ?? '',
      next: 'replace it with: scratchpad plan adopt --replace',
    });
  const { handoverHere } = await import('./handover.ts');
  const text = (await handoverHere(withoutSession(invocation)))?.plan;
  if (text === undefined)
    throw new ScratchpadError('refused', 'the last session has no open tasks', {
      next: 'list its facts with: scratchpad handover',
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
