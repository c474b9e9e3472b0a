import { join, resolve } from 'node:path';
import { exists, homeOf, PAD_FILE, readText } from '../../base/fs/index.ts';
import { isObject, type JsonObject, membersOf, objectAt, textAt } from '../../base/text/json.ts';
import { type Examined, type Finding, fail, ok, warn } from './doctor.ts';
import { openClawConfig, openClawSettings, openClawState, pluginFile } from './openclaw.ts';

const PACKAGE_LINE = /^const PACKAGE = (".*");$/m;

/** Problems that keep our plugin from working in OpenClaw; none if it is not installed. */
export function openClaw({ workspace: { root }, env }: Examined): Finding[] {
  const about = 'openclaw';
  const install = 'scratchpad install openclaw';
  const plugin = join(openClawState(env), 'extensions', 'scratchpad');
  if (!exists(plugin)) return [];
  const path = openClawConfig(env);
  const config = openClawSettings(readText(path, 'host') ?? '', path);
  if (config === undefined) {
    const found = `${path} is JSON5, which only OpenClaw reads: what it grants is not checked`;
    return [warn(about, found, 'openclaw config get plugins.entries.scratchpad')];
  }
  const plugins = objectAt(config, 'plugins');
  const entry = objectAt(objectAt(plugins, 'entries'), 'scratchpad');
  const { allowConversationAccess, allowPromptInjection } = objectAt(entry, 'hooks') ?? {};
  const { allow, deny } = plugins ?? {};
  const problems: [holds: boolean, found: string, next: string][] = [
    [plugins?.enabled === false || entry?.enabled !== true, `the plugin is not enabled in ${path}`, install],
    [
      allowConversationAccess !== true || allowPromptInjection === false,
      `the plugin is not allowed to see the conversation: ${path}`,
      install,
    ],
    [
      Array.isArray(allow) && !allow.includes('scratchpad'),
      `plugins.allow in ${path} leaves it out`,
      'add scratchpad to that list',
    ],
    [
      Array.isArray(deny) && deny.includes('scratchpad'),
      `plugins.deny in ${path} names it`,
      'remove scratchpad from that list',
    ],
  ];
  const [, found, next] = problems.find(([holds]) => holds) ?? [];
  return [
    found === undefined ? ok(about, `plugin enabled in ${path}`) : fail(about, found, next),
    ...openClawCopy(plugin, `${install}, then restart the gateway`),
    ...openClawWorkspace(config, root, env),
  ];
}

/** OpenClaw runs a copy of the plugin, which names the package whose code it runs. */
function openClawCopy(plugin: string, next: string): Finding[] {
  const text = readText(join(plugin, 'index.js'), 'host') ?? '';
  const folder = JSON.parse(PACKAGE_LINE.exec(text)?.[1] ?? '""') as string;
  if (folder !== '' && !exists(join(folder, 'package.json')))
    return [fail('openclaw', `the plugin runs the code in ${folder}, which does not exist`, next)];
  return text === pluginFile('index.js')
    ? []
    : [warn('openclaw', `${plugin} is a copy of another version`, next)];
}

/** The plugin uses the workspace that OpenClaw gives its agents, wherever the person's own is. */
function openClawWorkspace(config: JsonObject, root: string, env: NodeJS.ProcessEnv): Finding[] {
  const { defaults, list, entries } = objectAt(config, 'agents') ?? {};
  const home = homeOf(env);
  const agents = [defaults, list, entries].flatMap((value) =>
    value === defaults ? [value] : Object.values(isObject(value) || Array.isArray(value) ? value : {}),
  );
  const named = agents
    .flatMap((agent) => textAt(membersOf(agent), 'workspace') ?? [])
    .map((path) => resolve(home, path.replace(/^~(?=[\\/]|$)/, home)));
  const all = named.length > 0 ? named : [join(openClawState(env), 'workspace')];
  if (all.includes(root) || all.some((path) => exists(join(path, PAD_FILE)))) return [];
  const found = `its agents work in ${all.join(', ')}, where there is no ${PAD_FILE}`;
  return [warn('openclaw', found, `scratchpad init --workspace ${all[0]}`)];
}
