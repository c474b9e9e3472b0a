import { misuse, type ScratchpadError } from '../base/errors.ts';
import { isObject, spellValue } from '../base/text/json.ts';

const KINDS = {
  text: { is: (value: unknown) => typeof value === 'string', expected: 'a text' },
  path: { is: (value: unknown) => typeof value === 'string' && value !== '', expected: 'a path' },
  function: { is: (value: unknown) => typeof value === 'function', expected: 'a function' },
  number: { is: (value: unknown) => Number.isInteger(value), expected: 'a whole number' },
  step: {
    is: (value: unknown) => typeof value === 'string' || Number.isInteger(value),
    expected: 'a number from 1, or a text',
  },
  list: { is: Array.isArray, expected: 'an array' },
  object: { is: isObject, expected: 'an object' },
  any: { is: () => true, expected: 'anything' },
} as const;

type Kind = keyof typeof KINDS;

/** What the functions take, in order: `?` after what may be left out, `*` after what may be repeated. */
const TAKES: Readonly<Record<string, string>> = {
  'notes.set': 'text',
  'notes.append': 'text',
  'notes.prepend': 'text',
  'notes.replace': 'text text object?',
  'notes.delete': 'text object?',
  'notes.editLine': 'number text',
  'notes.removeLines': 'step*',
  'plan.add': 'text',
  'plan.done': 'step*',
  'plan.undone': 'step*',
  'plan.current': 'step',
  'plan.edit': 'step text',
  'plan.remove': 'step*',
  'plan.move': 'step number',
  'refs.add': 'text*',
  'refs.remove': 'text*',
  'refs.set': 'list',
  'notepad.write': 'text',
  'notepad.append': 'text',
  'notepad.update': 'object',
  'entries.info': 'text',
  'entries.bytes': 'text',
  'entries.write': 'text any object?',
  'entries.read': 'text object?',
  'entries.search': 'text text object?',
  'entries.edit': 'text object',
  'entries.delete': 'text object?',
  'entries.undelete': 'text number?',
  'entries.rename': 'text text object?',
  'entries.keep': 'text object?',
  'memory.search': 'text object?',
  'pad.assemble': 'object?',
  'pad.mood': 'object?',
  'pad.handover': 'object?',
  'pad.callTool': 'text any?',
  'pad.diff': 'number? number?',
  'pad.undo': 'number?',
  'pad.redo': 'number?',
  'pad.restore': 'number list?',
  'sessions.info': 'text',
  'sessions.fork': 'text text',
  'sessions.spawn': 'text text object?',
  'sessions.archive': 'text',
  'sessions.bringBack': 'text',
  'sessions.prune': 'object?',
  'sessions.delete': 'text object?',
  openScratchpad: 'object?',
  Sessions: 'path object?',
};

/** The fields of objects whose wrong value would show late. */
const FIELDS: Readonly<Record<string, Kind>> = {
  workspace: 'path',
  now: 'function',
  env: 'object',
  session: 'text',
  store: 'text',
  transcript: 'text',
  limit: 'number',
};

/** What is wrong with the arguments of a function, for programs without types. */
export function complaint(name: string, args: readonly unknown[]): ScratchpadError | undefined {
  // The plan has the functions of the notes as well.
  const takes = TAKES[name] ?? TAKES[name.replace(/^plan\./, 'notes.')];
  for (const [at, taken] of (takes?.split(' ') ?? []).entries()) {
    const { is, expected } = KINDS[taken.replace(/[?*]$/, '') as Kind];
    const given = taken.endsWith('*') ? args.slice(at) : [args[at]];
    for (const [more, value] of given.entries()) {
      if (taken.endsWith('?') && value === undefined) continue;
      if (!is(value)) return wrong(name, `argument ${at + more + 1}`, expected, value);
      const field =
        isObject(value) && Object.entries(FIELDS).find(([key, kind]) => isWrong(value[key], kind));
      if (field) return wrong(name, field[0], KINDS[field[1]].expected, value[field[0]]);
    }
  }
  return undefined;
}

const isWrong = (value: unknown, kind: Kind): boolean => value !== undefined && !KINDS[kind].is(value);

const wrong = (name: string, where: string, expected: string, found: unknown): ScratchpadError =>
  misuse(`${name} was called with a wrong argument: nothing was done`, {
    where,
    expected,
    found: spellValue(found),
  });
