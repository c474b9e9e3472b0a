import { parsed } from '../base/text/json.ts';
import { type Outcome, type RefsSpace, refsSpace } from '../core/spaces.ts';
import { command, type Declared } from './command.ts';
import { type Invocation, numberOf, readReplacement, readTextArgument } from './invocation.ts';
import { change, showing, TAKE_BACK } from './spaces.ts';

const changed = (call: Invocation, act: (refs: RefsSpace) => Promise<Outcome>, more?: string) =>
  change(call, (pad) => act(refsSpace(pad)), more);

/** Refs as arguments, or one as `-`/`--file`. */
const onItems = (op: 'add' | 'remove', about: string, also: readonly string[] = []): Declared =>
  command({
    about,
    also,
    takes: {
      '[refs...]': 'the refs, or - to read one from stdin',
      '-f, --file <path>': 'read the ref from a file',
    },
    run: (call, { refs: items, file }) => {
      const named = items.length > 1 ? items : [readTextArgument(items[0], file, call)];
      return changed(call, (space) => space[op](...named));
    },
  });

export const refs: Declared = {
  examples: ['scratchpad refs', 'scratchpad refs add src/auth/login.ts'],
  verbs: {
    show: showing('refs', 'print one ref per line, oldest first', 'number the lines'),
    add: onItems('add', 'add refs as the newest; drops the oldest when there are 50'),
    set: command({
      about: 'replace all refs; the first 50 are kept',
      takes: {
        '[refs...]': 'the refs, or - for a JSON array or one per line on stdin',
        '-f, --file <path>': 'read them from a file',
      },
      run: (call, { refs: items, file }) => {
        const single = items.length === 0 || (items.length === 1 && items[0] === '-');
        if (!single) return changed(call, (space) => space.set(items));
        const text = readReplacement('refs', items[0], file, call);
        // A ref may begin with a bracket, too.
        const list = parsed(text);
        return changed(call, (space) => space.set(Array.isArray(list) ? list : text.split('\n')));
      },
    }),
    edit: command({
      about: 'replace a ref, or open the refs in your editor',
      takes: {
        '[ref]': 'its text or its number; the editor opens unless given',
        '[replacement]': 'the new ref',
        '-f, --file <path>': 'read the replacement from a file',
      },
      run: async (call, { ref, replacement, file }) => {
        if (ref === undefined) return (await import('./edit.ts')).editSpaceText(call, 'refs');
        const by = readTextArgument(replacement, file, call);
        return changed(call, (space) => space.edit(ref, by));
      },
    }),
    remove: onItems('remove', 'remove refs by their exact text, or by their number', ['delete', 'rm']),
    move: command({
      about: 'move a ref to another place; the first is the oldest',
      takes: { '<ref>': 'its text or its number', '<to>': 'number of the place' },
      run: (call, { ref, to }) => {
        const place = numberOf(to, 'the number of a place');
        return changed(call, (space) => space.move(ref, place));
      },
    }),
    clear: command({
      about: 'remove all refs',
      run: (call) => changed(call, (space) => space.clear(), TAKE_BACK),
    }),
  },
};
