import {
  applyEdits,
  type FormattingOptions,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
} from 'jsonc-parser';
import { refusal } from '../../base/errors.ts';
import { getList, getObject, isObject, type JsonObject, toMembers } from '../../base/text/json.ts';
import { isUnwritten, type Target } from './change.ts';

export interface HookGroup {
  matcher?: string;
  hooks: JsonObject[];
}

/** Our part of a JSON settings file of a host. Comments, order and everything else in it stay. */
export interface SettingsPart extends Pick<Target, 'about'> {
  /** Adds it; `text` holds a JSON object. */
  add(text: string, path: string): string;
  /** Nothing but us writes such a part; the rest is ours only beside one of these, unless it is known. */
  distinct?: true;
  remove(text: string, path: string, before?: string): string;
}

type IsOurs = (value: JsonObject) => boolean;
type JsonPath = readonly (string | number)[];

const BOM = /^\uFEFF/;

export function makeSettingsTarget(
  path: string,
  parts: readonly SettingsPart[],
  more: Pick<Target, 'within' | 'rewritten'> = {},
): Target {
  return {
    path,
    about: parts.flatMap(({ about }) => about ?? []).join('\n'),
    ...more,
    add: (text = '') => parts.reduce((now, part) => part.add(now, path), isUnwritten(text) ? '{}\n' : text),
    remove(text, before) {
      if (isUnwritten(text)) return text;

      const signs = parts.filter(({ distinct }) => distinct);
      const isThere = signs.length === 0 || signs.some((part) => part.remove(text, path) !== text);

      if (before === undefined && !isThere) return text;

      const rest = parts.reduce((now, part) => part.remove(now, path, before), text);
      if (rest === text) return text;

      const names = Object.keys(read(rest, path));
      // Qwen Code stamps every settings file that it meets.
      const isBare = names.length === 0 || (names.join() === '$version' && isUnwritten(before ?? ''));

      return isBare && !/\/[/*]/.test(rest) ? undefined : rest;
    },
  };
}

/** Hooks of ours, in groups of their own: a person's hooks in one of them stay there. */
export function makeHooksPart(groups: ReadonlyMap<string, HookGroup>, isOurs: IsOurs): SettingsPart {
  const remove = (text: string, path: string, from: (event: string) => boolean, before?: string): string =>
    [...new Set(findHooks(text, path, isOurs).map(({ event }) => event))]
      .filter(from)
      .reduce((now, event) => removeHooks(now, event, isOurs, path, before), text);
  return {
    distinct: true,
    about: `hooks       what the model is told, at ${[...groups.keys()].join(', ')}`,
    add(text, path) {
      // Earlier versions had hooks for other events, too.
      let now = remove(text, path, (event) => !groups.has(event));
      for (const [event, group] of groups) {
        const there = getList(getObject(read(now, path), 'hooks'), event).filter((one) =>
          hasOurHook(one, isOurs),
        );
        if (there.length === 1 && isSameJson(there[0], group)) continue;
        now = addItems(removeHooks(now, event, isOurs, path), ['hooks', event], [group], path);
      }

      return now;
    },
    remove: (text, path, before) => remove(text, path, () => true, before),
  };
}

export function listPart(place: readonly string[], items: readonly string[]): SettingsPart {
  const getListAt = (text: string, path: string): unknown[] => {
    const value = getValue(read(text, path), place);
    return Array.isArray(value) ? value : [];
  };
  return {
    add(text, path) {
      const there = getListAt(text, path);
      const missing = items.filter((item) => !there.includes(item));
      return missing.length === 0 ? text : addItems(text, place, missing, path);
    },
    remove(text, path, before = '{}') {
      const theirs = isUnwritten(before) ? [] : getListAt(before, path);
      const isOurs = (item: unknown): boolean => items.includes(String(item)) && !theirs.includes(item);
      let now = text;

      for (let at = 0; at >= 0; ) {
        at = getListAt(now, path).findLastIndex(isOurs);
        if (at >= 0) now = edit(now, [...place, at], undefined);
      }

      return now === text ? text : removeEmpty(now, place, path, before);
    },
  };
}

/**
 * One value under a name; a person's own value of that name stays.
 * @param staysEmpty whether the host itself writes an empty object around it
 */
export function makeValuePart(
  place: readonly string[],
  value: JsonObject | true,
  isOurs: (found: unknown) => boolean,
  staysEmpty = false,
): SettingsPart {
  return {
    distinct: true,
    add(text, path) {
      const found = getValue(read(text, path), place) ?? undefined;
      const stays = found !== undefined && !isOurs(found);
      return stays || isSameJson(found, value) ? text : setValue(text, place, value, path);
    },
    remove(text, path, before) {
      if (!isOurs(getValue(read(text, path), place))) return text;

      const without = edit(text, place, undefined);
      const list = place.slice(0, -1);
      const isEntry = Object.keys(toMembers(getValue(read(without, path), list.slice(0, -1)))).length > 1;

      if (!staysEmpty || !isEntry) return removeEmpty(without, list, path, before);

      const isBare = Object.keys(toMembers(getValue(read(without, path), list))).length === 0;

      return isBare ? setValue(without, list, {}) : without;
    },
  };
}

/** Removes objects that become empty, from the inside out; what was empty before the installation stays. */
export function removeEmpty(text: string, place: JsonPath, path: string, before?: string): string {
  if (place.length === 0 || wasThere(before, place, path)) return text;
  const value = getValue(read(text, path), place);
  const isEmpty = (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
  return isEmpty ? removeEmpty(edit(text, place, undefined), place.slice(0, -1), path, before) : text;
}

const wasThere = (before: string | undefined, place: JsonPath, path: string): boolean =>
  before !== undefined && !isUnwritten(before) && getValue(read(before, path), place) !== undefined;

export function findHooks(text: string, path: string, isOurs: IsOurs): { event: string; hook: JsonObject }[] {
  return Object.entries(getObject(read(text, path), 'hooks') ?? {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) => {
      const { bash, hooks } = toMembers(group);
      // Copilot has no groups.
      const listed: unknown[] = Array.isArray(hooks) ? hooks : [];
      const all = typeof bash === 'string' ? [{ command: bash }] : listed;
      return all.flatMap((hook) => (isObject(hook) && isOurs(hook) ? [{ event, hook }] : []));
    }),
  );
}

const hasOurHook = (group: unknown, isOurs: IsOurs): boolean =>
  getList(toMembers(group), 'hooks').some((hook) => isObject(hook) && isOurs(hook));

function removeHooks(text: string, event: string, isOurs: IsOurs, path: string, before?: string): string {
  const groups = getList(getObject(read(text, path), 'hooks'), event);
  const at = groups.findLastIndex((group) => hasOurHook(group, isOurs));
  if (at < 0) return text;

  const hooks = getList(toMembers(groups[at]), 'hooks');
  const last = hooks.findLastIndex((hook) => isObject(hook) && isOurs(hook));
  const whole: JsonPath = hooks.length > 1 ? ['hooks', event, at, 'hooks', last] : ['hooks', event, at];
  const stays = hooks.length > 1 || groups.length > 1 || wasThere(before, ['hooks', event], path);
  const now = edit(text, stays ? whole : ['hooks', event], undefined);

  return removeHooks(removeEmpty(now, ['hooks'], path, before), event, isOurs, path, before);
}

/** @throws ScratchpadError `refused` */
export function read(text: string, path: string): JsonObject {
  const errors: ParseError[] = [];
  const lenient = { allowTrailingComma: true, disallowComments: false };
  const value: unknown = parse(text.replace(BOM, ''), errors, lenient);

  if (errors.length === 0 && isObject(value)) return value;

  const offset = errors[0]?.offset ?? 0;
  throw refusal('the settings are not valid JSON: nothing was changed', {
    where: `${path}:${text.slice(0, offset).split('\n').length}`,
    expected: 'a JSON object; comments are allowed',
    // Not its text: a repository may have a link to a secret in its place.
    found: errors[0] ? printParseErrorCode(errors[0].error) : 'another value',
    next: 'fix that line, then try again',
  });
}

export function getValue(value: unknown, place: JsonPath): unknown {
  return place.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

function addItems(text: string, place: readonly string[], items: readonly unknown[], path: string): string {
  const list = getValue(read(text, path), place);
  if (!Array.isArray(list) || list.length === 0) return setValue(text, place, items, path);
  return items.reduce<string>((now, item) => edit(now, [...place, -1], item, true), text);
}

/**
 * Sets one value in JSON with comments; `null` on the way to it counts as absent.
 * @throws ScratchpadError `refused` if anything but an object is on the way, or but a list where one goes
 */
export function setValue(text: string, place: readonly string[], value: unknown, path = ''): string {
  let now = text;
  for (let depth = 1; depth <= place.length; depth += 1) {
    const isLast = depth === place.length;
    const there = getValue(read(now, path), place.slice(0, depth));
    if (there === null) now = edit(now, place.slice(0, depth), undefined);
    if (there === null || there === undefined) break;
    if (isLast ? !Array.isArray(value) || Array.isArray(there) : isObject(there)) continue;

    throw refusal('the settings have an unexpected structure: nothing was changed', {
      where: path,
      expected: `${place.slice(0, depth).join('.')}: ${isLast ? 'a list' : 'an object'}`,
      found: JSON.stringify(there),
      next: 'fix that, then try again',
    });
  }

  return edit(now, place, value);
}

/** Edits one value, keeping the byte order mark. */
function edit(text: string, path: JsonPath, value: unknown, isArrayInsertion = false): string {
  const [bom = ''] = BOM.exec(text) ?? [];
  const rest = text.slice(bom.length);
  const options = { formattingOptions: detectStyle(rest), isArrayInsertion };
  return bom + applyEdits(rest, modify(rest, [...path], value, options));
}

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function detectStyle(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
