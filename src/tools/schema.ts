import { type ScratchpadError, usageError } from '../base/errors.ts';
import { parseJson, toJsonText } from '../base/text/json.ts';

export type PropertySchema = { description?: string } & (
  | { type: 'string'; enum?: string[] }
  | { type: 'integer'; minimum?: number; maximum?: number }
  | { type: 'boolean' }
  | { type: 'array'; items: { type: 'string' | 'integer' | 'object' } }
);

/** An alias, and mutable, because the types of the APIs' libraries take neither an interface nor a readonly list. */
export type ObjectSchema = {
  type: 'object';
  properties: { [name: string]: PropertySchema };
  required: string[];
  additionalProperties: false;
};

export function defineObject(
  properties: Readonly<ObjectSchema['properties']>,
  required: readonly string[] = [],
): ObjectSchema {
  return {
    type: 'object',
    properties: { ...properties },
    required: [...required],
    additionalProperties: false,
  };
}

/**
 * Checks arguments; `null` for an optional argument counts as missing, because models write it.
 * @throws ScratchpadError `usage` with the argument, what it accepts and what was found
 */
export function checkArguments(tool: string, schema: ObjectSchema, input: unknown): Record<string, unknown> {
  const args = (typeof input === 'string' ? parseArguments(tool, input) : input) ?? {};
  if (typeof args !== 'object' || Array.isArray(args))
    throw invalidArgument(tool, 'the arguments', 'a JSON object', args);

  const names = Object.keys(schema.properties);
  const checked = new Map<string, unknown>();

  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!property) throw invalidArgument(tool, name, `only ${names.join(', ')}`, value);

    // Steps that are null are not absent: a program that has lost them must not tick the current one.
    const isAbsent = (value === null && name !== 'steps') || (value === '' && property.type === 'integer');
    if (isAbsent && !schema.required.includes(name)) continue;

    const converted = convertValue(name, property, value);
    const expected = findMismatch(property, converted);
    if (expected !== undefined) throw invalidArgument(tool, name, expected, value);

    checked.set(name, converted);
  }

  for (const name of schema.required) {
    if (!checked.has(name))
      throw invalidArgument(tool, name, schema.properties[name]?.description ?? 'it is required', undefined);
  }

  return Object.fromEntries(checked);
}

/** Texts whose lines may come as a list; models also write data as an object there. */
const TEXTS_OF_LINES = new Set(['content', 'ref', 'query']);

/** A value in the type of its property: some clients send lists, numbers and truths as text, and texts as lists. */
function convertValue(name: string, property: PropertySchema, value: unknown): unknown {
  const { type } = property;
  if (type !== 'array' && Array.isArray(value) && value.length === 1)
    return convertValue(name, property, value[0]);
  if (name === 'steps') return parseSteps(value);
  if (type === 'string') {
    if (!TEXTS_OF_LINES.has(name) || value === null || !['object', 'number'].includes(typeof value))
      return value;
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (isList) return value.length > 0 ? value.join('\n') : value;
    return JSON.stringify(value, undefined, 2);
  }

  if (typeof value !== 'string' && !(type === 'boolean' && typeof value === 'number')) return value;

  const text = String(value).trim();
  if (type === 'integer') return /^[+-]?\d+(?:\.0+)?$/.test(text) ? Number(text) : value;
  if (type === 'boolean' && /^(?:true|yes|on|1)$/i.test(text)) return true;
  if (type === 'boolean') return /^(?:false|no|off|0)$/i.test(text) ? false : value;

  const list = parseJson(text);
  if (Array.isArray(list)) return list;
  // A list that is cut off or misspelt is not a text of one line.
  const isWhole = text.endsWith(']') && (text.match(/["']/g) ?? []).length % 2 === 0;
  if (/^\[\s*["'{]/.test(text) && !isWhole) return value;

  return property.items.type === 'string' ? [text] : value;
}

/** Some APIs hand over the arguments as the text that the model wrote. */
function parseArguments(tool: string, text: string): unknown {
  const args = text.trim() === '' ? {} : parseJson(text);
  if (args !== undefined) return args;
  throw invalidArgument(tool, 'the arguments', 'a JSON object', text);
}

/** Steps, as models also write them: `2`, `"2"`, `["2"]`, `"[2, 3]"`, `"steps 2 and 3"`, or words of a step. */
function parseSteps(value: unknown): unknown[] {
  const list = typeof value === 'string' ? (parseJson(value) ?? value) : value;
  return [list].flat().filter((each) => each !== '');
}

/** What was expected; `undefined` if the value is valid. */
function findMismatch(property: PropertySchema, value: unknown): string | undefined {
  switch (property.type) {
    case 'string':
      if (typeof value !== 'string') return 'a text';
      return property.enum?.includes(value) === false ? `one of ${property.enum.join(', ')}` : undefined;
    case 'integer': {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = property;
      if (Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum)
        return undefined;
      return `a whole number${property.minimum === undefined ? '' : ` from ${minimum} on`}${property.maximum === undefined ? '' : ` up to ${maximum}`}`;
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'array':
      return Array.isArray(value) ? undefined : 'a list';
  }
}

function invalidArgument(tool: string, where: string, expected: string, found: unknown): ScratchpadError {
  return usageError(`${tool} was called with invalid arguments`, {
    where,
    expected,
    found: found === undefined ? 'nothing' : toJsonText(found) || typeof found,
  });
}
