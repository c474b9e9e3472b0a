import { join, resolve } from 'node:path';
import { exists, homeOf, PAD_FILE, readText } from '../../base/fs/index.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../../base/text/json.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';
import { openClawConfig, openClawSettings, openClawState, pluginFile } from './openclaw.ts';

const about = 'openclaw';
const INSTALL = 'scratchpad install openclaw';
const PACKAGE_LINE = /^const PACKAGE = (".*");$/m;

/** Problems that keep our plugin from working in OpenClaw; none if it is not installed. */
export const openClaw: Check = ({ workspace: { root }, env }) => {
  const plugin = join(openClawState(env), 'extensions', 'scratchpad');
  if (!exists(plugin)) return [];
  const path = openClawConfig(env);
  try {
    const config = openClawSettings(readText(path, 'host') ?? '', path);
    if (config === undefined) {
      const next = 'openclaw config get plugins.entries.scratchpad';
      return [
        warn(about, `${path} is JSON5, which only OpenClaw reads: what it grants is not checked`, next),
      ];
    }
    return [
      accessFinding(config, path) ?? ok(about, `plugin enabled in ${path}`),
      ...copyFindings(plugin),
      ...workspaceFindings(config, root, env),
    ];
  } catch (error) {
    const found = isObject(error) && 'message' in error ? String(error.message) : String(error);
    const next = 'check plugins.entries.scratchpad by hand';
    return [warn(about, `${path}: ${found}`, next)];
  }
};

function accessFinding(config: JsonObject, path: string): Finding | undefined {
  const plugins = objectAt(config, 'plugins');
  const entry = objectAt(objectAt(plugins, 'entries'), 'scratchpad');
  const hooks = objectAt(entry, 'hooks');
  if (plugins?.enabled === false || entry?.enabled !== true) {
    return fail(about, `the plugin is not enabled in ${path}`, INSTALL);
  }
  if (hooks?.allowConversationAccess !== true || hooks.allowPromptInjection === false) {
    return fail(about, `the plugin is not allowed to see the conversation: ${path}`, INSTALL);
  }
  const { allow, deny } = plugins ?? {};
  if (Array.isArray(allow) && !allow.includes('scratchpad')) {
    return fail(about, `plugins.allow in ${path} leaves it out`, 'add scratchpad to that list');
  }
  if (Array.isArray(deny) && deny.includes('scratchpad')) {
    return fail(about, `plugins.deny in ${path} names it`, 'remove scratchpad from that list');
  }
  return undefined;
}

/**
 * OpenClaw runs a copy of the plugin, which names the package whose code it runs; a newer package does not
 * change it.
 */
function copyFindings(plugin: string): Finding[] {
  const text = readText(join(plugin, 'index.js'), 'host') ?? '';
  const folder = JSON.parse(PACKAGE_LINE.exec(text)?.[1] ?? '""') as string;
  const next = `${INSTALL}, then restart the gateway`;
  if (folder !== '' && !exists(join(folder, 'package.json')))
    return [fail(about, `the plugin runs the code in ${folder}, which does not exist`, next)];
  if (text === pluginFile('index.js')) return [];
  return [warn(about, `${plugin} is a copy of another version`, next)];
}

/** The plugin uses the workspace that OpenClaw gives its agents, wherever the person's own is. */
function workspaceFindings(config: JsonObject, root: string, env: NodeJS.ProcessEnv): Finding[] {
  const agents = objectAt(config, 'agents');
  const home = homeOf(env);
  const named = [objectAt(agents, 'defaults'), ...entriesOf(agents?.list), ...entriesOf(agents?.entries)]
    .map((agent) => textAt(agent, 'workspace'))
    .filter((path) => path !== undefined)
    .map((path) => resolve(home, path.replace(/^~(?=[\\/]|$)/, home)));
  const all = named.length > 0 ? named : [join(openClawState(env), 'workspace')];
  if (all.includes(root) || all.some((path) => exists(join(path, PAD_FILE)))) return [];
  const found = `its agents work in ${all.join(', ')}, where there is no ${PAD_FILE}`;
  return [warn(about, found, `scratchpad init --workspace ${all[0]}`)];
}

function entriesOf(value: unknown): (JsonObject | undefined)[] {
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return items.map((item) => (isObject(item) ? item : undefined));
}
