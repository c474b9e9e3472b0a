import { misuse } from '../base/errors.ts';
import { textSpace } from '../core/spaces.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { command, type Declared } from './command.ts';
import { isNumber, numberOf, readReplacement } from './invocation.ts';
import { openSession } from './open.ts';
import { showing, TAKE_BACK, TEXT, typed, verbsOf } from './spaces.ts';

const verb = verbsOf('notes', (pad) => textSpace(pad, 'notes'));
const lineNumber = (text: string): number => numberOf(text, 'the number of a line');

const adding = (op: 'append' | 'prepend', about: string, more: Partial<Declared> = {}): Declared =>
  verb({
    ...more,
    about,
    takes: TEXT,
    text: (call, given) => {
      const text = typed(call, given);
      if (text.trim() !== '') return text;
      throw misuse('the text is empty: nothing was changed', { expected: 'the text to add' });
    },
    act: (space, _, text) => space[op](text),
  });

export const notes: Declared = {
  examples: [
    'scratchpad notes',
    'scratchpad note "Build fails only on arm64"   # the same as: scratchpad notes add',
  ],
  verbs: {
    show: showing('notes', 'print the notes', 'number the lines'),
    add: adding('append', 'add a line; refused if it does not fit', {
      also: ['append'],
      examples: ['scratchpad notes add "Root cause: timezone mismatch in token expiry"'],
    }),
    prepend: adding('prepend', 'add a line at the top; refused if it does not fit'),
    set: verb({
      about: 'replace the notes; text over the limit is cut, with a warning',
      takes: TEXT,
      text: (call, { text, file }) => readReplacement('notes', text, file, call),
      act: (space, _, text) => space.set(text),
    }),
    edit: verb({
      about: 'change the text of a line, or open the notes in your editor',
      takes: { '[line]': 'its number; the editor opens unless given', ...TEXT },
      examples: ['scratchpad notes edit', 'scratchpad notes edit 3 "port 9090"'],
      editor: 'line',
      text: typed,
      act: (space, { line = '' }, text) => space.editLine(lineNumber(line), text),
    }),
    replace: verb({
      about: 'replace a text that occurs exactly once',
      takes: {
        '<find>': 'the text as it is in the notes',
        '<with>': 'the new text',
        '--all': 'replace every match',
      },
      examples: ['scratchpad notes replace "port 8080" "port 9090"'],
      act: (space, { find, with: by, all }) => space.replace(find, by, { all }),
    }),
    remove: verb({
      about: 'remove lines by number, or the one line that holds a text',
      also: ['delete', 'rm', 'del'],
      takes: { '<what...>': 'line numbers, or a text that only one line holds' },
      examples: ['scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'],
      act: (space, { what }) =>
        space.removeLines(...(what.every(isNumber) ? what.map(Number) : [what.join(' ')])),
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
        const changed = done.revisions.length > 0;
        const full = describeUsage(usageOf('notes', done.spaces.notes, limits));
        call.done(
          { revision: done.revision, changed },
          changed ? `promoted to ${primary}: ${full}` : 'nothing to promote: the shared notes have it all',
        );
      },
    }),
    clear: verb({ about: 'empty the notes', more: TAKE_BACK, act: (space) => space.clear() }),
  },
};
