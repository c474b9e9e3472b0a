import { usageError } from '../base/errors.ts';
import { isObject, toJsonText, toMembers } from '../base/text/json.ts';

/** The names of parameters and options by the type that they have in every function; some have several. */
const TYPES = Object.entries({
  string: `text find replacement content name from query output pattern session parent child origin operation replace
    transcript prompt step steps lines refs workspace host`,
  'whole number': 'line lines step steps from to back count limit offset context number',
  number: 'ttlMs withinMs maxMs olderThanMs archiveMs',
  boolean: 'all force forGood append ignoreCase replace_all copyNotepad dryRun primary',
  object: 'content edit messages env handlers args',
  array: 'items messages of inherit program',
  function: 'now onProblem',
}).map(([type, names]) => ({ type, names: names.split(/\s+/) }));

const TEXT_SPACE =
  'set(text) append(text) prepend(text) replace(find, replacement, {all}) delete(text, {all}) editLine(line, text) removeLines(...lines) clear({all})';

/** The functions of each part of the library: `?` follows what may be left out, `!` an option that may not. */
export const CALLS = {
  notes: TEXT_SPACE,
  plan: `${TEXT_SPACE} add(step:string) done(...steps) undone(...steps) remove(...steps) current(step) edit(step, text) move(step, to) take(number)`,
  refs: 'add(...refs) remove(...refs) set(items)',
  notepad: 'write(content:string) append(text) update({operation!, content, find, replace, replace_all})',
  entries: `info(name) bytes(name) write(name, content, {origin, append}) read(name, {offset, limit}) edit(name, edit)
    search(name, pattern, {ignoreCase, context, limit, offset, maxMs}) delete(name, {forGood}) undelete(name, back?)
    rename(from, name, {force}) keep(output, {name, limit, origin})`,
  memory: 'search(query, {limit})',
  pad: `callTool(name) mood({messages}) handover({messages, transcript, session}) diff(from?, to?) undo(count?) redo(count?)
    assemble({messages, transcript, session, prompt, ttlMs, withinMs, onProblem})`,
  sessions: `list({of, limit}) info(session) archive(session) bringBack(session) fork(parent, child) prune({olderThanMs, dryRun})
    spawn(parent, child, {copyNotepad, inherit}) delete(session, {forGood, primary})`,
};

/** Lets functions of an object check their arguments first; they reject as they do for other reasons. */
export function guardCalls<Target extends object>(target: Target, part: keyof typeof CALLS): Target {
  for (const [, name = '', parameters = ''] of CALLS[part].matchAll(/(\w+)\(([^)]*)\)/g)) {
    const call = Reflect.get(target, name) as (...args: unknown[]) => unknown;
    const value = async (...args: unknown[]): Promise<unknown> => {
      checkCall(`${part}.${name}`, parameters, args);
      return Reflect.apply(call, target, args);
    };
    Object.defineProperty(target, name, { value });
  }

  return target;
}

/** @throws ScratchpadError `usage` with the call, the argument, what it may be, and what was found */
export function checkCall(
  call: string,
  parameters: string,
  args: readonly unknown[],
  areOptions = false,
): void {
  const check = (isRight: boolean, where: string, expected: string, value: unknown): void => {
    if (isRight) return;
    const json = typeof value === 'number' ? String(value) : toJsonText(value) || typeof value;
    const found = value instanceof RegExp ? `${value}; its text is in .source` : json;
    throw usageError(`${call} was called with a wrong argument: nothing was done`, {
      where,
      expected,
      found,
    });
  };

  const all = [...parameters.matchAll(/\{([^}]*)\}|(\.{3})?(\w+)(?::(\w+))?([?!])?/g)];
  for (const [index, [, members, rest, name = '', own, mark]] of all.entries()) {
    const value = args[index];

    if (members !== undefined) {
      check(value === undefined || isObject(value), 'options', 'object', value);
      const options = toMembers(value);
      const names = [...members.matchAll(/(?<!:)\b\w+/g)].map(([each]) => each);
      for (const key of Object.keys(options))
        check(names.includes(key), key, `only ${names.join(', ')}`, key);
      const values = names.map((key) => options[key]);
      checkCall(call, members, values, true);
      continue;
    }

    const isOptional = areOptions ? mark !== '!' : mark === '?';
    const types = own ? [own] : TYPES.flatMap(({ type, names }) => (names.includes(name) ? type : []));
    const several = name === 'steps' ? args.flat() : args.slice(index);
    for (const each of rest ? several : [value])
      check((isOptional && each === undefined) || hasType(each, types), name, types.join(' or '), each);
  }
}

function hasType(value: unknown, types: readonly string[]): boolean {
  if (value === null || Number.isNaN(value)) return false;
  const type = Array.isArray(value) ? 'array' : typeof value;
  return (
    types.includes(type) ||
    (types.includes('whole number') && Number.isSafeInteger(value) && Number(value) >= 0)
  );
}
