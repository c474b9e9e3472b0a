import { misuse } from '../base/errors.ts';
import { type Outcome, type TextSpace, textSpace } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { command, type Declared } from './command.ts';
import { type Invocation, isNumber, numberOf, readReplacement, readTextArgument } from './invocation.ts';
import { openSession } from './open.ts';
import { change, showing, TAKE_BACK, TEXT } from './spaces.ts';

const changed = (call: Invocation, act: (notes: TextSpace) => Promise<Outcome>, more?: string) =>
  change(call, (pad) => act(textSpace(pad, 'notes')), more);

const lineNumber = (text: string): number => numberOf(text, 'the number of a line');

const adding = (op: 'append' | 'prepend', about: string, more: Partial<Declared> = {}): Declared =>
  command({
    ...more,
    about,
    takes: TEXT,
    run: (call, { text, file }) => {
      const content = readTextArgument(text, file, call);
      if (content.trim() === '')
        throw misuse('the text is empty: nothing was changed', { expected: 'the text to add' });
      return changed(call, (space) => space[op](content));
    },
  });

export const notes: Declared = {
  examples: ['scratchpad notes', 'scratchpad notes add "Build fails only on arm64"'],
  verbs: {
    show: showing('notes', 'print the notes', 'number the lines'),
    add: adding('append', 'add a line; refused if it does not fit', {
      also: ['append'],
      examples: ['scratchpad notes add "Root cause: timezone mismatch in token expiry"'],
    }),
    prepend: adding('prepend', 'add a line at the top; refused if it does not fit'),
    set: command({
      about: 'replace the notes; text over the limit is cut, with a warning',
      takes: TEXT,
      run: (call, { text, file }) => {
        const content = readReplacement('notes', text, file, call);
        return changed(call, (space) => space.set(content));
      },
    }),
    edit: command({
      about: 'change the text of a line, or open the notes in your editor',
      takes: { '[line]': 'its number; the editor opens unless given', ...TEXT },
      examples: ['scratchpad notes edit', 'scratchpad notes edit 3 "port 9090"'],
      run: async (call, { line, text, file }) => {
        if (line === undefined) return (await import('./edit.ts')).editSpaceText(call, 'notes');
        const [number, content] = [lineNumber(line), readTextArgument(text, file, call)];
        return changed(call, (space) => space.editLine(number, content));
      },
    }),
    replace: command({
      about: 'replace a text that occurs exactly once',
      takes: {
        '<find>': 'the text as it is in the notes',
        '<with>': 'the new text',
        '--all': 'replace every match',
      },
      examples: ['scratchpad notes replace "port 8080" "port 9090"'],
      run: (call, { find, with: by, all }) => changed(call, (space) => space.replace(find, by, { all })),
    }),
    remove: command({
      about: 'remove lines by number, or the one line that holds a text',
      also: ['delete', 'rm'],
      takes: { '<what...>': 'line numbers, or a text that only one line holds' },
      examples: ['scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'],
      run: (call, { what }) =>
        changed(call, (space) =>
          space.removeLines(...(what.every(isNumber) ? what.map(Number) : [what.join(' ')])),
        ),
    }),
    move: command({
      about: 'move a line to the place of another',
      takes: { '<line>': 'its number', '<to>': 'the number of the place' },
      run: (call, { line, to }) => {
        const [from, place] = [lineNumber(line), lineNumber(to)];
        return changed(call, (space) => space.moveLine(from, place));
      },
    }),
    promote: command({
      about: "add this session's notes to the shared notes of all sessions",
      run: async (call) => {
        const { store, config, workspace } = await openSession(call);
        const { primarySession: primary, limits } = config;
        if (store.paths.session === primary)
          throw misuse('these notes are already the shared ones', {
            expected: 'the session to promote notes from: --session ID',
          });
        const { promoteNotes } = await import('../core/adopt.ts');
        const { FileStore } = await import('../session/file-store.ts');
        const shared = new FileStore(workspace.root, primary, { primary, cwd: call.cwd });
        const done = await promoteNotes((await store.read()).spaces, shared, limits);
        call.warn(done.notices);
        const isNew = done.revisions.length > 0;
        call.done(
          { revision: done.revision, changed: isNew },
          isNew
            ? `promoted to ${primary}: ${describeUsage(usageOf('notes', done.spaces.notes, limits))}`
            : 'nothing to promote: the shared notes have it all',
        );
      },
    }),
    clear: command({
      about: 'empty the notes',
      run: (call) => changed(call, (space) => space.clear(), TAKE_BACK),
    }),
  },
};
