import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { attempt } from '../../base/errors.ts';
import { exists, findHome, readText, tryReadText } from '../../base/fs/index.ts';
import { findGitPlace, findMainTop } from '../../base/git/place.ts';
import { type JsonObject, toMembers } from '../../base/text/json.ts';
import { splitWordList } from '../../base/text/strings.ts';
import { findCopilotHome } from '../copilot/protocol.ts';
import { HOOK_HOSTS } from '../host-rows.ts';
import {
  makeAskingHook,
  makeHookCheck,
  renderHookLine,
  SERVER,
  wrapUnlessAnswered,
  wrapUnlessServed,
} from './hook-command.ts';
import { findHooks, type HookGroup, parseSettings } from './json-parts.ts';
import type { Program } from './program.ts';

/** Hosts whose settings list our hooks. */
const HOOKED = ['claude-code', 'codex', 'gemini-cli', 'copilot', 'qwen-code', 'droid'] as const;
/** Hosts that run JavaScript, in which one file of ours asks the code of this package. */
const PLUGGED = ['opencode', 'kilo', 'pi'] as const;
export const HOSTS = [...HOOKED, 'openclaw', ...PLUGGED] as const;
export type Host = (typeof HOSTS)[number];
export type HookedHost = (typeof HOOKED)[number];
export type PluggedHost = (typeof PLUGGED)[number];
export type Scope = 'project' | 'local' | 'user';

export const isHooked = (host: string): host is HookedHost => HOOKED.some((name) => name === host);
export const isPlugged = (host: string): host is PluggedHost => PLUGGED.some((name) => name === host);

interface Home {
  /** Files of a project that show that the host works in it. */
  signs: readonly string[];
  /** The host's folder in a project, and that in a person's home. */
  folder: string;
  findOwn(env: NodeJS.ProcessEnv): string;
  /** The file with our hooks, or the one that is our plugin, below such a folder. */
  file: string;
  /** The file of `--scope local`, where it is another one. */
  local?: string;
  /** Settings that turn all hooks off: the path of each, and the value that does it. Default: `disableAllHooks`. */
  off?: Readonly<Record<string, boolean | string>>;
  /** The file with the settings of `off`, beside the one with our hooks, where it is another one. */
  settings?: string;
  /** A condition for hooks to run, which nothing but the host can check; a text to append. */
  condition?: string;
}

const findConfigHome = (env: NodeJS.ProcessEnv): string =>
  env.XDG_CONFIG_HOME || join(findHome(env), '.config');

const WITH_US = 'a list with scratchpad';

const SETTINGS_HOMES: Readonly<Record<Host, Home>> = {
  'claude-code': {
    signs: ['.claude', 'CLAUDE.md'],
    folder: '.claude',
    file: 'settings.json',
    local: 'settings.local.json',
    findOwn: (env) => env.CLAUDE_CONFIG_DIR || join(findHome(env), '.claude'),
  },
  codex: {
    signs: ['.codex'],
    folder: '.codex',
    file: 'hooks.json',
    findOwn: (env) => env.CODEX_HOME || join(findHome(env), '.codex'),
    settings: 'config.toml',
    off: { 'features.hooks': false, 'features.codex_hooks': false },
    condition:
      '; it asks once whether it trusts the folder and may run these hooks: /hooks there shows which it runs',
  },
  'gemini-cli': {
    signs: ['.gemini', 'GEMINI.md'],
    folder: '.gemini',
    file: 'settings.json',
    findOwn: (env) => join(env.GEMINI_CLI_HOME || findHome(env), '.gemini'),
    off: { 'hooksConfig.enabled': false },
    condition: '; it runs them in a folder that it trusts, or with GEMINI_CLI_TRUST_WORKSPACE=true',
  },
  copilot: {
    signs: ['.github/copilot-instructions.md', '.github/hooks'],
    folder: '.github',
    file: 'hooks/scratchpad.json',
    findOwn: findCopilotHome,
  },
  'qwen-code': {
    signs: ['.qwen', 'QWEN.md'],
    folder: '.qwen',
    file: 'settings.json',
    findOwn: (env) => join(findHome(env), '.qwen'),
    condition: '; it runs them in a folder that it trusts',
  },
  droid: {
    signs: ['.factory'],
    folder: '.factory',
    file: 'settings.json',
    findOwn: (env) => join(findHome(env), '.factory'),
    off: { enableHooks: false, 'hooks.hooksDisabled': true },
  },
  openclaw: {
    signs: ['SOUL.md', 'HEARTBEAT.md'],
    folder: '.openclaw',
    file: 'openclaw.json',
    findOwn: (env) => findOpenClawState(env),
    off: {
      'plugins.enabled': false,
      'plugins.entries.scratchpad.enabled': false,
      'plugins.deny': WITH_US,
      'plugins.allow': 'a list without scratchpad',
    },
  },
  opencode: {
    signs: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    folder: '.opencode',
    file: 'plugins/scratchpad.js',
    findOwn: (env) => join(findConfigHome(env), 'opencode'),
  },
  kilo: {
    signs: ['.kilo', 'kilo.json', 'kilo.jsonc'],
    folder: '.kilo',
    file: 'plugins/scratchpad.js',
    findOwn: (env) => join(findConfigHome(env), 'kilo'),
  },
  pi: {
    signs: ['.pi'],
    folder: '.pi',
    file: 'extensions/scratchpad.js',
    findOwn: (env) => env.PI_CODING_AGENT_DIR || join(findHome(env), '.pi', 'agent'),
  },
};

export const describeHookCondition = (host: Host): string => SETTINGS_HOMES[host].condition ?? '';

/** The hosts that work in a folder, each with the file that shows it. */
export const detectHosts = (root: string): (readonly [host: Host, sign: string])[] =>
  HOSTS.flatMap((host) => {
    const sign = SETTINGS_HOMES[host].signs.find((name) => exists(join(root, name)));
    return sign === undefined ? [] : [[host, sign] as const];
  });

export function listSettingsFiles(host: Host, root: string, env: NodeJS.ProcessEnv): Record<Scope, string> {
  const { folder, file, local = file, findOwn } = SETTINGS_HOMES[host];
  return {
    project: join(root, folder, file),
    local: join(root, folder, local),
    user: join(findOwn(env), file),
  };
}

/** The settings files of a host that have our hooks, each with the scopes that share it. */
export function findSettingsWithHooks(
  host: Host,
  root: string,
  env: NodeJS.ProcessEnv,
): Map<string, Scope[]> {
  const files = listSettingsFiles(host, root, env);
  const found = new Map<string, Scope[]>();

  for (const scope of ['local', 'project', 'user'] as const) {
    const path = files[scope];
    const isInstalled = isPlugged(host)
      ? isOurPlugin(tryReadText(path, 'host') ?? '')
      : attempt(() => findHooks(readText(path, 'host') ?? '{}', path, makeHookCheck(host)))?.length !== 0;
    if (isInstalled) found.set(path, [...(found.get(path) ?? []), scope]);
  }

  return found;
}

/** A settings file of a host; `undefined` if it cannot be read, so that it settles nothing. */
export const readSettings = (path: string): JsonObject | undefined =>
  attempt(() => parseSettings(tryReadText(path, 'host') || '{}', path));

/** The settings that turn off all hooks of a host: `PATH has disableAllHooks`. */
export function listHooksOff(host: Host, root: string, env: NodeJS.ProcessEnv): string[] {
  const { off = { disableAllHooks: true }, settings } = SETTINGS_HOMES[host];
  const files =
    host === 'openclaw' ? [findOpenClawConfig(env)] : Object.values(listSettingsFiles(host, root, env));
  const paths = files.map((path) => (settings === undefined ? path : join(dirname(path), settings)));

  return [...new Set(paths)].flatMap((path) => {
    const found = path.endsWith('.toml')
      ? attempt(() => parseToml(tryReadText(path, 'host') ?? ''))
      : readSettings(path);
    const findValue = (key: string): unknown =>
      key.split('.').reduce<unknown>((value, name) => toMembers(value)[name], found);

    return Object.entries(off)
      .filter(([key, value]) => isTurnedOff(findValue(key), value))
      .map(([key, value]) => `${path} has ${key}${value === true ? '' : ` = ${value}`}`);
  });
}

const isTurnedOff = (found: unknown, off: boolean | string): boolean =>
  Array.isArray(found) ? found.includes(SERVER) === (off === WITH_US) : found === off;

/** Whether a file is our plugin: it names the folder of the package, as a person's own file of that name does not. */
export const isOurPlugin = (text: string): boolean => /^const PACKAGE = ".*";$/m.test(text);

/** Where Claude Code stores what it knows about a person and their projects, including MCP servers. */
export const getClaudeStateFile = (env: NodeJS.ProcessEnv): string =>
  join(env.CLAUDE_CONFIG_DIR || findHome(env), '.claude.json');

/** The folder by which Claude Code identifies a project: the repository's main work tree, if there is one. */
export function getClaudeProject(root: string): string {
  const place = findGitPlace(root);
  return place === undefined ? root : ((place.linked && findMainTop(place)) ?? place.top);
}

const findOpenClawState = (env: NodeJS.ProcessEnv): string =>
  env.OPENCLAW_STATE_DIR || join(findHome(env), '.openclaw');

export const findOpenClawPlugin = (env: NodeJS.ProcessEnv): string =>
  join(findOpenClawState(env), 'extensions', 'scratchpad');

export const findOpenClawConfig = (env: NodeJS.ProcessEnv): string =>
  env.OPENCLAW_CONFIG_PATH || join(findOpenClawState(env), 'openclaw.json');

/** Describes our plugin or extension, which includes the hooks, if a host has it. */
export function findPlugin(host: Host, root: string, env: NodeJS.ProcessEnv): string | undefined {
  const files = listSettingsFiles(host, root, env);
  if (host === 'gemini-cli') {
    const folder = join(files.user, '../extensions/scratchpad');
    return exists(join(folder, 'gemini-extension.json')) ? `extension in ${folder}` : undefined;
  }

  if (host !== 'claude-code') return undefined;

  const plugins = Object.values(files).flatMap((path) =>
    Object.entries(toMembers(readSettings(path)?.enabledPlugins)),
  );
  const ours = plugins.find(([key, isEnabled]) => key.startsWith(`${SERVER}@`) && isEnabled === true);
  return ours && `plugin ${ours[0]}`;
}

/** Seconds until Claude Code or Codex aborts a hook; ours ends after two. */
const TIMEOUT_S = 10;

/**
 * The hooks of a host, as its settings file has them.
 * @param server the host's name for our server, which some hooks ask; without it every hook is a command
 * @param isServed whether our server runs in the host
 */
export function buildHooks(
  host: HookedHost,
  program: Program,
  server?: string,
  isServed = server !== undefined,
): Map<string, HookGroup> {
  const groups = new Map<string, HookGroup>();
  for (const [event, { hook }] of Object.entries(HOOK_HOSTS.get(host)?.events ?? {})) {
    if (hook === undefined || (hook.needsServer && !isServed) || (hook.isVisible && server !== undefined))
      continue;

    const { matcher, fields, hasStandIn, isForMod, isAsync, timeout = TIMEOUT_S } = hook;
    const hookLine = renderHookLine(program, host, event);
    const line = isForMod && server !== undefined ? wrapUnlessAnswered(hookLine) : hookLine;
    const background = isAsync && server !== undefined ? { async: true } : {};
    const commandHook = { type: 'command', command: line, timeout, ...background };
    const hooks: JsonObject[] = [];

    if (host === 'gemini-cli') hooks.push({ name: 'scratchpad', ...commandHook, timeout: TIMEOUT_S * 1000 });
    else if (fields === undefined || server === undefined) hooks.push(commandHook);
    else hooks.push(makeAskingHook(server, host, event, fields));
    if (hasStandIn && server !== undefined) hooks.push({ ...commandHook, command: wrapUnlessServed(line) });
    groups.set(event, { matcher, hooks });
  }

  return groups;
}

/**
 * The commands that an agent may call without asking: they change nothing but the pad and its entries. Not among them are
 * `run`, `config`, `trust` and `install`, which lead to programs of any kind, and commands that write other files.
 * A rule is a prefix and covers all options, so commands themselves refuse agents what only a person may do.
 */
const COMMANDS = splitWordList(`
  plan notes refs show context status check search history diff undo redo handover trail mood
  guidance todo note ref done next reopen ls cat log find
`);
const SUBCOMMANDS: readonly (readonly [command: string, subcommands: readonly string[]])[] = [
  ['memory', ['search', 'status']],
  ['entry', ['read', 'list', 'write', 'edit']],
];
const COMMANDS_WITH_VERB = SUBCOMMANDS.flatMap(([command, names]) =>
  names.map((name) => `${command} ${name}`),
);

export const ALLOWED = [
  "permission  the server's tools, and these commands, which change only the pad and its entries, run without asking:",
  `            scratchpad ${COMMANDS.join(', ')}`,
  `            scratchpad ${COMMANDS_WITH_VERB.join(', ')}`,
].join('\n');

/** The permissions as rules of Claude Code: each a prefix of a command line. */
export function listClaudePermissions(tools: string): string[] {
  const commands = [...COMMANDS, ...COMMANDS_WITH_VERB];
  return [...commands.map((name) => `Bash(scratchpad ${name}:*)`), `${tools}__*`];
}

/** The permissions as rules of Codex, where a list has the alternatives for one word. */
export function renderCodexRules(): string {
  const renderRule = (...pattern: readonly (string | readonly string[])[]): string =>
    `prefix_rule(pattern = ${JSON.stringify(['scratchpad', ...pattern])}, decision = "allow")\n`;
  const rules = [renderRule(COMMANDS), ...SUBCOMMANDS.map(([command, names]) => renderRule(command, names))];
  return `# scratchpad install codex\n${rules.join('')}`;
}
