import { planSpace } from '../core/spaces.ts';
import { ScratchpadError } from '../errors.ts';
import { type Invocation, readText } from './invocation.ts';
import type { TextOptions } from './notes.ts';
import { openSession } from './open.ts';
import { report, showSpace } from './report.ts';

export function show(invocation: Invocation): Promise<void> {
  return showSpace(invocation, 'plan');
}

export const set = writer('set');
export const add = writer('add');
export const done = marker('done');
export const current = marker('current');

export async function clear(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await planSpace(pad).clear());
}

function writer(op: 'set' | 'add') {
  return async (invocation: Invocation, text: string | undefined, options: TextOptions): Promise<void> => {
    const content = readText(text, options.file, invocation.cwd);
    const { pad } = await openSession(invocation);
    report(invocation, await planSpace(pad)[op](content));
  };
}

function marker(op: 'done' | 'current') {
  return async (invocation: Invocation, number: string): Promise<void> => {
    const step = stepNumber(number);
    const { pad } = await openSession(invocation);
    report(invocation, await planSpace(pad)[op](step));
  };
}

function stepNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new ScratchpadError('usage', 'not the number of a step', {
    expected: 'a number such as 2',
    found: text,
  });
}
