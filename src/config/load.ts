import { join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { configFolder, DATA_DIR, exists, isInside, readText } from '../base/fs/index.ts';
import { DAY_MS, formatShortDuration } from '../base/text/durations.ts';
import { judgeProvenance } from '../base/trust/index.ts';
import type { ConfigFile, readConfigFile } from './file.ts';
import type { Config, SettingValue } from './settings.ts';
import { buildConfig, findSetting, readValue, toCanonicalKey } from './values.ts';

/** Limits in milliseconds for what a workspace's own file may set: it may have come with a clone. */
const LONGEST = new Map([
  ['ttl', DAY_MS],
  ['hook.deadline', 10_000],
]);

export interface LoadedConfig {
  config: Config;
  /** One line each; the settings concerned keep their default. */
  problems: readonly string[];
  /** Keys that are set, with the file that sets each. */
  sources: ReadonlyMap<string, string>;
}

const EMPTY_FILE: ConfigFile = { values: new Map(), problems: [] };

/** The config files in order of precedence, lowest first. */
export function listConfigFiles(
  root: string,
  env: NodeJS.ProcessEnv,
): { user: string | undefined; workspace: string } {
  const own = configFolder(env);
  return { user: own && join(own, 'config.yaml'), workspace: join(root, DATA_DIR, 'config.yaml') };
}

/** The configuration in force. Never throws, because a broken file must not cost an agent its memory. */
export async function loadConfig(root: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const { user, workspace } = listConfigFiles(root, env);
  const files = [user, workspace].filter((file) => file !== undefined && exists(file)) as string[];
  const plain = new Map(files.map((file) => [file, readPlainConfig(file)]));
  const isPlain = [...plain.values()].every((read) => read !== undefined);
  // Loaded for other files only: the YAML parser is large.
  const parseFile = isPlain ? undefined : (await import('./file.ts')).readConfigFile;

  return composeConfig(root, env, (file) => plain.get(file) ?? parseFile?.(file) ?? EMPTY_FILE);
}

/** The configuration from both files, read by `readFile`; the workspace's own overrides the user's. */
export function composeConfig(
  root: string,
  env: NodeJS.ProcessEnv,
  readFile: typeof readConfigFile,
): LoadedConfig {
  const { user, workspace } = listConfigFiles(root, env);
  const untrusted = exists(workspace) && judgeProvenance(root, env).settings === 'untrusted';
  const problems = untrusted ? [`${workspace}: not used until you have run: scratchpad trust`] : [];
  const values = new Map<string, SettingValue>();
  const sources = new Map<string, string>();

  for (const file of [user, untrusted ? undefined : workspace]) {
    if (file === undefined || !exists(file)) continue;

    const settings = readFile(file);
    problems.push(...settings.problems);

    for (const [name, written] of settings.values) {
      const { value, refused }: AllowedSetting =
        file === workspace ? filterWorkspaceSetting(name, written, root) : { value: written };
      if (refused !== undefined)
        problems.push(`${file}: ${refused} is only taken from your own file: ${user ?? 'no home directory'}`);
      if (value === undefined) continue;

      values.set(name, value);
      sources.set(name, file);
    }
  }

  return { config: buildConfig(values), problems, sources };
}

/** What a workspace's file may set of a setting, and what only the user's own file may. */
interface AllowedSetting {
  value?: SettingValue;
  refused?: string;
}

export function filterWorkspaceSetting(name: string, value: SettingValue, root: string): AllowedSetting {
  const own = findSetting(name)?.own;
  if (own === true) return { refused: name };

  const longest = LONGEST.get(name);
  if (longest !== undefined && typeof value === 'number' && value > longest)
    return { value: longest, refused: `${name}: more than ${formatShortDuration(longest)}` };
  if (own !== 'outside' || !Array.isArray(value)) return { value };

  const outside = (value as readonly string[]).filter((path) => isOutside(root, path)).join(', ');

  return outside === '' ? { value } : { refused: `${name}: ${outside}, outside the workspace,` };
}

/** Whether a configured path leads out of a workspace by its spelling. Links are checked when the file is opened. */
export const isOutside = (root: string, path: string): boolean =>
  path.startsWith('~') || !isInside(resolve(root), resolve(root, path));

/** Whether a shared store is set. Nothing else of it is loaded before this is true. */
export const isStoreSet = ({ store }: Pick<Config, 'store'>, env: NodeJS.ProcessEnv): boolean =>
  store !== undefined || Boolean(env.SCRATCHPAD_STORE);

/** `key: value`, indented or not; without a value a key of a group. */
const LINE = /^( {2})?([A-Za-z][\w.]{0,80}):(?: (\S.*))?$/;
/** A text that is the same in every version of YAML, where `on`, `1e3` and `1:30` are not. */
const WORD = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w/-]*$|^\d+[smhd]$/i;
const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;

/** Reads `key: value` lines alone, since loading the YAML parser takes a tenth of a command; `undefined` for all else. */
export function readPlainConfig(path: string): ConfigFile | undefined {
  const text = attempt(() => readText(path, 'config'));
  if (text === undefined) return undefined;

  const values = new Map<string, SettingValue>();
  const groups = new Set<string>();
  let group: string | undefined;

  for (const line of text.split('\n').filter((each) => !/^ *(?:#[\t -~]*)?$/.test(each))) {
    const [, indent, key = '', written] = LINE.exec(line) ?? [];
    if (key === '' || (indent !== undefined && group === undefined)) return undefined;
    if (indent === undefined) group = written === undefined ? key : undefined;

    const name = toCanonicalKey(indent === undefined ? key : `${group}.${key}`);
    const setting = findSetting(name);

    if (indent === undefined && written === undefined) {
      if (setting !== undefined || groups.has(key)) return undefined;
      groups.add(key);
      continue;
    }

    const plain = written === undefined ? undefined : parsePlain(written);
    const value = setting && plain && attempt(() => readValue(setting, plain, name, path));
    if (value === undefined || values.has(name)) return undefined;
    values.set(name, value);
  }

  // A group without lines has no value, which the parser judges.
  const isEmpty = (each: string): boolean => ![...values.keys()].some((name) => name.startsWith(`${each}.`));
  return [...groups].some(isEmpty) ? undefined : { values, problems: [] };
}

function parsePlain(written: string): string | number | string[] | undefined {
  if (WHOLE_NUMBER.test(written)) return Number(written);
  if (WORD.test(written)) return written;

  const items = /^\[(.+)\]$/.exec(written)?.[1]?.split(', ');
  return items?.every((item) => WORD.test(item)) ? items : undefined;
}
