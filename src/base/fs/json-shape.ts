import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { ensureFolder } from './folders.ts';
import { DATA_DIR } from './guard.ts';
import { type FileKind, tryReadJson } from './read.ts';
import { exists } from './system.ts';
import { writeAtomically } from './write.ts';

/** Path of a workspace's cache file. Everything in that folder may be deleted at any time. */
export function cachePath(root: string, name: string): string {
  return join(root, DATA_DIR, 'cache', name);
}

/**
 * Caches a value for other processes. Failing to write costs only time; and it never turns a directory into a
 * workspace.
 */
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
 * The shape of a value in a file of our own. It takes what it knows: the file may come from another version, or from
 * a person. `undefined` if it can take nothing.
 */
export type Shape<Value> = (value: unknown) => Value | undefined;
export type ValueOf<Taker> = Taker extends Shape<infer Value> ? Value : never;

const makeShape =
  <Value>(holds: (value: unknown) => value is Value): Shape<Value> =>
  (value) =>
    holds(value) ? value : undefined;

const object = makeShape(
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
);

export const text = makeShape((value) => typeof value === 'string');
export const number = makeShape(
  (value): value is number => typeof value === 'number' && Number.isFinite(value),
);
/** A number of things, or of bytes. */
export const count = makeShape(
  (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const truth = makeShape((value) => typeof value === 'boolean');

export function matchText(pattern: RegExp): Shape<string> {
  return makeShape((value): value is string => typeof value === 'string' && pattern.test(value));
}

export function makeUnion<Word extends string>(...words: readonly Word[]): Shape<Word> {
  return makeShape((value): value is Word => words.includes(value as Word));
}

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
    const found = object(value);
    const taken = found && Object.entries(found).map(([key, each]) => [key, shape(each)]);
    return taken && Object.fromEntries(taken.filter(([, each]) => each !== undefined));
  };
}

/** An object with these members; it is left out as a whole if one that it needs has not the shape. */
export function record<Needed extends object, More extends object = object>(
  needed: { [Key in keyof Needed]: Shape<Needed[Key]> },
  more: { [Key in keyof More]: Shape<More[Key]> } = {} as { [Key in keyof More]: Shape<More[Key]> },
): Shape<Needed & Partial<More>> {
  return (value) => {
    const found = object(value);
    if (found === undefined) return undefined;

    const taken: Record<string, unknown> = {};
    for (const [key, shape] of Object.entries<Shape<unknown>>({ ...needed, ...more })) {
      const member = key in found || key in needed ? shape(found[key]) : undefined;
      if (member !== undefined) taken[key] = member;
      else if (key in needed) return undefined;
    }

    return taken as Needed & Partial<More>;
  };
}

/** A JSON file of our own; `undefined` if it is missing, or nothing in it can be taken. */
export function readOwn<Value>(path: string, kind: FileKind, shape: Shape<Value>): Value | undefined {
  return shape(tryReadJson(path, kind));
}
