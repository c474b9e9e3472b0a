import { dirname, join, relative, resolve, sep } from 'node:path';
import { exists, readText, realPathOf, tryReadJson, tryReadText } from '../../base/fs/index.ts';
import { trackedBelow } from '../../base/git/index-file.ts';
import { packageFolder } from '../../base/package.ts';
import { type JsonObject, membersOf, objectAt, parsed, textAt } from '../../base/text/json.ts';
import { shorten } from '../../base/text/shorten.ts';
import { enabledPlugin } from './claude-code.ts';
import { ASKS_SERVERS, codexAsksServers } from './codex.ts';
import { type Check, type Examined, type Finding, fail, ok, warn } from './doctor.ts';
import { openClaw } from './doctor-openclaw.ts';
import { installedExtension } from './gemini-cli.ts';
import { callsUs, isServerOfOurs, SERVER, wordsOfHook } from './hook-command.ts';
import { hooksIn, read } from './hooks-json.ts';
import { claudePermissions, FORMER_CLAUDE_PERMISSION } from './permissions.ts';
import { findExecutable } from './program.ts';
import { claudeProject, claudeState, settingsFiles, valueAt } from './settings-file.ts';
import { timers } from './timers/doctor.ts';

const HOSTS = ['claude-code', 'codex', 'gemini-cli'] as const;
type Host = (typeof HOSTS)[number];

/** Settings of a host that hold our hooks. */
interface Installed {
  host: Host;
  path: string;
  text: string;
  settings: JsonObject;
  ours: readonly { hook: JsonObject }[];
  root: string;
  env: NodeJS.ProcessEnv;
}

type InSettings = (at: Installed) => Finding | undefined;

/** What silently keeps the hooks in a host's settings from working. */
const IN_SETTINGS: Record<Host, readonly InSettings[]> = {
  'claude-code': [
    callable,
    claudeServer,
    claudePermitted,
    ({ host, path, settings }) =>
      settings.disableAllHooks === true
        ? fail(host, `disableAllHooks is set in ${path}`, 'remove it from the settings')
        : undefined,
  ],
  codex: [callable, codexOff, codexFile, codexProject, codexAsked, codexAsks],
  'gemini-cli': [
    callable,
    ({ host, path, settings }) =>
      objectAt(settings, 'hooksConfig')?.enabled === false
        ? fail(host, `hooksConfig.enabled is false in ${path}`, 'set it to true')
        : undefined,
    geminiTrusted,
  ],
};

/** Our plugin or extension, which includes the hooks: its name for people, and whether its copies are up to date. */
function packed(host: Host, root: string, env: NodeJS.ProcessEnv): [name: string, Finding] | undefined {
  if (host === 'claude-code') {
    const plugin = enabledPlugin(root, env);
    if (plugin === undefined) return undefined;
    const folder = join(dirname(settingsFiles(host, root, env).user), 'plugins');
    const copies = valueAt(tryReadJson(join(folder, 'installed_plugins.json'), 'host'), ['plugins', plugin]);
    const paths = (Array.isArray(copies) ? copies : []).flatMap(
      (copy) => textAt(membersOf(copy), 'installPath') ?? [],
    );
    return [
      `the plugin ${plugin}`,
      copyOf('claude-code-plugin', host, `plugin ${plugin}`, paths, `claude plugin update ${plugin}`),
    ];
  }
  const folder = host === 'gemini-cli' ? installedExtension(root, env) : undefined;
  if (folder === undefined) return undefined;
  const name = `extension in ${folder}`;
  return [
    `the ${name}`,
    copyOf('gemini-extension', host, name, [folder], 'gemini extensions update scratchpad'),
  ];
}

/** Hosts run a copy of a plugin: a copy of an older package behaves like that one. */
function copyOf(
  template: string,
  host: Host,
  name: string,
  copies: readonly string[],
  next: string,
): Finding {
  const hooksOf = (folder: string): string | undefined =>
    tryReadText(join(folder, 'hooks/hooks.json'), 'host');
  const own = hooksOf(join(packageFolder(), 'templates', template));
  const old = copies.find((copy) => hooksOf(copy) !== own);
  return old === undefined ? ok(host, name) : warn(host, `${old} is a copy of another version`, next);
}

/** Looks at all settings of a host; finds nothing if the scratchpad is not installed in them. */
const hostCheck =
  (host: Host): Check =>
  ({ workspace: { root }, env }) => {
    const findings: (Finding | undefined)[] = [];
    const places: string[] = [];
    for (const path of new Set(Object.values(settingsFiles(host, root, env)))) {
      const text = readText(path, 'host');
      if (text === undefined) continue;
      try {
        const ours = oursIn(host, text, path);
        if (ours.length === 0) continue;
        places.push(path);
        const at: Installed = { host, path, text, settings: read(text, path), ours, root, env };
        findings.push(...IN_SETTINGS[host].map((check) => check(at)));
      } catch {
        findings.push(fail(host, `${path} is not valid JSON`, 'fix it: the host ignores the whole file'));
      }
    }
    const [name, copy] = packed(host, root, env) ?? [];
    if (name !== undefined) places.push(name);
    const twice = `hooks run twice: from ${places.join(' and ')}`;
    return [
      ...findings,
      copy,
      places.length > 1 ? warn(host, twice, `scratchpad uninstall ${host}`) : undefined,
    ];
  };

const oursIn = (host: Host, text: string, path: string): { event: string; hook: JsonObject }[] =>
  hooksIn(text, path).filter(({ hook }) => callsUs(host)(hook));

/** Whether a settings file has hooks of ours. */
function holdsOurs(host: Host, path: string): boolean {
  try {
    return oursIn(host, readText(path, 'host') ?? '{}', path).length > 0;
  } catch {
    return false;
  }
}

export const usesCodex = (root: string, env: NodeJS.ProcessEnv): boolean =>
  Object.values(settingsFiles('codex', root, env)).some((path) => holdsOurs('codex', path));

/** Each finds nothing where its host is not connected. */
export const HOST_CHECKS: readonly Check[] = [...HOSTS.map(hostCheck), openClaw];
export const BESIDES: readonly Check[] = [codexWorktree, sharedPaths, timers];

/** Whether the command of our hooks can be run, here. */
function callable({ host, path, ours, root, env }: Installed): Finding | undefined {
  const hook = ours.find((each) => typeof each.hook.command === 'string')?.hook;
  if (hook === undefined) return undefined;
  const words = wordsOfHook(hook);
  const [command = '', script = ''] = words;
  const install = `scratchpad install ${host}`;
  if (findExecutable(command, env) === undefined)
    return fail(host, `${path} calls ${command}, which cannot be run`, install);
  if (/\.[cm]?js$/.test(script) && !exists(script))
    return fail(host, `${path} calls ${script}, which does not exist`, install);
  const at = words.findIndex((word) => word === '-w' || /^--workspace(?:=|$)/.test(word));
  const named = at < 0 ? undefined : (/=(.*)$/s.exec(words[at] ?? '')?.[1] ?? words[at + 1]);
  if (named === undefined || resolve(root, named) === root) return ok(host, `hooks in ${path}`);
  const found = `${path} sends its hooks to the workspace ${named}, and this one is ${root}`;
  return fail(host, found, 'remove --workspace from the hooks, or run scratchpad there');
}

/** Hooks that ask the server need one. */
function claudeServer({ host, path, ours, root, env }: Installed): Finding | undefined {
  const places: [path: string, place: string[]][] = [
    [claudeState(env), ['projects', claudeProject(root)]],
    [claudeState(env), []],
    [join(root, '.mcp.json'), []],
  ];
  const isThere = places.some(([file, place]) =>
    isServerOfOurs(valueAt(tryReadJson(file, 'host'), [...place, 'mcpServers', SERVER])),
  );
  if (isThere || !ours.some(({ hook }) => hook.type === 'mcp_tool')) return undefined;
  const found = `${path} has hooks for the MCP server ${SERVER}, which is not in any settings: they do not run`;
  return fail(host, found, claudeInstall(path, root, env));
}

/** What the agent may do without asking. */
function claudePermitted({ host, path, settings, root, env }: Installed): Finding | undefined {
  const allowed = valueAt(settings, ['permissions', 'allow']);
  const rules: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  const missing = claudePermissions(`mcp__${SERVER}`).filter((rule) => !rules.includes(rule));
  const found = rules.includes(FORMER_CLAUDE_PERMISSION)
    ? `${path} allows ${FORMER_CLAUDE_PERMISSION}: with scratchpad run the agent may run any program`
    : `the agent has to ask for scratchpad commands: ${path} does not allow ${shorten(missing.join(', '), 100)}`;
  const isFine = missing.length === 0 && !rules.includes(FORMER_CLAUDE_PERMISSION);
  return isFine ? undefined : warn(host, found, claudeInstall(path, root, env));
}

function claudeInstall(path: string, root: string, env: NodeJS.ProcessEnv): string {
  const files = Object.entries(settingsFiles('claude-code', root, env));
  return `scratchpad install claude-code --scope ${files.find(([, file]) => file === path)?.[0] ?? 'local'}`;
}

function codexConfig(env: NodeJS.ProcessEnv): { config: string; toml: string } {
  const config = join(dirname(settingsFiles('codex', '', env).user), 'config.toml');
  return { config, toml: readText(config, 'host') ?? '' };
}

function codexOff({ host, env }: Installed): Finding | undefined {
  const { config, toml } = codexConfig(env);
  const isOff = /^\s*(?:codex_)?hooks\s*=\s*false/m.test(toml);
  return isOff
    ? fail(host, `hooks are turned off in ${config}`, 'set hooks = true under [features]')
    : undefined;
}

function codexFile({ host, path, text }: Installed): Finding | undefined {
  if (parsed(text) !== undefined) return undefined;
  const found = `${path} has comments, trailing commas or a byte order mark: Codex ignores the whole file`;
  return fail(host, found, 'remove them');
}

/** Whether the person has allowed the hooks, Codex alone knows. */
function codexAsks({ host }: Installed): Finding {
  const next = 'answer yes when it starts, or type /hooks there to see which it runs';
  return ok(host, 'Codex asks once whether it may run these hooks, and skips them until then', next);
}

const SERVER_TABLE = /^\s*\[\s*mcp_servers\s*\.\s*"?scratchpad"?\s*\]/m;

/** What keeps hooks that ask our server from doing so. */
function codexAsked({ host, path, ours, env }: Installed): Finding | undefined {
  if (!ours.some(({ hook }) => hook.type === 'mcp_tool')) return undefined;
  const near = readText(join(dirname(path), 'config.toml'), 'host') ?? '';
  const next = 'scratchpad install codex';
  if (!SERVER_TABLE.test(`${codexConfig(env).toml}\n${near}`))
    return fail(host, `${path} has hooks for the MCP server scratchpad, which is in no config.toml`, next);
  if (codexAsksServers(env) !== false) return undefined;
  return fail(
    host,
    `this Codex is older than ${ASKS_SERVERS.join('.')}: its hooks cannot ask a server`,
    next,
  );
}

/** Hooks of a project run only if the project, or the repository around it, is trusted. */
function codexProject({ host, path, env }: Installed): Finding | undefined {
  const { config, toml } = codexConfig(env);
  if (dirname(path) === dirname(config)) return undefined;
  const project = dirname(dirname(path));
  // `[projects."PATH"]` with `trust_level = "trusted"`.
  const trusted = toml
    .split(/^(?=\s*\[)/m)
    .filter((table) => /^\s*trust_level\s*=\s*["']trusted["']/m.test(table))
    .map((table) => /^\s*\[\s*projects\s*\.\s*(?:"([^"]*)"|'([^']*)')\s*\]/.exec(table))
    .map((match) => match?.[1] ?? match?.[2]);
  let repository = project;
  while (!exists(join(repository, '.git')) && dirname(repository) !== repository)
    repository = dirname(repository);
  if (trusted.includes(project) || trusted.includes(repository)) return undefined;
  const found = `${project} is not a trusted project in ${config}, so Codex runs none of its hooks`;
  return fail(host, found, 'start codex here once and trust the folder');
}

/** Work trees that Codex makes itself have nothing that git does not track, so no hooks of a project's `.codex/`. */
function codexWorktree({ workspace: { root }, cwd, env }: Examined): Finding | undefined {
  const { user } = settingsFiles('codex', root, env);
  const trees = join(dirname(user), 'worktrees');
  const [here = '', there = ''] = [cwd, trees].map((path) => realPathOf(path) ?? path);
  if (!here.startsWith(`${there}${sep}`) || holdsOurs('codex', user)) return undefined;
  // A `.codex/` that git tracks is there.
  for (let dir = here; dir !== there; dir = dirname(dir))
    if (holdsOurs('codex', settingsFiles('codex', dir, env).project)) return undefined;
  const found = `this work tree in ${trees} has no .codex/ of its own: no hook runs here`;
  return warn('codex', found, 'scratchpad install codex --scope user');
}

/** Gemini CLI silently runs no hooks in a folder that nobody has trusted. */
function geminiTrusted({ host, root, env }: Installed): Finding | undefined {
  const { user } = settingsFiles(host, root, env);
  const trust = valueAt(settingsIn(user), ['security', 'folderTrust', 'enabled']);
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true' || trust === false) return undefined;
  const rules = join(dirname(user), 'trustedFolders.json');
  const level = innermost(root, settingsIn(rules));
  if (level === 'TRUST_FOLDER' || level === 'TRUST_PARENT') return undefined;
  const where = `${level === undefined ? 'not in' : 'ruled out by'} ${rules}`;
  const found = `Gemini CLI runs no hooks in a folder that is not trusted: ${root} is ${where}`;
  const here = 'start gemini here once and trust the folder';
  return fail(host, found, `${here}; without a terminal: GEMINI_CLI_TRUST_WORKSPACE=true`);
}

function settingsIn(path: string): JsonObject {
  const text = readText(path, 'host') ?? '';
  return text.trim() === '' ? {} : read(text, path);
}

/** The rule for the innermost folder that contains this one. */
function innermost(root: string, rules: JsonObject): string | undefined {
  const real = (path: string): string => realPathOf(path) ?? path;
  const [best] = Object.entries(rules)
    .map(([folder, level]) => ({ covers: real(level === 'TRUST_PARENT' ? dirname(folder) : folder), level }))
    .filter(({ covers }) => !relative(covers, real(root)).startsWith('..'))
    .sort((a, b) => b.covers.length - a.covers.length);
  return best && String(best.level);
}

/** A path to our program where something is started: this file of it, or a word before `hook` or in `command`. */
const PATHS = [
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*scratchpad\.(?:js|cmd|exe)\b/,
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*[\\/]scratchpad(?=\s+hook\b)/,
  /(?<=command"?\s*[:=]\s*")(?:\/|[A-Za-z]:[\\/])[^"]*[\\/]scratchpad(?=")/,
];

/** Settings that git tracks reach other machines, where a path of this one does not exist. */
function sharedPaths({ workspace: { root }, env }: Examined): Finding[] {
  const files = HOSTS.flatMap((host) => {
    const { project, local } = settingsFiles(host, root, env);
    return [project, local].map((path) => relative(root, path).replaceAll('\\', '/'));
  });
  const next =
    'scratchpad uninstall HOST, then scratchpad install HOST --scope project; or git rm --cached the file';
  return trackedBelow(root, [...new Set([...files, '.mcp.json', '.codex/config.toml'])]).flatMap((name) => {
    const text = tryReadText(join(root, name), 'host') ?? '';
    const path = PATHS.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])[0];
    if (path === undefined) return [];
    return warn('git', `${name} is tracked and names ${path}, which only this machine has`, next);
  });
}
