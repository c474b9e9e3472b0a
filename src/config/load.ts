import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { DATA_DIR, tryStat } from '../base/fs/index.ts';
import { cachePath, readCache, writeCache } from '../base/fs/own.ts';
import { membersOf } from '../base/text/json.ts';
import { provenanceOf } from '../base/trust/index.ts';
import { shortDuration } from '../pad/freshness.ts';
import { SECTIONS } from '../pad/sections.ts';
import type { Config, SettingValue } from './settings.ts';
import { buildConfig, findSetting } from './values.ts';

const CACHE_VERSION = 9;
/** Upper limits, in milliseconds, for what a workspace's own file may set: it may have come with a clone. */
const MOST = new Map([
  ['ttl', 24 * 3_600_000],
  ['hook.deadline', 10_000],
]);

interface LoadedConfig {
  config: Config;
  /** Problems in the files, one line each; the settings concerned keep their default. */
  problems: readonly string[];
  /** Settings of earlier versions, one line each. */
  retired: readonly string[];
  /** Keys that are set, with the file that sets each. */
  sources: ReadonlyMap<string, string>;
}

interface Cached {
  values: [string, SettingValue][];
  problems: string[];
  retired: string[];
  sources: [string, string][];
}

const SETTINGS_FILE = `${DATA_DIR}/config.yaml`;

/** The config files in order of precedence, lowest first. */
export function configFiles(
  root: string,
  env: NodeJS.ProcessEnv,
): { user: string | undefined; workspace: string } {
  const home = env.HOME || env.USERPROFILE;
  const base = env.XDG_CONFIG_HOME || (home ? join(home, '.config') : undefined);
  return {
    user: base === undefined ? undefined : join(base, 'scratchpad', 'config.yaml'),
    workspace: join(root, SETTINGS_FILE),
  };
}

/**
 * The configuration in force. Never throws, because a broken file must not cost an agent its memory; errors
 * are in `problems`. The parsed form is cached with the workspace's data, since loading a YAML parser would
 * add a third to the time of every command.
 */
export async function loadConfig(root: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const { user, workspace } = configFiles(root, env);
  const untrusted = markOf(workspace) !== '' && provenanceOf(root, env).settings === 'untrusted';
  const files = [user, untrusted ? undefined : workspace].filter((file) => file !== undefined);
  const problems = untrusted ? [`${workspace}: not used until you have run: scratchpad trust`] : [];
  const marks = files.map((file) => markOf(file));
  if (marks.every((mark) => mark === ''))
    return { config: buildConfig(new Map()), problems, retired: [], sources: new Map() };

  const key = files.map((file, k) => `${file}:${marks[k]}`).join('|');
  const cacheFile = cachePath(root, 'config.json');
  const cached = cachedFor(readCache(cacheFile), key);
  if (cached) {
    return {
      config: buildConfig(new Map(cached.values)),
      problems: [...problems, ...cached.problems],
      retired: cached.retired,
      sources: new Map(cached.sources),
    };
  }
  const { readConfigFile } = await import('./file.ts');
  const values = new Map<string, SettingValue>();
  const sources = new Map<string, string>();
  const found: string[] = [];
  const retired: string[] = [];
  for (const file of files) {
    const read = readConfigFile(file);
    found.push(...read.problems);
    retired.push(...read.retired);
    for (const [name, value] of read.values) {
      const allowed = file === workspace ? allowedHere(name, value, root) : { value };
      if (allowed.refused !== undefined)
        found.push(
          `${file}: ${allowed.refused} is only taken from your own file: ${user ?? 'no home directory'}`,
        );
      if (allowed.value === undefined) continue;
      values.set(name, allowed.value);
      sources.set(name, file);
    }
  }
  const off = values.get('stages.off');
  if (Array.isArray(off)) {
    // The sections of the block: built-in ones, and those that `stages.<id>` adds.
    const own = [...values.keys()].filter((each) => each.startsWith('stages.') && each !== 'stages.off');
    const all = [...SECTIONS.map(({ id }): string => id), ...own.map((each) => each.slice('stages.'.length))];
    const names = off as readonly string[];
    const known = names.filter((name) => all.includes(name));
    const strange = names.filter((name) => !all.includes(name));
    if (strange.length > 0)
      found.push(
        `${sources.get('stages.off')}: stages.off: no section is called ${strange.join(', ')}; expected ${all.join(', ')}`,
      );
    values.set('stages.off', known);
  }
  const kept = { values: [...values], problems: found, retired, sources: [...sources] };
  writeCache(cacheFile, { version: CACHE_VERSION, key, ...kept });
  return { config: buildConfig(values), problems: [...problems, ...found], retired, sources };
}

/** The value of a setting that a workspace's file may set, and what of it only the user's own config may. */
function allowedHere(
  name: string,
  value: SettingValue,
  root: string,
): { value?: SettingValue; refused?: string } {
  const own = findSetting(name)?.own;
  if (own === true) return { refused: name };
  const most = MOST.get(name);
  if (most !== undefined && typeof value === 'number' && value > most)
    return { value: most, refused: `${name}: more than ${shortDuration(most)}` };
  if (own !== 'outside' || !Array.isArray(value)) return { value };
  const paths = value as readonly string[];
  const inside = paths.filter((path) => !liesOutside(root, path));
  if (inside.length === paths.length) return { value };
  const outside = paths.filter((path) => liesOutside(root, path)).join(', ');
  return {
    value: inside.length === 0 ? undefined : inside,
    refused: `${name}: ${outside}, outside the workspace,`,
  };
}

/** A fingerprint that changes with the file; empty if there is none. */
function markOf(file: string): string {
  const stats = tryStat(file);
  return stats === undefined ? '' : `${stats.size}-${stats.mtimeMs}-${stats.ctimeMs}-${stats.ino}`;
}

function cachedFor(found: unknown, key: string): Cached | undefined {
  const { version, key: of, ...cached } = membersOf(found);
  return version === CACHE_VERSION && of === key ? (cached as unknown as Cached) : undefined;
}

/** Whether a configured path leads out of a workspace by its spelling. Links are checked when the file is opened. */
export function liesOutside(root: string, path: string): boolean {
  if (path.startsWith('~')) return true;
  const way = relative(resolve(root), resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** Whether a shared store is set. Nothing else of it is loaded before this is true. */
export function storeIsSet({ store }: Pick<Config, 'store'>, env: NodeJS.ProcessEnv): boolean {
  return store !== undefined || Boolean(env.SCRATCHPAD_STORE);
}
