import { promoteNotes } from '../core/adopt.ts';
import { textSpace } from '../core/spaces.ts';
import { ScratchpadError } from '../errors.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { FileStore } from '../session/file-store.ts';
import { type Invocation, readReplacement, readTextArgument } from './invocation.ts';
import { isNumber, numberOf } from './numbers.ts';
import { openSession } from './open.ts';
import { change, report, type ShowOptions, showSpace } from './space.ts';

export interface TextOptions {
  file?: string;
}

export interface MatchOptions {
  all?: boolean;
}

export function show(invocation: Invocation, options: ShowOptions): Promise<void> {
  return showSpace(invocation, 'notes', options);
}

export const set = writer('set');
export const add = writer('append');
export { deleteText as delete };
export const prepend = writer('prepend');

export async function replace(
  invocation: Invocation,
  find: string,
  replacement: string,
  options: MatchOptions,
): Promise<void> {
  await change(invocation, (pad) => textSpace(pad, 'notes').replace(find, replacement, options));
}

/** Changes the text of a line, or opens the notes in an editor. */
export async function edit(
  invocation: Invocation,
  line: string | undefined,
  text: string | undefined,
  options: TextOptions,
): Promise<void> {
  if (line === undefined) return (await import('./edit.ts')).editSpaceText(invocation, 'notes');
  const number = numberOf(line, 'the number of a line');
  const content = readTextArgument(text, options.file, invocation);
  await change(invocation, (pad) => textSpace(pad, 'notes').editLine(number, content));
}

/** Removes lines by number, or a text that occurs exactly once. */
export async function remove(invocation: Invocation, what: string[], options: MatchOptions): Promise<void> {
  const { pad } = await openSession(invocation);
  const notes = textSpace(pad, 'notes');
  if (what.every(isNumber)) return report(invocation, await notes.removeLines(...what.map(Number)));
  report(invocation, await notes.delete(what.join(' '), { ...options, tidy: true }));
}

async function deleteText(invocation: Invocation, text: string, options: MatchOptions): Promise<void> {
  await change(invocation, (pad) => textSpace(pad, 'notes').delete(text, options));
}

export async function move(invocation: Invocation, from: string, to: string): Promise<void> {
  const [line, place] = [numberOf(from, 'the number of a line'), numberOf(to, 'the number of a line')];
  await change(invocation, (pad) => textSpace(pad, 'notes').moveLine(line, place));
}

/** Adds the notes of this session to the shared notes of all sessions. */
export async function promote(invocation: Invocation): Promise<void> {
  const { store, config, workspace } = await openSession(invocation);
  const { primarySession: primary } = config;
  const { spaces } = await store.read();
  const shared = new FileStore(workspace.root, primary, { primary, cwd: invocation.cwd });
  if (store.paths.session === primary) {
    throw new ScratchpadError('usage', 'these notes are already the shared ones', {
      expected: 'the session to promote notes from: --session ID',
    });
  }
  const done = await promoteNotes(spaces, shared, config.limits);
  invocation.warn(done.notices);
  const changed = done.revisions.length > 0;
  invocation.done(
    { revision: done.revision, changed },
    changed
      ? `promoted to ${primary}: ${describeUsage(usageOf('notes', done.spaces.notes, config.limits))}`
      : 'nothing to promote: the shared notes have it all',
  );
}

export function clear(invocation: Invocation): Promise<void> {
  return change(invocation, (pad) => textSpace(pad, 'notes').clear());
}

function writer(op: 'set' | 'append' | 'prepend') {
  return async (invocation: Invocation, text: string | undefined, options: TextOptions): Promise<void> => {
    const { file } = options;
    const content =
      op === 'set'
        ? readReplacement('notes', text, file, invocation)
        : readTextArgument(text, file, invocation);
    if (op !== 'set' && content.trim() === '')
      throw new ScratchpadError('usage', 'the text is empty: nothing was changed', {
        expected: 'the text to add',
      });
    await change(invocation, (pad) => textSpace(pad, 'notes')[op](content));
  };
}
