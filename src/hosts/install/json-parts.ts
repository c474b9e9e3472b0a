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
import { detectEol } from '../../base/text/strings.ts';
import { isUnwritten, type Target } from './change.ts';

export interface HookGroup {
  matcher?: string;
  hooks: JsonObject[];
}

/** Our part of a JSON settings file of a host. Comments, order and everything else in it stay. */
export interface SettingsPart extends Pick<Target, 'about'> {
  /** Adds it; `text` holds a JSON object. */
  add(text: string, path: string): string;
  /** Whether only we write such a part: without one that is, the file's other parts are nobody's, or a person's. */
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
    add: (text = '') =>
      parts.reduce((edited, part) => part.add(edited, path), isUnwritten(text) ? '{}\n' : text),
    remove(text, before) {
      if (isUnwritten(text)) return text;

      const distinct = parts.filter((part) => part.distinct);
      const isInstalled = distinct.length === 0 || distinct.some((part) => part.remove(text, path) !== text);
      if (before === undefined && !isInstalled) return text;

      const rest = parts.reduce((edited, part) => part.remove(edited, path, before), text);
      if (rest === text) return text;

      const names = Object.keys(parseSettings(rest, path));
      // Qwen Code stamps every settings file that it meets.
      const isBare = names.length === 0 || (names.join() === '$version' && isUnwritten(before ?? ''));

      return isBare && !/\/[/*]/.test(rest) ? undefined : rest;
    },
  };
}

/** Hooks of ours, in groups of their own: a person's hooks in one of them stay there. */
export function makeHooksPart(groups: ReadonlyMap<string, HookGroup>, isOurs: IsOurs): SettingsPart {
  const listEvents = (text: string, path: string): string[] => [
    ...new Set(findHooks(text, path, isOurs).map(({ event }) => event)),
  ];
  return {
    distinct: true,
    about: `hooks       what the model is told, at ${[...groups.keys()].join(', ')}`,
    add(text, path) {
      // An earlier version may have installed hooks for other events.
      let edited = listEvents(text, path)
        .filter((event) => !groups.has(event))
        .reduce((edited, event) => removeHooks(edited, event, isOurs, path), text);
      for (const [event, group] of groups) {
        const hooks = getObject(parseSettings(edited, path), 'hooks');
        const present = getList(hooks, event).filter((found) => hasOurHook(found, isOurs));
        if (present.length === 1 && isSameJson(present[0], group)) continue;
        edited = addItems(removeHooks(edited, event, isOurs, path), ['hooks', event], [group], path);
      }

      return edited;
    },
    remove: (text, path, before) =>
      listEvents(text, path).reduce(
        (edited, event) => removeHooks(edited, event, isOurs, path, before),
        text,
      ),
  };
}

/** Items of a list; those that a person had before stay. */
export function makeListPart(place: readonly string[], items: readonly string[]): SettingsPart {
  const getListAt = (text: string, path: string): unknown[] => {
    const value = getValue(parseSettings(text, path), place);
    return Array.isArray(value) ? value : [];
  };
  return {
    add(text, path) {
      const present = getListAt(text, path);
      const missing = items.filter((item) => !present.includes(item));
      return missing.length === 0 ? text : addItems(text, place, missing, path);
    },
    remove(text, path, before = '{}') {
      const theirs = isUnwritten(before) ? [] : getListAt(before, path);
      const isOurs = (item: unknown): boolean => items.includes(String(item)) && !theirs.includes(item);
      const ours = getListAt(text, path).flatMap((item, index) => (isOurs(item) ? index : []));
      if (ours.length === 0) return text;

      const rest = ours.reduceRight((edited, index) => editValue(edited, [...place, index], undefined), text);
      return removeEmpty(rest, place, path, before);
    },
  };
}

/**
 * One value under a name; a person's own value of that name stays.
 * @param staysEmpty whether the host itself writes the object around it, also an empty one, beside other members
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
      const found = getValue(parseSettings(text, path), place) ?? undefined;
      const isTheirs = found !== undefined && !isOurs(found);
      return isTheirs || isSameJson(found, value) ? text : setValue(text, place, value, path);
    },
    remove(text, path, before) {
      if (!isOurs(getValue(parseSettings(text, path), place))) return text;

      const rest = editValue(text, place, undefined);
      const holder = place.slice(0, -1);
      const countMembers = (object: JsonPath): number =>
        Object.keys(toMembers(getValue(parseSettings(rest, path), object))).length;
      const isHostsOwn = staysEmpty && countMembers(holder.slice(0, -1)) > 1;
      if (!isHostsOwn) return removeEmpty(rest, holder, path, before);

      return countMembers(holder) === 0 ? setValue(rest, holder, {}) : rest;
    },
  };
}

/** Removes objects that become empty, from the inside out; what was empty before the installation stays. */
export function removeEmpty(text: string, place: JsonPath, path: string, before?: string): string {
  if (place.length === 0 || isPresent(before, place, path)) return text;
  const value = getValue(parseSettings(text, path), place);
  const isEmpty = (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
  return isEmpty ? removeEmpty(editValue(text, place, undefined), place.slice(0, -1), path, before) : text;
}

/** Whether a value was there before the installation. */
const isPresent = (before: string | undefined, place: JsonPath, path: string): boolean =>
  before !== undefined && !isUnwritten(before) && getValue(parseSettings(before, path), place) !== undefined;

export function findHooks(text: string, path: string, isOurs: IsOurs): { event: string; hook: JsonObject }[] {
  return Object.entries(getObject(parseSettings(text, path), 'hooks') ?? {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) => {
      const { bash, hooks } = toMembers(group);
      // Copilot has no groups.
      const grouped: unknown[] = Array.isArray(hooks) ? hooks : [];
      const found = typeof bash === 'string' ? [{ command: bash }] : grouped;
      return found.flatMap((hook) => (isObject(hook) && isOurs(hook) ? [{ event, hook }] : []));
    }),
  );
}

const hasOurHook = (group: unknown, isOurs: IsOurs): boolean =>
  getList(toMembers(group), 'hooks').some((hook) => isObject(hook) && isOurs(hook));

/** Removes our hooks of an event, the last first; a group goes with its only hook, and the event with its only group. */
function removeHooks(text: string, event: string, isOurs: IsOurs, path: string, before?: string): string {
  const groups = getList(getObject(parseSettings(text, path), 'hooks'), event);
  const groupIndex = groups.findLastIndex((group) => hasOurHook(group, isOurs));
  if (groupIndex < 0) return text;

  const hooks = getList(toMembers(groups[groupIndex]), 'hooks');
  const hookIndex = hooks.findLastIndex((hook) => isObject(hook) && isOurs(hook));
  const eventStays = groups.length > 1 || isPresent(before, ['hooks', event], path);
  const group: JsonPath = eventStays ? ['hooks', event, groupIndex] : ['hooks', event];
  const place = hooks.length > 1 ? ['hooks', event, groupIndex, 'hooks', hookIndex] : group;
  const rest = removeEmpty(editValue(text, place, undefined), ['hooks'], path, before);

  return removeHooks(rest, event, isOurs, path, before);
}

/** The settings in a file of a host. @throws ScratchpadError `refused` if they are no JSON object */
export function parseSettings(text: string, path: string): JsonObject {
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

export const getValue = (value: unknown, place: JsonPath): unknown =>
  place.reduce<unknown>((member, key) => (isObject(member) ? member[key] : undefined), value);

function addItems(text: string, place: readonly string[], items: readonly unknown[], path: string): string {
  const list = getValue(parseSettings(text, path), place);
  if (!Array.isArray(list) || list.length === 0) return setValue(text, place, items, path);
  return items.reduce<string>((edited, item) => editValue(edited, [...place, -1], item, true), text);
}

/**
 * Sets one value in JSON with comments; `null` on the way to it counts as absent.
 * @throws ScratchpadError `refused` if the way leads through anything but objects, or a list would replace another value
 */
export function setValue(text: string, place: readonly string[], value: unknown, path = ''): string {
  let edited = text;
  for (let depth = 1; depth <= place.length; depth += 1) {
    const isLast = depth === place.length;
    const present = getValue(parseSettings(edited, path), place.slice(0, depth));
    if (present === null) edited = editValue(edited, place.slice(0, depth), undefined);
    if (present === null || present === undefined) break;
    if (isLast ? !Array.isArray(value) || Array.isArray(present) : isObject(present)) continue;

    throw refusal('the settings have an unexpected structure: nothing was changed', {
      where: path,
      expected: `${place.slice(0, depth).join('.')}: ${isLast ? 'a list' : 'an object'}`,
      found: JSON.stringify(present),
      next: 'fix that, then try again',
    });
  }

  return editValue(edited, place, value);
}

/** Edits one value, keeping the byte order mark. */
function editValue(text: string, path: JsonPath, value: unknown, isArrayInsertion = false): string {
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
    eol: detectEol(text),
  };
}
