import { misuse } from '../base/errors.ts';
import { promoteNotes } from '../core/adopt.ts';
import { textSpace } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { FileStore } from '../session/file-store.ts';
import { type Invocation, readReplacement, readTextArgument, type Takes } from './invocation.ts';
import { isNumber, numberOf } from './numbers.ts';
import { openSession } from './open.ts';
import { changing, editing, type ShowOptions, showSpace, type TextOptions } from './space.ts';

const verb = changing((pad) => textSpace(pad, 'notes'));
const lineNumber = (text: string): number => numberOf(text, 'the number of a line');

export const show = (invocation: Invocation, options: ShowOptions): Promise<void> =>
  showSpace(invocation, 'notes', options);

export const set = verb((call, text: string | undefined, { file }: TextOptions) => {
  const content = readReplacement('notes', text, file, call);
  return (notes) => notes.set(content);
});

export const add = adding('append');
export const prepend = adding('prepend');

function adding(op: 'append' | 'prepend') {
  return verb((call, text: string | undefined, { file }: TextOptions) => {
    const content = readTextArgument(text, file, call);
    if (content.trim() === '')
      throw misuse('the text is empty: nothing was changed', { expected: 'the text to add' });
    return (notes) => notes[op](content);
  });
}

export const replace = verb(
  (_, find: string, by: string, options: Takes<never, 'all'>) => (notes) => notes.replace(find, by, options),
);

export const edit = editing(
  'notes',
  verb((call, line: string, text: string | undefined, { file }: TextOptions) => {
    const [number, content] = [lineNumber(line), readTextArgument(text, file, call)];
    return (notes) => notes.editLine(number, content);
  }),
);

/** Removes lines by number, or the one line that holds a text. */
export const remove = verb(
  (_, what: string[]) => (notes) =>
    notes.removeLines(...(what.every(isNumber) ? what.map(Number) : [what.join(' ')])),
);

export const move = verb((_, from: string, to: string) => {
  const [line, place] = [lineNumber(from), lineNumber(to)];
  return (notes) => notes.moveLine(line, place);
});

export const clear = verb(() => (notes) => notes.clear());

/** Adds the notes of this session to the shared notes of all sessions. */
export async function promote(invocation: Invocation): Promise<void> {
  const { store, config, workspace } = await openSession(invocation);
  const { primarySession: primary } = config;
  const { spaces } = await store.read();
  const shared = new FileStore(workspace.root, primary, { primary, cwd: invocation.cwd });
  if (store.paths.session === primary) {
    throw misuse('these notes are already the shared ones', {
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
