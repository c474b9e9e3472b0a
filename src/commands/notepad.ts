import { type NotepadEdit, notepadOf } from '../core/notepad.ts';
import { type Invocation, readTextArgument } from './invocation.ts';
import { openSession } from './open.ts';
import { change, report, showSpace } from './space.ts';

export function read(invocation: Invocation): Promise<void> {
  return showSpace(invocation, 'notes');
}

/** Prints the notes as a section of a system prompt. */
export async function section(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  const text = await notepadOf(pad).section();
  invocation.result({ section: text }, text);
}

export async function write(
  invocation: Invocation,
  text: string | undefined,
  options: { file?: string },
): Promise<void> {
  const content = readTextArgument(text, options.file, invocation);
  await change(invocation, (pad) => notepadOf(pad).write(content));
}

export interface UpdateOptions {
  content?: string;
  file?: string;
  find?: string;
  replace?: string;
  replaceAll?: boolean;
}

export async function update(
  invocation: Invocation,
  operation: string,
  options: UpdateOptions,
): Promise<void> {
  const { content, file, find, replace, replaceAll = false } = options;
  const text =
    content === undefined && file === undefined ? undefined : readTextArgument(content, file, invocation);
  const { pad } = await openSession(invocation);
  const edit: NotepadEdit = {
    operation: operation as NotepadEdit['operation'],
    ...(text === undefined ? {} : { content: text }),
    ...(find === undefined ? {} : { find }),
    ...(replace === undefined ? {} : { replace }),
    replace_all: replaceAll,
  };
  report(invocation, await notepadOf(pad).update(edit));
}
