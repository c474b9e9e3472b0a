import { dirname, join } from 'node:path';
import { refusal, usageError } from '../../base/errors.ts';
import { list, readText } from '../../base/fs/index.ts';
import { findPackageFolder } from '../../base/fs/system.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { editConfig } from '../../config/file.ts';
import { listConfigFiles } from '../../config/load.ts';
import { GUIDANCE } from '../../core/guidance.ts';
import { isInstalled, isUnwritten, makeMarkedBlock, makeOwnFile, type Target } from './change.ts';
import { buildPluginService, findPluginObstacle, hasOwnPlugin, listPluginParts } from './claude-plugin.ts';
import { buildCron } from './crontab.ts';
import { makeHookCheck, makeServerPart, SERVER, SERVER_PART, wrapServer } from './hook-command.ts';
import {
  ALLOWED,
  buildHooks,
  findOpenClawConfig,
  findOpenClawPlugin,
  findPlugin,
  getClaudeProject,
  getClaudeStateFile,
  HOSTS,
  type HookedHost,
  type Host,
  isHooked,
  isOurPlugin,
  isPlugged,
  listClaudePermissions,
  listHooksOff,
  listSettingsFiles,
  type PluggedHost,
  renderCodexRules,
} from './hosts.ts';
import { makeHooksPart, makeListPart, makeSettingsTarget, type SettingsPart } from './json-parts.ts';
import { makeOpenClawEntry } from './openclaw-entry.ts';
import { makeCodexTable } from './toml.ts';
import type { Installation, InstallContext } from './types.ts';

export const INSTALLABLE = [...HOSTS, 'agents-md', 'cron'] as const;

const INSTALLATIONS: Readonly<Record<string, (context: InstallContext) => Installation>> = {
  'claude-code': buildClaudeCode,
  codex: buildCodex,
  copilot: buildCopilot,
  openclaw: buildOpenClaw,
  'agents-md': buildAgentsMd,
  cron: buildCron,
};

/** @throws ScratchpadError `usage` for an unknown name, or a scope that it does not have */
export function buildInstallation(name: string, context: InstallContext): Installation {
  const build = INSTALLATIONS[name];
  if (build !== undefined) return build(context);
  if (isPlugged(name)) return buildPlugged(name, context);
  if (isHooked(name)) return buildHooked(name, context);

  throw usageError('unknown installation target', { expected: INSTALLABLE.join(', '), found: name });
}

/** A file of the workspace may not lead out of it; a person's own is often a link into a dotfiles repository. */
const getBounds = ({ root, scope }: InstallContext): Pick<Target, 'within'> =>
  scope === 'user' ? {} : { within: root };

/*
 * Hosts report a missing server to the model and the person. So settings for everybody have only hooks that are commands,
 * and each person adds the server.
 */

/** The plugin, or hooks and server, or only the permissions beside a plugin that the person has added. */
function buildClaudeCode(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const files = listSettingsFiles('claude-code', root, env);
  const plugin = findPlugin('claude-code', root, env);
  const isPluginOurs = hasOwnPlugin(context);
  if (isPluginOurs && context.hooks)
    throw refusal('the plugin, which includes the hooks, is installed', {
      next: { command: `scratchpad uninstall claude-code --scope ${scope}` },
    });

  const isPluginWanted = plugin === undefined && context.hooks === false;
  const obstacle = isPluginWanted ? findPluginObstacle(context, program) : undefined;
  const addsPlugin = isPluginOurs || (isPluginWanted && obstacle === undefined);
  const tools = addsPlugin || plugin ? `mcp__plugin_${SERVER}_${SERVER}` : `mcp__${SERVER}`;
  const permissions = makeListPart(['permissions', 'allow'], listClaudePermissions(tools));
  const makeSettings = (path: string, parts: SettingsPart[]): Target =>
    makeSettingsTarget(path, [...parts, { ...permissions, about: ALLOWED }], getBounds(context));

  if (addsPlugin)
    return {
      targets: [makeSettings(files[scope], listPluginParts())],
      notes: [RESTART],
      service: buildPluginService(context),
    };
  if (plugin !== undefined)
    return { targets: [makeSettings(files[scope], [])], notes: [describePlugin(plugin)] };

  return buildClaudeHooks(context, makeSettings, obstacle);
}

/** @param obstacle why the plugin is not installed instead, if it was wanted */
function buildClaudeHooks(
  context: InstallContext,
  makeSettings: (path: string, parts: SettingsPart[]) => Target,
  obstacle: string | undefined,
): Installation {
  const { root, env, scope, program } = context;
  const files = listSettingsFiles('claude-code', root, env);
  const isShared = scope === 'project';
  // Copilot and VS Code read these files, too, and run none of the hooks of one that has a hook for a server.
  const groups = buildHooks('claude-code', program, undefined, !isShared);
  const hooks = makeHooksPart(groups, makeHookCheck('claude-code'));
  // The MCP server is registered in the person's own file.
  const serverPlace = scope === 'user' ? [] : ['projects', getClaudeProject(root)];
  const server = makeServerPart(serverPlace, { type: 'stdio', ...wrapServer(program) }, true);
  const withoutHooks = scope === 'local' && isInstalled(makeSettings(files.project, [hooks]));

  return {
    targets: [
      ...(withoutHooks ? [] : [makeSettings(files[scope], [hooks])]),
      ...(isShared ? [] : [makeSettingsTarget(getClaudeStateFile(env), [server], { rewritten: true })]),
    ],
    withoutHooks,
    notes: [
      RESTART,
      ...(obstacle === undefined ? [] : [`These are hooks, without a pane: ${obstacle}.`]),
      'To see the plan in its status line, ask it: /statusline run `scratchpad line`',
      ...describeHooksOff('claude-code', context),
      ...(isShared ? ['The MCP server is each person’s own: scratchpad install claude-code adds it.'] : []),
    ],
  };
}

const describeHooksOff = (host: Host, { root, env }: InstallContext): string[] =>
  listHooksOff(host, root, env).map((off) => `No hook runs: ${off}.`);

const RESTART = 'Claude Code reads its settings when it starts: restart one that is running.';
const describePlugin = (plugin: string): string => `The ${plugin} includes the hooks.`;

const CODEX_MARKERS = { open: '# scratchpad install codex', close: '# end of scratchpad install codex' };
/** Variables that locate things: Codex passes a server only those that its settings name. */
const SERVER_VARIABLES = [
  ...['CODEX_HOME', 'SCRATCHPAD_SESSION', 'SCRATCHPAD_STORE', 'SCRATCHPAD_WORKSPACE'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
];

function buildCodex(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const hooks = listSettingsFiles('codex', root, env)[scope];
  const bounds = getBounds(context);
  const isShared = scope === 'project';
  const groups = buildHooks('codex', program, isShared ? undefined : SERVER);
  const wrapped = wrapServer(program);
  const server = [
    '[mcp_servers.scratchpad]',
    `command = ${JSON.stringify(wrapped.command)}`,
    `args = ${JSON.stringify(wrapped.args)}`,
    'default_tools_approval_mode = "approve"',
    `env_vars = ${JSON.stringify(SERVER_VARIABLES)}`,
    '',
  ].join('\n');
  const config = join(dirname(hooks), 'config.toml');
  return {
    targets: [
      makeSettingsTarget(hooks, [makeHooksPart(groups, makeHookCheck('codex'))], bounds),
      ...(isShared
        ? []
        : [
            {
              ...makeCodexTable(makeMarkedBlock(config, CODEX_MARKERS, server)),
              ...bounds,
              about: SERVER_PART,
            },
          ]),
      {
        ...makeOwnFile(join(dirname(hooks), 'rules', 'scratchpad.rules'), renderCodexRules),
        ...bounds,
        about: ALLOWED,
      },
    ],
    notes: [
      ...describeHooksOff('codex', context),
      'Codex runs a new or changed hook only once you have trusted it: it asks at its next start, or type /hooks.',
      ...(isShared ? ['Each person’s own: codex mcp add scratchpad -- scratchpad mcp'] : []),
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}

function buildHooked(host: HookedHost, context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const path = listSettingsFiles(host, root, env)[scope];
  const plugin = findPlugin(host, root, env);
  const addServer = MCP_ADD[host];
  const isShared = scope === 'project';
  const parts: SettingsPart[] =
    plugin === undefined ? [makeHooksPart(buildHooks(host, program), makeHookCheck(host))] : [];

  if (addServer !== undefined && !isShared)
    parts.push(makeServerPart([], { command: program.command, args: [...program.args, 'mcp'], trust: true }));

  return {
    targets: [makeSettingsTarget(path, parts, getBounds(context))],
    notes: [
      ...(plugin === undefined ? [] : [describePlugin(plugin)]),
      ...describeHooksOff(host, context),
      ...(addServer !== undefined && isShared
        ? [`Each person’s own: ${addServer} --scope user scratchpad scratchpad mcp`]
        : []),
    ],
  };
}

const MCP_ADD: Readonly<Partial<Record<HookedHost, string>>> = {
  'gemini-cli': 'gemini mcp add',
  'qwen-code': 'qwen mcp add',
};

/** A file of its own among the hooks of a project, or of a person. VS Code reads it, too. */
function buildCopilot(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const hooks: Record<string, JsonObject[]> = {};
  for (const [event, group] of buildHooks('copilot', program)) {
    const [hook] = group.hooks;
    hooks[event] = [{ type: 'command', bash: hook?.command, timeoutSec: hook?.timeout }];
  }

  const text = `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
  const about = `hooks       what the model is told, at ${Object.keys(hooks).join(', ')}`;
  return {
    targets: [
      {
        ...makeOwnFile(listSettingsFiles('copilot', root, env)[scope], () => text),
        ...getBounds(context),
        about,
      },
    ],
    notes: ['Copilot reads its hooks when a session starts.'],
  };
}

const PLUGIN_TEMPLATES: Readonly<Record<PluggedHost, string>> = {
  opencode: 'opencode-plugin',
  kilo: 'opencode-plugin',
  pi: 'pi-extension',
};

function buildPlugged(host: PluggedHost, context: InstallContext): Installation {
  const { root, env, scope } = context;
  const template = readText(
    join(findPackageFolder(), 'templates', PLUGIN_TEMPLATES[host], 'scratchpad.js'),
    'package',
  );
  const text = fillInPackage(template ?? '').replace("const HOST = 'opencode';", `const HOST = '${host}';`);
  const path = listSettingsFiles(host, root, env)[scope];
  const plugin: Target = {
    path,
    about: 'plugin      what the model is told with each prompt; long outputs of tools',
    ...getBounds(context),
    add(found) {
      if (found === undefined || isUnwritten(found) || isOurPlugin(found)) return text;
      throw refusal('the file is not ours: nothing was changed', { where: path, next: 'rename it' });
    },
    remove: (found) => (isOurPlugin(found) ? undefined : found),
  };
  return { targets: [plugin], notes: [`Start ${host} again: it loads plugins when it starts.`] };
}

const fillInPackage = (template: string): string =>
  template.replace("const PACKAGE = '';", () => `const PACKAGE = ${JSON.stringify(findPackageFolder())};`);

function buildOpenClaw(context: InstallContext): Installation {
  const { env } = context;
  const [dir, config] = [findOpenClawPlugin(env), findOpenClawConfig(env)];
  const template = join(findPackageFolder(), 'templates/openclaw-plugin/');
  const readTemplate = (name: string): string =>
    fillInPackage(readText(join(template, name), 'package') ?? '');
  return {
    targets: [
      makeOpenClawEntry(config),
      ...list(template).map((name) => makeOwnFile(join(dir, name), () => readTemplate(name))),
    ],
    notes: [
      ...describeHooksOff('openclaw', context),
      'Restart the gateway so that OpenClaw loads the plugin.',
    ],
  };
}

const GUIDANCE_MARKERS = { open: '<!-- scratchpad:guidance -->', close: '<!-- /scratchpad:guidance -->' };

/** At the end of a person's file; and `state.write: prompt` in the workspace's config, unless it is set already. */
function buildAgentsMd({ root, file = 'AGENTS.md' }: InstallContext): Installation {
  const path = join(root, file);
  const about = 'guidance    what the scratchpad is and how it is used';
  const state: Target = {
    about: 'settings    state.write: prompt, because here the agent reads SCRATCHPAD.md itself',
    path: listConfigFiles(root, {}).workspace,
    within: root,
    add: (text = '') =>
      /^state\.write:|^\s+write:/m.test(text) ? text : editConfig(text, 'state.write', 'prompt'),
    remove(text) {
      const rest = editConfig(text, 'state.write', undefined);
      return /^\s*(?:\{\}|state: \{\})?\s*$/.test(rest) ? undefined : rest;
    },
  };
  return {
    targets: [
      { ...makeMarkedBlock(path, GUIDANCE_MARKERS, `${GUIDANCE.trimEnd()}\n`), within: root, about },
      state,
    ],
    notes: [],
  };
}
