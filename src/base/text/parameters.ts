import { usageError } from '../errors.ts';
import { isObject, toJsonText, toMembers } from './json.ts';

/**
 * Checks arguments by a signature such as `find: string, step: string number, {all?: boolean}`; the types are those of
 * `typeof`, `array` and `integer`, and the members in braces those of an object of options.
 * @throws ScratchpadError `usage` with the call, the argument, what it may be, and what was found
 */
export function checkCall(call: string, signature: string, args: readonly unknown[]): void {
  const check = (where: string, found: unknown, expected: string, isRight: boolean): void => {
    if (isRight) return;
    const problem = `${call} was called with a wrong argument: nothing was done`;
    throw usageError(problem, {
      where,
      expected,
      found: typeof found === 'number' ? String(found) : toJsonText(found) || typeof found,
    });
  };

  for (const [index, { groups = {} }] of [...signature.matchAll(PARAMETER)].entries()) {
    const { rest, name = '', optional, types = '', members } = groups;
    const value = args[index];
    if (members === undefined) {
      const expected = types.replaceAll(' ', ' or ');
      for (const each of rest === undefined ? [value] : args.slice(index))
        check(name, each, expected, (optional && each === undefined) || hasType(each, types.split(' ')));
      continue;
    }

    const names = [...members.matchAll(PARAMETER)].map((member) => member.groups?.name ?? '');
    check('options', value, 'object', value === undefined || isObject(value));
    const options = toMembers(value);
    for (const key of Object.keys(options)) check(key, key, `only ${names.join(', ')}`, names.includes(key));
    const values = names.map((key) => options[key]);
    checkCall(call, members, values);
  }
}

const PARAMETER = /\{(?<members>[^}]*)\}|(?<rest>\.{3})?(?<name>\w+)(?<optional>\?)?: (?<types>[\w ]+)/g;

function hasType(value: unknown, types: readonly string[]): boolean {
  if (value === null || Number.isNaN(value)) return false;
  const type = Array.isArray(value) ? 'array' : typeof value;
  return types.includes(type) || (types.includes('integer') && Number.isInteger(value));
}

/** Lets functions of an object, by lines such as `set, append (text: string)`, check their arguments first. */
export function guardCalls<Target extends object>(
  target: Target,
  calls: readonly string[],
  prefix = '',
): Target {
  for (const line of calls) {
    const [names = '', signature = ''] = line.split(/ \(|\)$/);
    for (const name of names.split(', ')) {
      const call = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      const value = async (...args: unknown[]): Promise<unknown> => {
        checkCall(prefix + name, signature, args);
        return Reflect.apply(call, target, args);
      };
      Object.defineProperty(target, name, { value });
    }
  }

  return target;
}
