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

/**
 * The functions of each part of the library. `?` marks a parameter that may be left out, `!` an option that may not, `...` all
 * further arguments, and `:` a type other than that of the name.
 */
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

/** Lets the functions of a part check their arguments first; a wrong one rejects, as other failures do. */
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

/** A parameter in `CALLS`: the options between braces, or a name with its marks. */
const PARAMETER = /\{([^}]*)\}|(\.{3})?(\w+)(?::(\w+))?([?!])?/g;

/** @throws ScratchpadError `usage` with the call, the argument, what it may be, and what was found */
export function checkCall(call: string, parameters: string, args: readonly unknown[]): void {
  const refuse = (where: string, expected: string, value: unknown): never => {
    const json = typeof value === 'number' ? String(value) : toJsonText(value) || typeof value;
    const found = value instanceof RegExp ? `${value}; its text is in .source` : json;
    throw usageError(`${call} was called with a wrong argument: nothing was done`, {
      where,
      expected,
      found,
    });
  };

  for (const [index, match] of [...parameters.matchAll(PARAMETER)].entries()) {
    const [, options, rest, name = '', type, mark] = match;
    if (options !== undefined) {
      checkOptions(options, args[index], refuse);
      continue;
    }

    // The steps of a plan may also come as one list.
    const furtherArgs = name === 'steps' ? args.flat() : args.slice(index);
    for (const value of rest ? furtherArgs : [args[index]])
      if (mark !== '?' || value !== undefined) checkValue(name, type, value, refuse);
  }
}

type Refuse = (where: string, expected: string, value: unknown) => never;

function checkOptions(declaration: string, value: unknown, refuse: Refuse): void {
  if (value !== undefined && !isObject(value)) refuse('options', 'object', value);
  const options = toMembers(value);
  const declared = [...declaration.matchAll(PARAMETER)];
  const names = declared.map(([, , , name = '']) => name);

  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined) refuse(unknown, `only ${names.join(', ')}`, unknown);
  for (const [, , , name = '', type, mark] of declared)
    if (mark === '!' || options[name] !== undefined) checkValue(name, type, options[name], refuse);
}

function checkValue(name: string, ownType: string | undefined, value: unknown, refuse: Refuse): void {
  const types = ownType ? [ownType] : TYPES.flatMap(({ type, names }) => (names.includes(name) ? type : []));
  if (!hasType(value, types)) refuse(name, types.join(' or '), value);
}

function hasType(value: unknown, types: readonly string[]): boolean {
  if (value === null || Number.isNaN(value)) return false;
  const type = Array.isArray(value) ? 'array' : typeof value;
  return (
    types.includes(type) ||
    (types.includes('whole number') && Number.isSafeInteger(value) && Number(value) >= 0)
  );
}
