import { misuse, type ScratchpadError, succeeds, tried } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';
import { SECTIONS } from '../pad/sections.ts';
import { type CommandSpec, readCommand } from './command.ts';
import type { Config, Setting, SettingValue } from './settings.ts';
import { SETTINGS } from './settings.ts';

/** Text that is shown to a model unchanged, such as the name of another model: words without Markdown structure. */
const LABEL_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} _'’&,.:()/@+-]{0,59}$";

const EXPECTED: Readonly<Record<Setting['kind'], string>> = {
  text: 'a text',
  label: 'a name of at most 60 letters, digits, spaces and . : / @ + _ -',
  zone: 'an IANA time zone such as Europe/Berlin',
  duration: 'a duration such as 90s, 30m, 2h',
  count: 'a whole number above 0',
  turns: 'a whole number, 0 to turn it off',
  percent: 'a percentage from 0 to 100',
  choice: 'one of',
  switch: 'on or off',
  list: 'a list of',
  command: 'a program',
};

/**
 * Checks one value and converts it to the form that `Config` has.
 * @param key the full key, if `setting` is an `<id>` setting
 * @param origin the file that sets it
 * @throws ScratchpadError `usage` with the key, what it accepts and what was found
 */
export function readValue(setting: Setting, value: unknown, key = setting.key, origin = ''): SettingValue {
  const read = setting.kind === 'command' ? readProgram(key, value, origin) : checked(setting, value);
  if (read !== undefined) return read;
  const { kind, options = ['strings'] } = setting;
  const among = kind === 'choice' || kind === 'list' ? ` ${options.join(', ')}` : '';
  throw wrong(key, `${EXPECTED[kind]}${among}`, value);
}

function readProgram(key: string, value: unknown, origin: string): CommandSpec {
  const spec = readCommand(key, value, origin);
  if (key.startsWith('stages.') && SECTIONS.some(({ id }) => id === spec.command))
    throw wrong(key, 'a program that prints a section (stages.off leaves out a section)', spec.command);
  return spec;
}

/** `undefined` if it is not of that kind. YAML 1.2 reads on and off as strings, YAML 1.1 as booleans. */
function checked({ kind, options }: Setting, value: unknown): SettingValue {
  const text = typeof value === 'string' ? value : '';
  switch (kind) {
    case 'text':
      return text.trim() === '' ? undefined : text;
    case 'label':
      return new RegExp(LABEL_PATTERN, 'u').test(text) ? text : undefined;
    case 'zone':
      return succeeds(() => new Intl.DateTimeFormat('en', { timeZone: text })) ? text : undefined;
    case 'duration':
      return tried(() => parseDuration(text));
    case 'count':
      return numberIn(value, 1, 1_000_000);
    case 'turns':
      return numberIn(value, 0, 100_000_000);
    case 'percent':
      return typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined;
    case 'switch':
      if (value === true || text === 'on' || text === 'true') return true;
      return value === false || text === 'off' || text === 'false' ? false : undefined;
    case 'choice':
      return options?.find((option) => option === (value === false ? 'off' : value));
    case 'list': {
      const items: unknown = typeof value === 'string' ? [value] : value;
      const fits = (item: unknown): item is string =>
        typeof item === 'string' && item !== '' && options?.includes(item) !== false;
      return Array.isArray(items) && items.every(fits) ? items : undefined;
    }
    case 'command':
      return undefined;
  }
}

function numberIn(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    ? value
    : undefined;
}

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
  ['routing.privateFrom', 'routing.private is suggested for high sensitivity'],
  ['alerts.disks', 'the disk of the workspace is checked'],
  ['shared.largestEntry', 'it is 8 MiB'],
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
  const likely = likelyKey(key);
  throw misuse('no such setting', {
    expected: likely && `perhaps ${likely}`,
    found: key,
    next: { to: 'list them', command: 'scratchpad config list' },
  });
}

/** The setting that an unknown key most likely means: the closest spelling, or the only one that ends with this word. */
export function likelyKey(key: string): string | undefined {
  const keys = SETTINGS.map((setting) => setting.key);
  const leafOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const alike = keys.filter((name) => leafOf(name) === leafOf(key));
  return nearest(key, keys) ?? (alike.length === 1 ? alike[0] : undefined);
}

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

/** Default labels are not checked: compiling the pattern costs a command more than all other settings together. */
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

const LONGEST = 80;

/** The word most likely meant: the one with the smallest edit distance, if that is at most a third of its length. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length > LONGEST) return undefined;
  const all = words.map((each) => ({ each, distance: editDistance(typed, each.toLowerCase()) }));
  const [best] = all.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.each.length / 3)) ? best.each : undefined;
}

/** Letters to insert, leave out, replace or swap with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...ways, isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY));
    }
  }
  return at(a.length, b.length);
}
