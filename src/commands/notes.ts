import { textSpace } from '../core/spaces.ts';
import { type Invocation, readText } from './invocation.ts';
import { openSession } from './open.ts';
import { report, showSpace } from './report.ts';

export interface TextOptions {
  file?: string;
}

export interface MatchOptions {
  all?: boolean;
}

export function show(invocation: Invocation): Promise<void> {
  return showSpace(invocation, 'notes');
}

export const set = writer('set');
export const append = writer('append');
export const prepend = writer('prepend');

export async function replace(
  invocation: Invocation,
  find: string,
  replacement: string,
  options: MatchOptions,
): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await textSpace(pad, 'notes').replace(find, replacement, options));
}

export async function remove(invocation: Invocation, text: string, options: MatchOptions): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await textSpace(pad, 'notes').delete(text, options));
}

export async function clear(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await textSpace(pad, 'notes').clear());
}

function writer(op: 'set' | 'append' | 'prepend') {
  return async (invocation: Invocation, text: string | undefined, options: TextOptions): Promise<void> => {
    const content = readText(text, options.file, invocation.cwd);
    const { pad } = await openSession(invocation);
    report(invocation, await textSpace(pad, 'notes')[op](content));
  };
}
