import { joinText, replaceText, setText } from '../pad/spaces.ts';
import { editSpace, showSpace } from './edit-space.ts';
import { type Invocation, readText } from './invocation.ts';

export interface TextOptions {
  file?: string;
}

export interface MatchOptions {
  all?: boolean;
}

export function show(invocation: Invocation): Promise<void> {
  return showSpace(invocation, 'notes');
}

export async function set(
  invocation: Invocation,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  const content = readText(text, options.file, invocation.cwd);
  await editSpace(invocation, 'notes', 'set', (_, limits) => setText('notes', content, limits));
}

export async function append(
  invocation: Invocation,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  const addition = readText(text, options.file, invocation.cwd);
  await editSpace(invocation, 'notes', 'append', (now, limits) =>
    joinText('notes', now, addition, 'append', limits),
  );
}

export async function prepend(
  invocation: Invocation,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  const addition = readText(text, options.file, invocation.cwd);
  await editSpace(invocation, 'notes', 'prepend', (now, limits) =>
    joinText('notes', now, addition, 'prepend', limits),
  );
}

export async function replace(
  invocation: Invocation,
  find: string,
  replacement: string,
  options: MatchOptions,
): Promise<void> {
  await editSpace(invocation, 'notes', 'replace', (now, limits) =>
    replaceText('notes', now, find, replacement, options.all ?? false, limits),
  );
}

export async function remove(invocation: Invocation, text: string, options: MatchOptions): Promise<void> {
  await editSpace(invocation, 'notes', 'delete', (now, limits) =>
    replaceText('notes', now, text, '', options.all ?? false, limits),
  );
}

export async function clear(invocation: Invocation): Promise<void> {
  await editSpace(invocation, 'notes', 'clear', () => ({ content: '', warnings: [] }));
}
