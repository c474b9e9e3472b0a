import { ScratchpadError } from '../errors.ts';
import type { Config, Setting, SettingValue } from './config.ts';
import { nearest } from './nearest.ts';
import { SETTINGS } from './settings.ts';
import { readValue } from './values.ts';

/** What a setting for any names can be called. */
export const NAME_PATTERN = '^[A-Za-z][\\w-]{0,39}$';

/** The setting of this name, or the one for any names in its place; `undefined` when there is none. */
export function findSetting(key: string): Setting | undefined {
  const dot = key.lastIndexOf('.') + 1;
  const [parent, name] = [key.slice(0, dot), key.slice(dot)];
  return SETTINGS.find(
    (setting) =>
      setting.key === key ||
      (setting.key === `${parent}<id>` &&
        new RegExp(NAME_PATTERN).test(name) &&
        !setting.taken?.includes(name)),
  );
}

/** @throws ScratchpadError `usage` with the setting that was most likely meant */
export function settingFor(key: string): Setting {
  const setting = findSetting(key);
  if (setting) return setting;
  const likely = likelyKey(key);
  throw new ScratchpadError('usage', 'no such setting', {
    ...(likely !== undefined && { expected: `perhaps ${likely}` }),
    found: key,
    next: 'list them with: scratchpad config list',
  });
}

/** The setting that was meant by a name that is none: the nearest in letters, or the only one that ends or is shortened so. */
export function likelyKey(key: string): string | undefined {
  const keys = SETTINGS.map((setting) => setting.key);
  const near = nearest(key, keys);
  if (near !== undefined) return near;
  const leafOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const alike = keys.filter((name) => leafOf(name) === leafOf(key) || shortens(leafOf(key), leafOf(name)));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Whether a word has the first letter of another and then some of its letters in their order, as `tz` of `timezone`. */
function shortens(short: string, word: string): boolean {
  let at = 0;
  for (const letter of short) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return short[0] === word[0];
}

/** Whether any of these settings names a command. */
export function namesCommand(keys: Iterable<string>): boolean {
  return [...keys].some((key) => findSetting(key)?.kind === 'command');
}

/** Builds a `Config` from checked values by key; what is missing has its default. */
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

/** A name of ours is not checked: the pattern of names costs every command more than the rest of its settings. */
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
