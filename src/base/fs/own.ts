import { dirname, join, relative } from 'node:path';
import { ofProcess } from '../process.ts';
import { ensureFolder, tryList } from './folders.ts';
import { DATA_DIR } from './guard.ts';
import { type FileKind, tryReadJson, tryReadText } from './read.ts';
import { exists, tryStat } from './system.ts';
import { writeAtomically } from './write.ts';

/** Path of a workspace's cache file. Everything in that folder may be deleted at any time. */
export function cachePath(root: string, name: string): string {
  return join(root, DATA_DIR, 'cache', name);
}

/** A cached value as parsed; the caller checks its shape. `undefined` if nothing can be read. */
export function readCache(path: string): unknown {
  return tryReadJson(path, 'cache');
}

/**
 * Caches a value for other processes. Failing to write costs only time; and it never turns a directory into a
 * workspace.
 */
export function writeCache(path: string, value: unknown): void {
  const folder = dirname(path);
  try {
    if (!exists(folder)) {
      if (!exists(dirname(folder))) return;
      ensureFolder(folder);
    }
    writeAtomically(path, JSON.stringify(value), { durable: false });
  } catch {
    // Failing is harmless, as the function's comment says.
  }
}

/**
 * The shape of a value in a file of our own. It takes what it knows: the file may come from another version, or from
 * a person. `out` hears the place of what is left out.
 */
export type Shape<Value> = (value: unknown, place: string, out: (place: string) => void) => Value | undefined;

const only =
  <Value>(holds: (value: unknown) => value is Value): Shape<Value> =>
  (value, place, out) => {
    if (holds(value)) return value;
    out(place);
    return undefined;
  };

export const text = only((value) => typeof value === 'string');
export const number = only((value): value is number => typeof value === 'number' && Number.isFinite(value));
export const truth = only((value) => typeof value === 'boolean');
export const anything: Shape<unknown> = (value) => value;

/** Either of some words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Shape<Word> {
  return only((value): value is Word => words.includes(value as Word));
}

/** What a value may be in place of this: nothing is left out for `null`. */
export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, place, out) => (value === null ? null : shape(value, place, out));
}

/** The members that have the shape. */
export function list<Value>(shape: Shape<Value>): Shape<Value[]> {
  return (value, place, out) => {
    if (Array.isArray(value))
      return value.flatMap((each, k) => shape(each, `${place}[${k}]`, out) ?? ([] as Value[]));
    out(place);
    return undefined;
  };
}

/** A pair, such as an entry of a map. */
export function pair<One, Other>(one: Shape<One>, other: Shape<Other>): Shape<[One, Other]> {
  return (value, place, out) => {
    const [first, second] = Array.isArray(value) ? value : [];
    const [a, b] = [one(first, place, out), other(second, place, out)];
    return a === undefined || b === undefined ? undefined : [a, b];
  };
}

/** An object whose members, under any names, have the shape. */
export function mapOf<Value>(shape: Shape<Value>): Shape<Record<string, Value>> {
  return (value, place, out) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      out(place);
      return undefined;
    }
    const taken = Object.entries(value).map(([key, each]) => [key, shape(each, `${place}.${key}`, out)]);
    return Object.fromEntries(taken.filter(([, each]) => each !== undefined)) as Record<string, Value>;
  };
}

/** An object with these members; it is left out as a whole if one that it needs has not the shape. */
export function record<Needed extends object, More extends object = object>(
  needed: { [Key in keyof Needed]: Shape<Needed[Key]> },
  more: { [Key in keyof More]: Shape<More[Key]> } = {} as { [Key in keyof More]: Shape<More[Key]> },
): Shape<Needed & Partial<More>> {
  return (value, place, out) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      out(place);
      return undefined;
    }
    const taken: Record<string, unknown> = {};
    for (const [key, shape] of Object.entries<Shape<unknown>>({ ...needed, ...more })) {
      const member =
        key in value || key in needed
          ? shape((value as Record<string, unknown>)[key], place ? `${place}.${key}` : key, out)
          : undefined;
      if (member !== undefined) taken[key] = member;
      else if (key in needed) return undefined;
    }
    return taken as Needed & Partial<More>;
  };
}

const left = ofProcess(new Map<string, Set<string>>());

/** A JSON file of our own; `undefined` if it is missing, or nothing in it can be taken. */
export function readOwn<Value>(path: string, kind: FileKind, shape: Shape<Value>): Value | undefined {
  const content = tryReadText(path, kind);
  left.delete(path);
  if (content === undefined) return undefined;
  const out = (place: string): void => void left.set(path, (left.get(path) ?? new Set()).add(place));
  try {
    return shape(JSON.parse(content), '', out);
  } catch {
    out('');
    return undefined;
  }
}

/** Files of our own that are not, or not in all, as this version writes them: what it does not know is left out. */
export function strangeFiles(root: string, data: string): string[] {
  for (const path of ownFiles(data)) {
    if (tryReadText(path, 'record') === undefined) continue;
    if (typeof (tryReadJson(path, 'record') ?? 0) !== 'object') left.set(path, new Set(['']));
  }
  return [...left].map(([path, places]) => {
    const where = places.has('') ? '' : `: ${[...places].slice(0, 3).join(', ')}`;
    return `${relative(root, path)}: left out, because not as expected${where}`;
  });
}

/** The JSON files that commands keep, apart from what is computed again. */
function ownFiles(folder: string, depth = 4): string[] {
  return tryList(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith('.json')) return [path];
    const isLookedAt = depth > 0 && !NOT_LOOKED_AT.test(name) && tryStat(path)?.isDirectory();
    return isLookedAt ? ownFiles(path, depth - 1) : [];
  });
}

const NOT_LOOKED_AT = /^(?:archive|cache|conflicts|index|recovered)$/;
