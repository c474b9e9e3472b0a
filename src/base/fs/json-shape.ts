import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { ensureFolder } from './folders.ts';
import { DATA_DIR } from './guard.ts';
import { type FileKind, tryReadJson } from './read.ts';
import { exists } from './system.ts';
import { writeAtomically } from './write.ts';

/** Path of a workspace's cache file. Everything in that folder may be deleted at any time. */
export const cachePath = (root: string, name: string): string => join(root, DATA_DIR, 'cache', name);

/** Caches a value for other processes. Failing to write costs only time; and it never turns a directory into a workspace. */
export function writeCache(path: string, value: unknown): void {
  const folder = dirname(path);
  attempt(() => {
    if (!exists(folder)) {
      if (!exists(dirname(folder))) return;
      ensureFolder(folder);
    }

    writeAtomically(path, JSON.stringify(value), { durable: false });
  });
}

/**
 * Checks a value from a file of our own, and returns it without unknown or invalid parts: another version or a person
 * may have written the file. `undefined` if the value as a whole is invalid.
 */
export type Shape<Value> = (value: unknown) => Value | undefined;
export type ValueOf<AnyShape> = AnyShape extends Shape<infer Value> ? Value : never;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const makeShape =
  <Value>(isValid: (value: unknown) => value is Value): Shape<Value> =>
  (value) =>
    isValid(value) ? value : undefined;

export const text = makeShape((value) => typeof value === 'string');
export const number = makeShape(
  (value): value is number => typeof value === 'number' && Number.isFinite(value),
);
/** A whole number from 0. */
export const count = makeShape(
  (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const truth = makeShape((value) => typeof value === 'boolean');

export const matchText = (pattern: RegExp): Shape<string> =>
  makeShape((value): value is string => typeof value === 'string' && pattern.test(value));

export const makeUnion = <Word extends string>(...words: readonly Word[]): Shape<Word> =>
  makeShape((value): value is Word => words.includes(value as Word));

export function makeNullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value) => (value === null ? null : shape(value));
}

export function list<Value>(shape: Shape<Value>): Shape<Value[]> {
  return (value) =>
    Array.isArray(value) ? value.flatMap((each) => shape(each) ?? ([] as Value[])) : undefined;
}

/** An object whose members, under any names, have the shape. */
export function makeMap<Value>(shape: Shape<Value>): Shape<Record<string, Value>> {
  return (value) => {
    if (!isObject(value)) return undefined;
    const members = Object.entries(value).map(([key, member]) => [key, shape(member)]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  };
}

/** An object with these members; invalid as a whole if a required member is. */
export function record<Required extends object, Optional extends object = object>(
  required: { [Key in keyof Required]: Shape<Required[Key]> },
  optional: { [Key in keyof Optional]: Shape<Optional[Key]> } = {} as typeof optional,
): Shape<Required & Partial<Optional>> {
  return (value) => {
    if (!isObject(value)) return undefined;

    const members: Record<string, unknown> = {};
    for (const [key, shape] of Object.entries<Shape<unknown>>({ ...required, ...optional })) {
      const member = key in value || key in required ? shape(value[key]) : undefined;
      if (member !== undefined) members[key] = member;
      else if (key in required) return undefined;
    }

    return members as Required & Partial<Optional>;
  };
}

/** A JSON file of our own; `undefined` if it is missing or invalid. */
export const readOwn = <Value>(path: string, kind: FileKind, shape: Shape<Value>): Value | undefined =>
  shape(tryReadJson(path, kind));
