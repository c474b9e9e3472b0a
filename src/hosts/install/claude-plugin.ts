import { dirname, join, relative } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { tryReadText } from '../../base/fs/index.ts';
import { findPackageFolder } from '../../base/fs/system.ts';
import { listTracked } from '../../base/git/index-file.ts';
import { getString, parseObject, toMembers } from '../../base/text/json.ts';
import { findSettingsWithHooks, listSettingsFiles, readSettings, type Scope } from './hosts.ts';
import { getValue, makeValuePart, type SettingsPart } from './json-parts.ts';
import { type Program, runProgram, type Service } from './program.ts';

/* Our plugin of Claude Code, added from this package by the host's own commands. */

/** The name of our marketplace: a person may have added the one in the package's folder by hand, under its own name. */
const MARKETPLACE = 'scratchpad-package';
const PLUGIN = `scratchpad@${MARKETPLACE}`;
export const MODS_SINCE = '2.1.287';

interface PluginPlace {
  root: string;
  env: NodeJS.ProcessEnv;
  scope: Scope;
}

/** The version of the `claude` on the PATH; `undefined` if there is none. */
export function readClaudeVersion(env: NodeJS.ProcessEnv): string | undefined {
  const output = attempt(() => runProgram(['claude', '--version'], env).toString());
  return /^\d+\.\d+\.\d+/.exec(output ?? '')?.[0];
}

export const canRunMods = (version: string): boolean =>
  version.localeCompare(MODS_SINCE, 'en', { numeric: true }) >= 0;

/** Whether the settings of this scope enable the plugin as we add it. */
export function hasOwnPlugin({ root, env, scope }: PluginPlace): boolean {
  const path = listSettingsFiles('claude-code', root, env)[scope];
  return toMembers(readSettings(path)?.enabledPlugins)[PLUGIN] === true;
}

/** @returns why the hooks are installed and not the plugin; `undefined` if the plugin can be */
export function findPluginObstacle({ root, env, scope }: PluginPlace, program: Program): string | undefined {
  const path = listSettingsFiles('claude-code', root, env)[scope];
  if (scope === 'project') return 'the plugin names a path of this machine';
  if (findSettingsWithHooks('claude-code', root, env).size > 0) return 'they are installed already';
  if (program.command !== 'scratchpad') return 'the plugin needs a program called scratchpad on the PATH';
  if (scope === 'local' && listTracked(root, [relative(root, path)]).length > 0)
    return `git tracks ${path}, and the plugin names a path of this machine`;

  const text = tryReadText(path, 'host') ?? '';
  if (text.trim() !== '' && parseObject(text) === undefined)
    return `${path} is not plain JSON, which the plugin's command needs`;

  const version = readClaudeVersion(env);
  if (version === undefined)
    return 'the plugin is added by the program claude, which is not on the PATH (node_modules/.bin does not count)';
  return canRunMods(version)
    ? undefined
    : `the plugin's mod needs Claude Code ${MODS_SINCE}, this is ${version}`;
}

/** The parts of a settings file that enable the plugin: the host's command finds them, and changes nothing that matters. */
export function listPluginParts(): SettingsPart[] {
  const source = { source: 'directory', path: join(findPackageFolder(), 'templates') };
  const isOurs = (found: unknown): boolean =>
    getString(toMembers(getValue(found, ['source'])), 'source') === 'directory';
  return [
    {
      ...makeValuePart(['extraKnownMarketplaces', MARKETPLACE], { source }, isOurs),
      about:
        'plugin      scratchpad: hooks, tools, a mod that answers prompts inside Claude Code, and its pane',
    },
    makeValuePart(['enabledPlugins', PLUGIN], true, (found) => found === true),
  ];
}

/** The host's commands that add the plugin once its settings enable it, and that remove it afterwards. */
export function buildPluginService({ root, env, scope }: PluginPlace): Service {
  const plugin = (...words: string[]): string[] => ['claude', 'plugin', ...words];
  const home = dirname(listSettingsFiles('claude-code', root, env).user);
  const uses = toMembers(readSettings(join(home, 'plugins/installed_plugins.json'))?.plugins)[PLUGIN];
  // Another project may use it.
  const isLast = !Array.isArray(uses) || uses.length <= 1;

  return {
    cwd: root,
    start: [
      plugin('marketplace', 'add', join(findPackageFolder(), 'templates'), '--scope', scope),
      plugin('install', PLUGIN, '--scope', scope),
    ],
    next: 'scratchpad install claude-code --hooks',
    end: [
      plugin('uninstall', PLUGIN, '--scope', scope),
      ...(isLast ? [plugin('marketplace', 'remove', MARKETPLACE)] : []),
    ],
  };
}
