import { attempt, type ScratchpadError, succeeds, usageError } from '../base/errors.ts';
import { parseDuration } from '../base/text/durations.ts';
import { isObject, parseJson } from '../base/text/json.ts';
import { type CommandSpec, isTitle, LONGEST_TITLE } from './command.ts';
import { type Config, SETTINGS, type Setting, type SettingValue } from './settings.ts';

/** Text that is shown to a model unchanged, such as the name of another model: words without Markdown structure. */
const LABEL_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} _'’&,.:()/@+-]{0,59}$";

interface Kind {
  expected: string;
  /** The value as `Config` has it; `undefined` if it is not of this kind. */
  read(value: unknown, options?: readonly string[]): SettingValue;
}

const makeTextReader = (isValid: (text: string) => boolean) => (value: unknown) =>
  typeof value === 'string' && isValid(value) ? value : undefined;

const makeNumberReader =
  (least: number, most: number, isValid: (value: number) => boolean = Number.isInteger) =>
  (value: unknown) =>
    typeof value === 'number' && value >= least && value <= most && isValid(value) ? value : undefined;

function readHours(value: unknown): string | undefined {
  const [, from = '', until = ''] =
    /^(\d{1,2})(?::00)?\s*[-–]\s*(\d{1,2})(?::00)?$/.exec(typeof value === 'string' ? value : '') ?? [];
  const hours = [from, until].map(Number);
  return from !== '' && hours.every((hour) => hour <= 24) ? hours.join('-') : undefined;
}

/** Making a format takes a tenth of a command, so only names that the list lacks, such as aliases, need one. */
const isTimeZone = (text: string): boolean =>
  Intl.supportedValuesOf('timeZone').includes(text) ||
  succeeds(() => new Intl.DateTimeFormat('en', { timeZone: text }));

/** YAML 1.2 reads on and off as strings, YAML 1.1 as booleans. */
const KINDS: Readonly<Record<Exclude<Setting['kind'], 'command'>, Kind>> = {
  text: { expected: 'a text', read: makeTextReader((text) => text.trim() !== '') },
  label: {
    expected: "a name of at most 60 letters, digits, spaces and _ ' ’ & , . : ( ) / @ + -",
    read: makeTextReader((text) => new RegExp(LABEL_PATTERN, 'u').test(text)),
  },
  zone: { expected: 'an IANA time zone such as Europe/Berlin', read: makeTextReader(isTimeZone) },
  hours: { expected: 'hours of the day such as 7-23 or 20-4', read: readHours },
  duration: {
    expected: 'a duration such as 90s, 30m, 2h',
    read: (value) => attempt(() => parseDuration(String(value))),
  },
  count: { expected: 'a whole number from 1 to 1,000,000', read: makeNumberReader(1, 1_000_000) },
  turns: { expected: 'a whole number from 0 (off) to 100,000,000', read: makeNumberReader(0, 100_000_000) },
  percent: { expected: 'a percentage from 0 to 100', read: makeNumberReader(0, 100, () => true) },
  choice: {
    expected: 'one of',
    read: (value, options) => options?.find((option) => option === (value === false ? 'off' : value)),
  },
  switch: {
    expected: 'on or off',
    read(value) {
      const word = String(value);
      if (word === 'on' || word === 'true') return true;
      return word === 'off' || word === 'false' ? false : undefined;
    },
  },
  list: {
    expected: 'a list of',
    read: (value, options) => {
      const items = [value].flat();
      const isValidItem = (item: unknown): item is string =>
        typeof item === 'string' && item !== '' && options?.includes(item) !== false;
      return items.every(isValidItem) ? items : undefined;
    },
  },
};

const LONGEST_TIMEOUT_MS = 60_000;
const isWord = (text: unknown): text is string => typeof text === 'string' && !text.includes('\0');

/** A command is a program, a list of a program and its arguments, or an object with these parts. */
const PARTS: Readonly<Record<string, Kind>> = {
  command: {
    expected: 'a command: the name of a program, or a path to one',
    read: makeTextReader((text) => isWord(text) && text.trim() !== ''),
  },
  args: {
    expected: 'args as a list of strings',
    read(value) {
      const texts = [value].flat().map((arg) => (typeof arg === 'number' ? String(arg) : arg));
      return texts.every(isWord) ? texts : undefined;
    },
  },
  timeout: { expected: 'a timeout such as 2s, at most 60s', read: readTimeout },
  title: {
    expected: `a title of at most ${LONGEST_TITLE} letters, digits and spaces`,
    read: (value) => makeTextReader(isTitle)(value)?.trim(),
  },
  priority: {
    expected: 'a priority from 0 (dropped first) to 100',
    read: makeNumberReader(0, 100, () => true),
  },
};

function readTimeout(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value : '';
  const exact = /^(\d{1,5})\s*ms$/.exec(text)?.[1];
  const ms = exact === undefined ? (attempt(() => parseDuration(text)) ?? 0) : Number(exact);
  return ms > 0 && ms <= LONGEST_TIMEOUT_MS ? ms : undefined;
}

/** The value in the form that `Config` has. @throws ScratchpadError `usage` with what the key accepts */
export function readValue(setting: Setting, value: unknown, key = setting.key, origin = ''): SettingValue {
  const { kind, options = ['strings'] } = setting;
  if (kind === 'command') return readCommand(key, value, origin);

  const valid = KINDS[kind].read(value, setting.options);
  if (valid !== undefined) return valid;

  const among = kind === 'choice' || kind === 'list' ? ` ${options.join(', ')}` : '';
  throw invalidValue(key, `${KINDS[kind].expected}${among}`, value);
}

function readCommand(key: string, value: unknown, origin: string): CommandSpec {
  const [first, ...rest] = [value].flat() as unknown[];
  const input = typeof value === 'string' || Array.isArray(value) ? { command: first, args: rest } : value;
  if (!isObject(input)) throw invalidValue(key, 'a program, or {command, args, timeout}', value);

  const parts: Record<string, SettingValue> = {};
  for (const [name, part] of Object.entries({ command: undefined, ...input })) {
    const kind = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (kind === undefined) throw invalidValue(key, `only ${Object.keys(PARTS).join(', ')}`, name);

    parts[name] = kind.read(part);
    if (parts[name] === undefined) throw invalidValue(key, kind.expected, part);
  }

  const {
    command = '',
    timeout: timeoutMs,
    ...others
  } = parts as Partial<CommandSpec> & { timeout?: number };
  if (/\s/.test(command) && !command.includes('/'))
    throw invalidValue(key, 'only a program; its arguments go into args', command);

  return { args: [], ...others, key, id: key.slice(key.lastIndexOf('.') + 1), command, origin, timeoutMs };
}

const invalidValue = (key: string, expected: string, value: unknown): ScratchpadError =>
  usageError(`${key} is not valid`, {
    where: key,
    expected,
    found: typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'),
  });

export type SettingInput = string | number | string[] | Record<string, unknown>;

/** A value from the command line in the type that it has in YAML; a command with parts is JSON. */
export function parseArgument(setting: Setting, text: string, key = setting.key): SettingInput {
  if (setting.kind === 'count' || setting.kind === 'turns' || setting.kind === 'percent')
    return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;

  const parsed = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (setting.kind === 'list' && Array.isArray(parsed)) return parsed;
  if (setting.kind === 'list')
    return stripBrackets(text)
      .split(',')
      .flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));

  if (setting.kind !== 'command' || !/^\s*[{[]/.test(text)) return text;

  if (parsed !== undefined) return parsed as SettingInput;

  throw invalidValue(
    key,
    'a program, or JSON such as ["date", "+%A"] or {"command": "date", "args": ["+%A"]}',
    text,
  );
}

/** `[a, "b"]`, as YAML writes a list, is `a, b`. */
function stripBrackets(text: string): string {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  return inner?.replace(/(^|,)\s*(["'])(.*?)\2\s*(?=,|$)/g, '$1$3') ?? text;
}

/** The name of a setting without the prefix that a design gives it: `scratchpad.nudgeAfterTurns`. */
export function toCanonicalKey(key: string): string {
  const bare = key.replace(/^scratchpad\./, '');
  return SETTINGS.some((setting) => setting.key === bare) ? bare : key;
}

const NAME = /^[A-Za-z][\w-]{0,39}$/;

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
export function requireSetting(key: string): Setting {
  const setting = findSetting(key);
  if (setting) return setting;

  const likely = guessKey(key);
  throw usageError('no such setting', {
    expected: likely && `perhaps ${likely}`,
    found: key,
    next: { to: 'list them', command: 'scratchpad config list' },
  });
}

/** Settings ending in this key, else the nearest spelling. */
export function guessKey(key: string): string | undefined {
  const keys = SETTINGS.map((setting) => setting.key);
  const ending = keys.filter((each) => each.endsWith(`.${key}`));
  return ending.length > 0 ? ending.join(' or ') : findNearest(key, keys);
}

export const hasCommandKey = (keys: Iterable<string>): boolean =>
  [...keys].some((key) => findSetting(key)?.kind === 'command');

export function buildConfig(values: ReadonlyMap<string, SettingValue>): Config {
  const root: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    if (setting.into !== undefined) {
      const all = [...values].filter(([key]) => findSetting(key) === setting).map(([, value]) => value);
      put(root, setting.into, all);
      continue;
    }

    put(root, setting.key, values.has(setting.key) ? values.get(setting.key) : getDefault(setting));
  }

  return root as unknown as Config;
}

/** Default labels are not checked: compiling the pattern costs a command more than all other settings together. */
function getDefault({ kind, options, default: value }: Setting): SettingValue {
  if (value === undefined || kind === 'label' || kind === 'command') return value;
  return KINDS[kind].read(value, options);
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
export function findNearest(word: string, words: readonly string[], most?: number): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length > LONGEST) return undefined;
  const all = words.map((each) => ({ each, distance: editDistance(typed, each.toLowerCase()) }));
  const [best] = all.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= (most ?? Math.max(1, Math.floor(best.each.length / 3)))
    ? best.each
    : undefined;
}

/** Letters to insert, leave out, replace or swap with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [above, row]: number[][] = [[], [...b, ''].map((_, j) => j)];
  for (const [i, letter] of [...a].entries()) {
    const twoAbove = above ?? [];
    above = row ?? [];
    row = [i + 1];

    for (const [j, other] of [...b].entries()) {
      const ways = [(above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, (above[j] ?? 0) + Number(letter !== other)];
      if (letter === b[j - 1] && a[i - 1] === other) ways.push((twoAbove[j - 1] ?? 0) + 1);
      row.push(Math.min(...ways));
    }
  }

  return row?.at(-1) ?? 0;
}
