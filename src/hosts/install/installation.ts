import { dirname, join } from 'node:path';
import { failed, misuse, refused } from '../../base/errors.ts';
import { list, readText } from '../../base/fs/index.ts';
import { packageFolder } from '../../base/fs/system.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { editConfig } from '../../config/file.ts';
import { configFiles } from '../../config/load.ts';
import { GUIDANCE } from '../../core/guidance.ts';
import { isInstalled, isUnwritten, markedBlock, ownFile, type Target } from './change.ts';
import { isHookOf, keptServer, SERVER, SERVER_PART, serverPart } from './hook-command.ts';
import {
  ALLOWED,
  claudePermissions,
  claudeProject,
  claudeState,
  codexRules,
  HOSTS,
  hooksOf,
  hooksOff,
  isOurPlugin,
  openClawConfig,
  openClawPlugin,
  PLUGGED,
  type PluggedHost,
  pluginOf,
  type Scope,
  settingsFiles,
} from './hosts.ts';
import {
  hooksPart,
  listPart,
  read,
  type SettingsPart,
  settingsTarget,
  setValue,
  valueAt,
  withoutEmpty,
} from './json-parts.ts';
import { type Program, shellLine } from './program.ts';
import { isTimer, TIMERS, type TimerOptions, timerInstallation } from './timers.ts';
import { tomlTable } from './toml.ts';

export const INSTALLABLE = [...HOSTS, 'agents-md', ...TIMERS] as const;

export interface InstallContext {
  root: string;
  env: NodeJS.ProcessEnv;
  scope: Scope;
  program: Program;
  /** For `agents-md`: the file, relative to the workspace. */
  file?: string | undefined;
  /** For a timer: the session, if it is not the primary one, and the times. */
  session?: string | undefined;
  times?: TimerOptions;
}

export interface Installation {
  /** For a host the first target is the one with the hooks. */
  targets: Target[];
  /** The hooks are in another scope: this one adds the person's own parts. */
  withoutHooks?: boolean;
  notes: string[];
  /** The commands that start a service of the system, once its files are there, and that stop it, before they go. */
  service?: { start: readonly string[][]; stop: readonly string[][] };
}

const INSTALLATIONS: Readonly<Record<string, (context: InstallContext) => Installation>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': (context) => mcpHooked('gemini-cli', context),
  copilot,
  'qwen-code': (context) => mcpHooked('qwen-code', context),
  droid,
  openclaw: openClaw,
  ...Object.fromEntries(PLUGGED.map((host) => [host, (context: InstallContext) => plugged(host, context)])),
  'agents-md': agentsMd,
};

/** @throws ScratchpadError `usage` for an unknown name, or a scope that it does not have */
export function installationOf(name: string, context: InstallContext): Installation {
  if (isTimer(name)) return timerInstallation(name, context);
  const of = INSTALLATIONS[name];
  if (of !== undefined) return of(context);
  throw misuse('unknown installation target', { expected: INSTALLABLE.join(', '), found: name });
}

/** A file of the workspace may not lead out of it; a person's own is often a link into a dotfiles repository. */
const boundsOf = ({ root, scope }: InstallContext): Pick<Target, 'within'> =>
  scope === 'user' ? {} : { within: root };

/*
 * Hosts report a missing server to the model and the person. So settings for everybody have hooks that are commands, and
 * each person adds the server.
 */

function claudeCode(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const files = settingsFiles('claude-code', root, env);
  const plugin = pluginOf('claude-code', root, env);
  const tools = plugin === undefined ? `mcp__${SERVER}` : `mcp__plugin_${SERVER}_${SERVER}`;
  const place = ['permissions', 'allow'];
  const allowed = [{ ...listPart(place, claudePermissions(tools)), about: ALLOWED }];
  const settings = (path: string, parts: SettingsPart[]): Target =>
    settingsTarget(path, [...parts, ...allowed], boundsOf(context));
  if (plugin !== undefined) return { targets: [settings(files[scope], [])], notes: [includesHooks(plugin)] };
  const shared = scope === 'project';
  // Copilot and VS Code read these files, too, and run none of the hooks of one that has a hook for a server.
  const groups = hooksOf('claude-code', program, undefined, !shared);
  const hooks = hooksPart(groups, isHookOf('claude-code'));
  // The MCP server is registered in the person's own file.
  const where = scope === 'user' ? [] : ['projects', claudeProject(root)];
  const server = serverPart(where, { type: 'stdio', ...keptServer(program) }, true);
  const withoutHooks = scope === 'local' && isInstalled(settings(files.project, [hooks]));
  return {
    targets: [
      ...(withoutHooks ? [] : [settings(files[scope], [hooks])]),
      ...(shared ? [] : [settingsTarget(claudeState(env), [server], { rewritten: true })]),
    ],
    withoutHooks,
    notes: [
      'Claude Code reads its settings when it starts: restart one that is running.',
      ...hooksOff('claude-code', root, env).map((path) => `No hook runs: ${path} has disableAllHooks.`),
      ...(shared ? ['The MCP server is each person’s own: scratchpad install claude-code adds it.'] : []),
    ],
  };
}

const includesHooks = (plugin: string): string => `The ${plugin} includes the hooks.`;

const TOML = { open: '# scratchpad install codex', close: '# end of scratchpad install codex' };
/** Codex hands a server few variables; these say where things are, as for a command. */
const VARIABLES = [
  ...['CODEX_HOME', 'SCRATCHPAD_SESSION', 'SCRATCHPAD_STORE', 'SCRATCHPAD_WORKSPACE'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
];

function codex(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const hooks = settingsFiles('codex', root, env)[scope];
  const within = boundsOf(context);
  const shared = scope === 'project';
  const groups = hooksOf('codex', program, shared ? undefined : SERVER);
  const kept = keptServer(program);
  const server = [
    '[mcp_servers.scratchpad]',
    `command = ${JSON.stringify(kept.command)}`,
    `args = ${JSON.stringify(kept.args)}`,
    'default_tools_approval_mode = "approve"',
    `env_vars = ${JSON.stringify(VARIABLES)}`,
    '',
  ].join('\n');
  const config = join(dirname(hooks), 'config.toml');
  return {
    targets: [
      settingsTarget(hooks, [hooksPart(groups, isHookOf('codex'))], within),
      ...(shared ? [] : [{ ...tomlTable(markedBlock(config, TOML, server)), ...within, about: SERVER_PART }]),
      {
        ...ownFile(join(dirname(hooks), 'rules', 'scratchpad.rules'), codexRules),
        ...within,
        about: ALLOWED,
      },
    ],
    notes: [
      'Codex runs a new or changed hook only once you have trusted it: it asks at its next start, or type /hooks.',
      ...(shared ? ['Each person’s own: codex mcp add scratchpad -- scratchpad mcp'] : []),
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}

/** Gemini CLI, and Qwen Code, which was made of it. */
function mcpHooked(host: 'gemini-cli' | 'qwen-code', context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const path = settingsFiles(host, root, env)[scope];
  const plugin = pluginOf(host, root, env);
  const shared = scope === 'project';
  const parts: SettingsPart[] =
    plugin === undefined ? [hooksPart(hooksOf(host, program), isHookOf(host))] : [];
  if (!shared)
    parts.push(serverPart([], { command: program.command, args: [...program.args, 'mcp'], trust: true }));
  return {
    targets: [settingsTarget(path, parts, boundsOf(context))],
    notes: [
      ...(plugin === undefined ? [] : [includesHooks(plugin)]),
      ...hooksOff(host, root, env).map((off) => `No hook runs: ${off} has disableAllHooks.`),
      ...(shared
        ? [`Each person’s own: ${MCP_ADD[host]} mcp add --scope user scratchpad scratchpad mcp`]
        : []),
    ],
  };
}

const MCP_ADD = { 'gemini-cli': 'gemini', 'qwen-code': 'qwen' } as const;

/** A file of its own among the hooks of a project, or of a person. VS Code reads it, too. */
function copilot(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const hooks = Object.fromEntries(
    [...hooksOf('copilot', program)].map(
      ([
        event,
        {
          hooks: [hook],
        },
      ]) => [event, [{ type: 'command', bash: hook?.command, timeoutSec: hook?.timeout }]],
    ),
  );
  const text = `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
  const about = `hooks       what the model is told, at ${Object.keys(hooks).join(', ')}`;
  return {
    targets: [
      { ...ownFile(settingsFiles('copilot', root, env)[scope], () => text), ...boundsOf(context), about },
    ],
    notes: ['Copilot reads its hooks when a session starts.'],
  };
}

function droid(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const hooks = hooksPart(hooksOf('droid', program), isHookOf('droid'));
  return {
    targets: [settingsTarget(settingsFiles('droid', root, env)[scope], [hooks], boundsOf(context))],
    notes: ['Droid reads its hooks when it starts.'],
  };
}

const PLUGIN_TEMPLATES: Readonly<Record<PluggedHost, string>> = {
  opencode: 'opencode-plugin',
  kilo: 'opencode-plugin',
  pi: 'pi-extension',
};

/** One file, which loads the code of this package into the host. */
function plugged(host: PluggedHost, context: InstallContext): Installation {
  const { root, env, scope } = context;
  const template = readText(
    join(packageFolder(), 'templates', PLUGIN_TEMPLATES[host], 'scratchpad.js'),
    'package',
  );
  const text = withPackage(template ?? '').replace("const HOST = 'opencode';", `const HOST = '${host}';`);
  const path = settingsFiles(host, root, env)[scope];
  const plugin: Target = {
    path,
    about: 'plugin      what the model is told with each prompt; long outputs of tools',
    ...boundsOf(context),
    add(found) {
      if (found === undefined || isUnwritten(found) || isOurPlugin(found)) return text;
      throw refused('the file is not ours: nothing was changed', { where: path, next: 'rename it' });
    },
    remove: (found) => (isOurPlugin(found) ? undefined : found),
  };
  return { targets: [plugin], notes: [`Start ${host} again: it loads plugins when it starts.`] };
}

/** It runs the code of this package inside the host. */
const withPackage = (template: string): string =>
  template.replace("const PACKAGE = '';", () => `const PACKAGE = ${JSON.stringify(packageFolder())};`);

/** The plugin's files, and the entry in openclaw.json that lets it see the conversation. */
function openClaw({ env }: InstallContext): Installation {
  const [dir, config] = [openClawPlugin(env), openClawConfig(env)];
  const template = join(packageFolder(), 'templates/openclaw-plugin/');
  const textOf = (name: string): string => withPackage(readText(join(template, name), 'package') ?? '');
  return {
    targets: [
      openClawEntry(config),
      ...list(template).map((name) => ownFile(join(dir, name), () => textOf(name))),
    ],
    notes: ['Restart the gateway so that OpenClaw loads the plugin.'],
  };
}

const ENTRY = ['plugins', 'entries', 'scratchpad'];
const GRANTS = [
  [...ENTRY, 'enabled'],
  [...ENTRY, 'hooks', 'allowConversationAccess'],
];
const ACCESS = JSON.stringify({ enabled: true, hooks: { allowConversationAccess: true } });

/** The settings of OpenClaw: JSON, with comments; `undefined` for JSON5, which only OpenClaw itself reads and edits. */
function openClawSettings(text: string, path: string): JsonObject | undefined {
  try {
    return read(isUnwritten(text) ? '{}' : text, path);
  } catch {
    return undefined;
  }
}

function openClawEntry(path: string): Target {
  const json = settingsTarget(path, [
    {
      add: (text) =>
        GRANTS.filter((place) => valueAt(read(text, path), place) !== true).reduce(
          (now, place) => setValue(now, place, true, path),
          text,
        ),
      remove: (text, _, before) =>
        valueAt(read(text, path), ENTRY) === undefined
          ? text
          : withoutEmpty(setValue(text, ENTRY, undefined), ENTRY.slice(0, -1), path, before),
    },
  ]);
  /** Whether JSON5 has our entry can be told without reading it. */
  const unlessJson5 = (text: string, wanted: boolean, next: string, edit: () => string | undefined) => {
    if (openClawSettings(text, path) !== undefined) return edit();
    if (/\bscratchpad["']?\s*:/.test(text) === wanted) return text;
    throw failed('only OpenClaw can edit its JSON5: nothing was changed', {
      where: path,
      expected: 'JSON, with or without comments',
      next: `${next}; then run the command again`,
    });
  };
  const set = ['openclaw', 'config', 'set', ENTRY.join('.'), ACCESS, '--strict-json', '--merge'];
  return {
    path,
    about: 'plugin      what the model is told before each prompt, and access to the conversation',
    add: (text = '') => unlessJson5(text, true, shellLine(set), () => json.add(text)) ?? text,
    remove: (text, before) =>
      unlessJson5(text, false, `remove by hand: ${ENTRY.join('.')}`, () => json.remove(text, before)),
  };
}

const GUIDANCE_MARKERS = { open: '<!-- scratchpad:guidance -->', close: '<!-- /scratchpad:guidance -->' };

/** At the end of a person's file; and `state.write: prompt` in the workspace's config, unless it is set already. */
function agentsMd({ root, file = 'AGENTS.md' }: InstallContext): Installation {
  const path = join(root, file);
  const about = 'guidance    what the scratchpad is and how it is used';
  const state: Target = {
    about: 'settings    state.write: prompt, because here the agent reads SCRATCHPAD.md itself',
    path: configFiles(root, {}).workspace,
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
      { ...markedBlock(path, GUIDANCE_MARKERS, `${GUIDANCE.trimEnd()}\n`), within: root, about },
      state,
    ],
    notes: [],
  };
}
