import { ScratchpadError } from '../errors.ts';
import type { Limits } from '../pad/budget.ts';
import { addStep, markCurrent, markDone } from '../pad/plan.ts';
import { type Edited, setText } from '../pad/spaces.ts';
import { countCharacters, thousands } from '../pad/text.ts';
import { editSpace, showSpace } from './edit-space.ts';
import { type Invocation, readText } from './invocation.ts';
import type { TextOptions } from './notes.ts';

export function show(invocation: Invocation): Promise<void> {
  return showSpace(invocation, 'plan');
}

export async function set(
  invocation: Invocation,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  const content = readText(text, options.file, invocation.cwd);
  await editSpace(invocation, 'plan', 'set', (_, limits) => setText('plan', content, limits));
}

export async function add(
  invocation: Invocation,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  const step = readText(text, options.file, invocation.cwd);
  await editSpace(invocation, 'plan', 'add', (plan, limits) => grown(addStep(plan, step), limits));
}

export async function done(invocation: Invocation, number: string): Promise<void> {
  const step = stepNumber(number);
  await editSpace(invocation, 'plan', 'done', (plan) => ({ content: markDone(plan, step), warnings: [] }));
}

export async function current(invocation: Invocation, number: string): Promise<void> {
  const step = stepNumber(number);
  await editSpace(invocation, 'plan', 'current', (plan) => ({
    content: markCurrent(plan, step),
    warnings: [],
  }));
}

export async function clear(invocation: Invocation): Promise<void> {
  await editSpace(invocation, 'plan', 'clear', () => ({ content: '', warnings: [] }));
}

/** A new step that does not fit is refused: cutting a plan in its last line would make it another plan. */
function grown(content: string, limits: Limits): Edited {
  const used = countCharacters(content);
  if (used <= limits.plan) return { content, warnings: [] };
  throw new ScratchpadError('refused', 'the step would exceed the plan limit: nothing was changed', {
    expected: `at most ${thousands(limits.plan)} characters in all`,
    found: `${thousands(used)} with the step`,
    next: 'rewrite a tighter plan with: scratchpad plan set',
  });
}

function stepNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new ScratchpadError('usage', 'not the number of a step', {
    expected: 'a number such as 2',
    found: text,
  });
}
