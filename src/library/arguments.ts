import { ScratchpadError } from '../errors.ts';

/**
 * The arguments of functions that a program without types may get wrong: `name:kind`, `...` for any number of them,
 * `+` for at least one, `?` for one that may be missing.
 */
const TAKES = new Map<string, readonly string[]>();
for (const line of `
notes|plan|notepad: append text:text
notes|plan: set text:text, prepend text:text, replace find:text replacement:text, delete text:text
notes|plan: editLine line:number text:text, removeLines +lines:number, moveLine from:number to:number
plan: add step:text, done ...steps:number, undone +steps:number, current step:number, remove +steps:number
plan: edit step:number text:text, move step:number to:number
refs: add +refs:text, remove ref:text, edit ref:text replacement:text, move ref:text to:number, set items:list
notepad: write content:text, update edit:object
entries: write name:text content:content, edit name:text edit:object, search name:text pattern:text
entries: rename from:text to:text, merge into:text names:list
pad: undo count?:number, redo count?:number, diff from?:number to?:number, restore revision:number spaces?:list
pad: assemble request?:object
`
  .trim()
  .split('\n')) {
  const [objects = '', functions = ''] = line.split(': ');
  for (const object of objects.split('|'))
    for (const each of functions.split(', ')) {
      const [name = '', ...parameters] = each.split(' ');
      TAKES.set(`${object}.${name}`, parameters);
    }
}

type Kind = 'text' | 'number' | 'list' | 'object' | 'content';

const KINDS: Readonly<Record<Kind, { said: string; fits(value: unknown): boolean }>> = {
  text: { said: 'a string', fits: (value) => typeof value === 'string' },
  number: { said: 'a whole number', fits: (value) => Number.isSafeInteger(value) },
  list: { said: 'an array', fits: (value) => Array.isArray(value) },
  object: { said: 'an object', fits: (value) => typeof value === 'object' && value !== null },
  content: {
    said: 'a string, a Uint8Array or an iterable of them',
    fits: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  },
};

/** @throws ScratchpadError `usage` that names the argument, what it takes and what was found */
export function checkCall(called: string, given: readonly unknown[]): void {
  (TAKES.get(called) ?? []).forEach((parameter, at) => {
    const [, many = '', name = '', optional, kind = 'text'] =
      /^(\.{3}|\+)?(\w+)(\?)?:(\w+)$/.exec(parameter) ?? [];
    const rest = given.slice(at);
    const values = many === '' ? rest.slice(0, 1) : rest;
    if (values.length === 0 && (many === '+' || (many === '' && !optional))) values.push(undefined);
    const { said, fits } = KINDS[kind as Kind];
    for (const value of values) {
      if (fits(value) || (optional && value === undefined)) continue;
      throw new ScratchpadError(
        'usage',
        `${called} was called with an invalid argument: nothing was changed`,
        {
          where: name,
          expected: said,
          found: spell(value),
        },
      );
    }
  });
}

function spell(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
