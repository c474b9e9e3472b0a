import { parsed } from '../base/text/json.ts';
import { refsSpace } from '../core/spaces.ts';
import type { Declared } from './command.ts';
import { readReplacement, readTextArgument } from './invocation.ts';
import { showing, TAKE_BACK, verbsOf } from './spaces.ts';

const verb = verbsOf('refs', refsSpace);

const onItems = (op: 'add' | 'remove', about: string, also: readonly string[] = []): Declared =>
  verb({
    about,
    also,
    takes: {
      '[refs...]': 'the refs, or - to read one from stdin',
      '-f, --file <path>': 'read the ref from a file',
    },
    text: (call, { refs: items, file }) => (items.length > 1 ? '' : readTextArgument(items[0], file, call)),
    act: (space, { refs: items }, text) => space[op](...(items.length > 1 ? items : [text])),
  });

const isText = (items: readonly string[]): boolean =>
  items.length === 0 || (items.length === 1 && items[0] === '-');

export const refs: Declared = {
  examples: ['scratchpad refs', 'scratchpad ref src/auth/login.ts   # the same as: scratchpad refs add'],
  verbs: {
    show: showing('refs', 'print one ref per line, oldest first', 'number the lines'),
    add: onItems('add', 'add refs as the newest; drops the oldest when there are 50'),
    set: verb({
      about: 'replace all refs; the first 50 are kept',
      takes: {
        '[refs...]': 'the refs, or - for a JSON array or one per line on stdin',
        '-f, --file <path>': 'read them from a file',
      },
      text: (call, { refs: items, file }) =>
        isText(items) ? readReplacement('refs', items[0], file, call) : '',
      act: (space, { refs: items }, text) => {
        // A ref may begin with a bracket, too.
        const list = parsed(text);
        return space.set(isText(items) ? (Array.isArray(list) ? list : text.split('\n')) : items);
      },
    }),
    remove: onItems('remove', 'remove refs by their exact text, or by their number', ['delete', 'rm', 'del']),
    clear: verb({ about: 'remove all refs', more: TAKE_BACK, act: (space) => space.clear() }),
  },
};
