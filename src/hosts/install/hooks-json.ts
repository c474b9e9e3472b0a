import { applyEdits, type FormattingOptions, modify, type ParseError, parse } from 'jsonc-parser';
import { refused } from '../../base/errors.ts';
import { isObject, type JsonObject, listAt, membersOf, objectAt } from '../../base/text/json.ts';

/** One group of hooks for an event, in the format of Claude Code, Codex and Gemini CLI. */
export interface HookGroup {
  matcher?: string;
  hooks: JsonObject[];
}

const BOM = /^\uFEFF/;
const LENIENT = { allowTrailingComma: true, disallowComments: false };

/**
 * Adds our hooks to the settings. Comments, order and everything else stay; existing hooks of ours are
 * updated in place.
 * @throws ScratchpadError `refused` for a file that is not JSON, which is left alone
 */
export function addHooks(
  text: string | undefined,
  wanted: ReadonlyMap<string, HookGroup>,
  isOurs: (hook: JsonObject) => boolean,
  path: string,
): string {
  let now = text === undefined || isUnwritten(text) ? '{}\n' : text;
  // Earlier versions had hooks for other events, too.
  now = removeHooks(now, isOurs, path, (event) => !wanted.has(event));
  for (const [event, group] of wanted) {
    now = cleared(now, ['hooks'], path, isObject, 'an object');
    now = cleared(now, ['hooks', event], path, Array.isArray, 'a list');
    const groups = listAt(objectAt(read(now, path), 'hooks'), event);
    const at = groups.findIndex((one) => holdsOurs(one, isOurs));
    if (at >= 0 && sameJson(groups[at], merged(groups[at], group, isOurs))) continue;
    now =
      at >= 0
        ? edit(now, ['hooks', event, at], merged(groups[at], group, isOurs))
        : groups.length === 0
          ? edit(now, ['hooks', event], [group])
          : edit(now, ['hooks', event, -1], group, true);
  }
  return now;
}

/**
 * Removes our hooks from the settings, and groups and events that become empty.
 * @param from the events to look at; all of them unless given
 */
export function removeHooks(
  text: string,
  isOurs: (hook: JsonObject) => boolean,
  path: string,
  from: (event: string) => boolean = () => true,
): string {
  let now = text;
  let removed = false;
  const cut = (where: (string | number)[]): void => {
    now = edit(now, where, undefined);
    removed = true;
  };
  for (const event of Object.keys(objectAt(read(now, path), 'hooks') ?? {}).filter(from)) {
    const groups = listAt(objectAt(read(now, path), 'hooks'), event);
    let left = groups.length;
    for (let at = groups.length - 1; at >= 0; at -= 1) {
      const group = groups[at];
      if (!isObject(group) || !holdsOurs(group, isOurs)) continue;
      const hooks = listAt(group, 'hooks');
      const others = hooks.filter((hook) => !(isObject(hook) && isOurs(hook)));
      if (others.length > 0) {
        for (let k = hooks.length - 1; k >= 0; k -= 1) {
          const hook = hooks[k];
          if (isObject(hook) && isOurs(hook)) cut(['hooks', event, at, 'hooks', k]);
        }
        continue;
      }
      left -= 1;
      cut(left === 0 ? ['hooks', event] : ['hooks', event, at]);
      if (left === 0) break;
    }
  }
  const hooks = objectAt(read(now, path), 'hooks');
  if (removed && hooks && Object.keys(hooks).length === 0) cut(['hooks']);
  return now;
}

/** All hooks of a settings file with their events. */
export function hooksIn(text: string, path: string): { event: string; hook: JsonObject }[] {
  return Object.entries(objectAt(read(text, path), 'hooks') ?? {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) =>
      listAt(membersOf(group), 'hooks').flatMap((hook) => (isObject(hook) ? [{ event, hook }] : [])),
    ),
  );
}

/** @throws ScratchpadError `refused` */
export function read(text: string, path: string): JsonObject {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(BOM, ''), errors, LENIENT);
  if (errors.length === 0 && isObject(value)) return value;
  const offset = errors[0]?.offset ?? 0;
  throw refused('the settings are not valid JSON: nothing was changed', {
    where: `${path}:${text.slice(0, offset).split('\n').length}`,
    expected: 'a JSON object; comments are allowed',
    found: text.slice(offset, offset + 60),
    next: 'fix that line, then try again',
  });
}

/**
 * Sets one value in JSON with comments; `null` on the way to it counts as absent.
 * @throws ScratchpadError `refused` if anything but an object is on the way
 */
export function setValue(text: string, place: string[], value: unknown, path = ''): string {
  let now = text;
  if (value !== undefined) {
    for (let depth = 1; depth < place.length; depth += 1)
      now = cleared(now, place.slice(0, depth), path, isObject, 'an object');
    if (Array.isArray(value)) now = cleared(now, place, path, Array.isArray, 'a list');
  }
  return edit(now, place, value);
}

/** Whether a person has written nothing. */
export function isUnwritten(text: string): boolean {
  return text.replace(BOM, '').trim() === '';
}

/** Edits one value, keeping the byte order mark. */
export function edit(
  text: string,
  path: (string | number)[],
  value: unknown,
  isArrayInsertion = false,
): string {
  const [bom = ''] = BOM.exec(text) ?? [];
  const rest = text.slice(bom.length);
  const options = { formattingOptions: styleOf(rest), isArrayInsertion };
  return bom + applyEdits(rest, modify(rest, path, value, options));
}

function holdsOurs(group: unknown, isOurs: (hook: JsonObject) => boolean): boolean {
  return isObject(group) && listAt(group, 'hooks').some((hook) => isObject(hook) && isOurs(hook));
}

/** Our group. If a person has added hooks of their own to it they stay, and ours are updated. */
function merged(found: unknown, wanted: HookGroup, isOurs: (hook: JsonObject) => boolean): HookGroup {
  if (!isObject(found)) return wanted;
  const hooks = listAt(found, 'hooks');
  const isOther = (hook: unknown): boolean => !(isObject(hook) && isOurs(hook));
  if (!hooks.some(isOther)) return wanted;
  const first = hooks.findIndex((hook) => !isOther(hook));
  const before = hooks.slice(0, first).filter(isOther);
  return {
    ...found,
    hooks: [...before, ...wanted.hooks, ...hooks.slice(first).filter(isOther)],
  } as HookGroup;
}

/**
 * Removes `null` at a place, as if nothing were there.
 * @throws ScratchpadError `refused` if the value there is not ours to replace
 */
function cleared(
  text: string,
  place: readonly string[],
  path: string,
  isUsable: (value: unknown) => boolean,
  expected: string,
): string {
  const value = place.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), read(text, path));
  if (value === undefined || isUsable(value)) return text;
  if (value === null) return edit(text, [...place], undefined);
  throw refused('the settings have an unexpected structure: nothing was changed', {
    where: path,
    expected: `${place.join('.')}: ${expected}`,
    found: JSON.stringify(value),
    next: 'fix that, then try again',
  });
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function styleOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
