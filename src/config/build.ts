import { misuse } from '../base/errors.ts';
import type { Config, Setting, SettingValue } from './config.ts';
import { nearest } from './nearest.ts';
import { SETTINGS } from './settings.ts';
import { readValue } from './values.ts';

/** A name that users may choose where a setting key ends in `<id>`. */
const NAME = /^[A-Za-z][\w-]{0,39}$/;

/** Settings of earlier versions, with what to do instead: they are named once and ignored. */
export const RETIRED: ReadonlyMap<string, string> = new Map([['hook.refresh', 'set ttl instead']]);

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
