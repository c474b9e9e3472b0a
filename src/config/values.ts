import { misuse, type ScratchpadError } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';
import { SECTIONS } from '../pad/sections.ts';
import { readCommand } from './command.ts';
import type { Config, Setting, SettingValue } from './config.ts';
import { SETTINGS } from './settings.ts';

/**
 * Text that is shown to a model unchanged, such as the name of another model: words without Markdown
 * structure.
 */
const LABEL_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} _'’&,.:()/@+-]{0,59}$";

/**
 * Checks one value and converts it to the form that `Config` has.
 * @param key the full key, if `setting` is an `<id>` setting
 * @param origin the file that sets it
 * @throws ScratchpadError `usage` with the key, what it accepts and what was found
 */
export function readValue(setting: Setting, value: unknown, key = setting.key, origin = ''): SettingValue {
  switch (setting.kind) {
    case 'text':
      if (typeof value === 'string' && value.trim() !== '') return value;
      throw wrong(key, 'a text', value);
    case 'label':
      if (typeof value === 'string' && new RegExp(LABEL_PATTERN, 'u').test(value)) return value;
      throw wrong(key, 'a name of at most 60 letters, digits, spaces and . : / @ + _ -', value);
    case 'zone':
      if (typeof value === 'string' && isZone(value)) return value;
      throw wrong(key, 'an IANA time zone such as Europe/Berlin', value);
    case 'duration':
      try {
        return parseDuration(typeof value === 'string' ? value : '');
      } catch {
        throw wrong(key, 'a duration such as 90s, 30m, 2h', value);
      }
    case 'count':
      if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 1_000_000)
        return value;
      throw wrong(key, 'a whole number above 0', value);
    case 'switch':
      // YAML 1.2 reads on and off as strings.
      if (value === true || value === 'on' || value === 'true') return true;
      if (value === false || value === 'off' || value === 'false') return false;
      throw wrong(key, 'on or off', value);
    case 'turns':
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100_000_000)
        return value;
      throw wrong(key, 'a whole number, 0 to turn it off', value);
    case 'percent':
      if (typeof value === 'number' && value >= 0 && value <= 100) return value;
      throw wrong(key, 'a percentage from 0 to 100', value);
    case 'choice': {
      // YAML 1.2 reads a bare `off` as a string, YAML 1.1 as false.
      const text = value === false ? 'off' : value;
      if (typeof text === 'string' && setting.options?.includes(text)) return text;
      throw wrong(key, `one of ${setting.options?.join(', ')}`, value);
    }
    case 'command': {
      const command = readCommand(key, value, origin);
      if (key.startsWith('stages.') && SECTIONS.some(({ id }) => id === command.command))
        throw wrong(
          key,
          'a program that prints a section (stages.off leaves out a section)',
          command.command,
        );
      return command;
    }
    case 'list': {
      const items: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
      const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
      const { options } = setting;
      const fits = texts.every((text) => options?.includes(text) !== false) && texts.length === items.length;
      if (fits && (typeof value === 'string' || Array.isArray(value))) return texts;
      throw wrong(key, options ? `a list of ${options.join(', ')}` : 'a list of strings', value);
    }
  }
}

/** The forms in which a setting may be given, before it is checked. */
export type SettingInput = string | number | string[] | Record<string, unknown>;

/**
 * Parses a value from the command line into the type that the setting has in YAML. A command with parts is
 * given as JSON.
 */
export function parseArgument(setting: Setting, text: string, key = setting.key): SettingInput {
  if (setting.kind === 'count' || setting.kind === 'turns' || setting.kind === 'percent')
    return /^\d+$/.test(text) ? Number(text) : text;
  if (setting.kind === 'list')
    return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  if (setting.kind === 'command' && /^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text) as SettingInput;
    } catch {
      throw wrong(
        key,
        'a program, or JSON such as ["date", "+%A"] or {"command": "date", "args": ["+%A"]}',
        text,
      );
    }
  }
  return text;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function wrong(key: string, expected: string, value: unknown): ScratchpadError {
  return misuse(`${key} is not valid`, {
    where: key,
    expected,
    found: typeof value === 'string' ? value : JSON.stringify(value),
  });
}

/** A name that users may choose where a setting key ends in `<id>`. */
const NAME = /^[A-Za-z][\w-]{0,39}$/;

/** Settings of earlier versions, with what to do instead: they are named once and ignored. */
export const RETIRED: ReadonlyMap<string, string> = new Map([
  ['scope.age', 'a plan of another session is one line after a day'],
  ['scope.branchAge', 'a plan of the branch at hand is one line after 14 days'],
  ['scope.branches', 'each branch has its own plan'],
  ['scope.worktrees', 'each work tree has its own plan'],
  ['hook.pad', 'name a pad of its own with --session, or SCRATCHPAD_SESSION'],
  ['hook.refresh', 'set ttl instead'],
  ['tokens.exact', 'tokens are estimated, within a tenth'],
  ['mood.history', 'scratchpad audit reads the sessions themselves'],
  ['feedback.halfLife', 'set feedback.lasts instead'],
  ['sentiment.command', 'print a section of your own with stages.<id>'],
]);

/** The setting with this key, or the `<id>` setting that covers it; `undefined` if there is neither. */
export function findSetting(key: string): Setting | undefined {
  const dot = key.lastIndexOf('.') + 1;
  const [parent, name] = [key.slice(0, dot), key.slice(dot)];
  return SETTINGS.find(
    (setting) =>
      setting.key === key ||
      (setting.key === `${parent}<id>` && NAME.test(name) && !setting.taken?.includes(name)),
  );
}

/** @throws ScratchpadError `usage` that suggests the setting most likely meant */
export function settingFor(key: string): Setting {
  const setting = findSetting(key);
  if (setting) return setting;
  const instead = RETIRED.get(key);
  if (instead !== undefined)
    throw misuse(`${key} is gone: ${instead}`, {
      next: { to: 'take it out of the file', command: `scratchpad config unset ${key}` },
    });
  const likely = /^colou?rs?$/.test(key) ? 'NO_COLOR=1 in the environment' : likelyKey(key);
  throw misuse('no such setting', {
    expected: likely && `perhaps ${likely}`,
    found: key,
    next: { to: 'list them', command: 'scratchpad config list' },
  });
}

/**
 * The setting that an unknown key most likely means: the closest spelling, or the only setting whose last
 * part is the same or is abbreviated by it.
 */
export function likelyKey(key: string): string | undefined {
  const keys = SETTINGS.map((setting) => setting.key);
  const near = nearest(key, keys);
  if (near !== undefined) return near;
  const leafOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const alike = keys.filter((name) => leafOf(name) === leafOf(key) || shortens(leafOf(key), leafOf(name)));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Longer words have the letters of most short ones somewhere. */
const LONGEST_SHORTENED = 4;

/**
 * Whether a word abbreviates another: same first letter, and its letters occur in order, such as `tz` for
 * `timezone`.
 */
function shortens(short: string, word: string): boolean {
  let at = 0;
  for (const letter of short) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return short[0] === word[0] && word.length <= short.length * LONGEST_SHORTENED;
}

/** Whether any of these settings names a command. */
export function namesCommand(keys: Iterable<string>): boolean {
  return [...keys].some((key) => findSetting(key)?.kind === 'command');
}

/** Builds a `Config` from checked values by key; missing values get their default. */
export function buildConfig(values: ReadonlyMap<string, SettingValue>): Config {
  const root: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    if (setting.into !== undefined) {
      const all = [...values].filter(([key]) => findSetting(key) === setting).map(([, value]) => value);
      put(root, setting.into, all);
      continue;
    }
    put(root, setting.key, values.has(setting.key) ? values.get(setting.key) : defaultOf(setting));
  }
  return root as unknown as Config;
}

/**
 * Default labels are not checked: compiling the pattern costs a command more than all other settings
 * together.
 */
function defaultOf(setting: Setting): SettingValue | undefined {
  if (setting.default === undefined || setting.kind === 'label') return setting.default as string | undefined;
  return readValue(setting, setting.default);
}

function put(root: Record<string, unknown>, key: string, value: unknown): void {
  const path = key.split('.');
  const leaf = path.pop() as string;
  let node = root;
  for (const part of path) {
    const inner = (node[part] ?? {}) as Record<string, unknown>;
    node[part] = inner;
    node = inner;
  }
  node[leaf] = value;
}

/**
 * The word most likely meant: the one with the smallest edit distance (optimal string alignment), if that is
 * at most a third of its length.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  let best: { word: string; distance: number } | undefined;
  for (const candidate of words) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { word: candidate, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : undefined;
}

const LONGEST = 80;

function editDistance(a: string, b: string): number {
  if (a.length > LONGEST || b.length > LONGEST) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
