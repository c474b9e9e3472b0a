import { spawnSync } from 'node:child_process';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { exists, readText, realPathOf, tryReadText } from '../../base/fs/index.ts';
import { trackedBelow } from '../../base/git/index-file.ts';
import { type JsonObject, objectAt } from '../../base/text/json.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';
import { claudeCopies, claudePermitted, claudeServer, serversIn } from './check-claude.ts';
import { codexAsked, codexAsks, codexFile, codexOff, codexProject } from './check-codex.ts';
import { geminiCopy, geminiTrusted } from './check-gemini.ts';
import { enabledPlugin } from './claude-code.ts';
import { installedExtension } from './gemini-cli.ts';
import { callsUs, isFormerServer, wordsOfHook } from './hook-command.ts';
import { hooksIn, read } from './hooks-json.ts';
import { findExecutable } from './program.ts';
import { settingsFiles } from './settings-file.ts';

export const HOSTS = ['claude-code', 'codex', 'gemini-cli'] as const;
type Host = (typeof HOSTS)[number];

/** Settings of a host that hold our hooks. */
export interface Installed {
  host: Host;
  path: string;
  text: string;
  settings: JsonObject;
  ours: readonly { hook: JsonObject }[];
  root: string;
  env: NodeJS.ProcessEnv;
}

const switchedOff =
  (place: string, isOff: (settings: JsonObject) => boolean, next: string) =>
  ({ host, path, settings }: Installed): Finding[] =>
    isOff(settings) ? [fail(host, `${place} in ${path}`, next)] : [];

/** What silently keeps the hooks in a host's settings from working. */
const IN_SETTINGS: Record<Host, readonly ((at: Installed) => Finding[])[]> = {
  'claude-code': [
    callable,
    claudeServer,
    claudePermitted,
    switchedOff(
      'disableAllHooks is set',
      ({ disableAllHooks }) => disableAllHooks === true,
      'remove it from the settings',
    ),
  ],
  codex: [callable, codexOff, codexFile, codexProject, codexAsked, codexAsks],
  'gemini-cli': [
    callable,
    switchedOff(
      'hooksConfig.enabled is false',
      (settings) => objectAt(settings, 'hooksConfig')?.enabled === false,
      'set it to true',
    ),
    geminiTrusted,
  ],
};

/** Our plugin or extension, which includes the hooks: its name, and what is wrong with it. */
const PACKED: Record<Host, (root: string, env: NodeJS.ProcessEnv) => [name: string, Finding[]] | undefined> =
  {
    'claude-code': (root, env) => {
      const plugin = enabledPlugin(root, env);
      return plugin === undefined ? undefined : [`the plugin ${plugin}`, claudeCopies(plugin, env)];
    },
    codex: () => undefined,
    'gemini-cli': (root, env) => {
      const folder = installedExtension(root, env);
      return folder === undefined ? undefined : [`the extension in ${folder}`, geminiCopy(folder)];
    },
  };

/** Looks at all settings of a host; finds nothing if the scratchpad is not installed in them. */
export const hostCheck =
  (host: Host): Check =>
  ({ workspace: { root }, env }) => {
    const findings: Finding[] = [];
    const places: string[] = [];
    for (const path of new Set(Object.values(settingsFiles(host, root, env)))) {
      const text = readText(path, 'host');
      if (text === undefined) continue;
      try {
        const settings = read(text, path);
        const ours = oursIn(host, text, path);
        if (ours.length === 0) continue;
        places.push(path);
        for (const check of IN_SETTINGS[host])
          findings.push(...check({ host, path, text, settings, ours, root, env }));
      } catch {
        findings.push(fail(host, `${path} is not valid JSON`, 'fix it: the host ignores the whole file'));
      }
    }
    const [name, problems] = PACKED[host](root, env) ?? [];
    if (name !== undefined) places.push(name);
    findings.push(...(problems ?? []));
    if (places.length > 1) {
      const found = `hooks run twice: from ${places.join(' and ')}`;
      findings.push(warn(host, found, `scratchpad uninstall ${host}`));
    }
    return findings;
  };

const oursIn = (host: Host, text: string, path: string): { event: string; hook: JsonObject }[] =>
  hooksIn(text, path).filter(({ hook }) => callsUs(host)(hook));

/** Whether a settings file has hooks of ours. */
export function holdsOurs(host: Host, path: string): boolean {
  try {
    return oursIn(host, readText(path, 'host') ?? '{}', path).length > 0;
  } catch {
    return false;
  }
}

/** Work trees that Codex makes itself have nothing that git does not track, so no hooks of a project's `.codex/`. */
export const codexWorktree: Check = ({ workspace: { root }, cwd, env }) => {
  const { user } = settingsFiles('codex', root, env);
  const trees = join(dirname(user), 'worktrees');
  const [here = '', there = ''] = [cwd, trees].map((path) => realPathOf(path) ?? path);
  if (!here.startsWith(`${there}${sep}`) || holdsOurs('codex', user)) return [];
  // A `.codex/` that git tracks is there.
  for (let dir = here; dir !== there; dir = dirname(dir))
    if (holdsOurs('codex', settingsFiles('codex', dir, env).project)) return [];
  const found = `this work tree in ${trees} has no .codex/ of its own: no hook runs here`;
  return [warn('codex', found, 'scratchpad install codex --scope user')];
};

/** Whether the command of our hooks can be run, here. */
function callable({ host, path, ours, root, env }: Installed): Finding[] {
  const hook = ours.find((each) => typeof each.hook.command === 'string')?.hook;
  if (hook === undefined) return [];
  const words = wordsOfHook(hook);
  const [command = '', script = ''] = words;
  const broken = (found: string, next = `scratchpad install ${host}`): Finding[] => [
    fail(host, `${path} ${found}`, next),
  ];
  if (findExecutable(command, env) === undefined) return broken(`calls ${command}, which cannot be run`);
  if (/\.[cm]?js$/.test(script) && !exists(script)) return broken(`calls ${script}, which does not exist`);
  const at = words.findIndex((word) => word === '-w' || /^--workspace(?:=|$)/.test(word));
  const named = at < 0 ? undefined : (/=(.*)$/s.exec(words[at] ?? '')?.[1] ?? words[at + 1]);
  if (named !== undefined && resolve(root, named) !== root) {
    return broken(
      `sends its hooks to the workspace ${named}, and this one is ${root}`,
      'remove --workspace from the hooks, or run scratchpad there',
    );
  }
  return [ok(host, `hooks in ${path}`), ...nodeOf(command, host, env)];
}

/** Servers over HTTP, which earlier versions offered: nothing answers there. */
export const formerServers: Check = ({ workspace: { root }, env }) =>
  serversIn(root, env)
    .filter(({ server }) => isFormerServer(server))
    .map(({ host, path }) =>
      warn(
        host,
        `${path} names an MCP server over HTTP, which this version does not have`,
        `scratchpad install ${host} puts the one on stdin and stdout in its place; uninstall ${host} takes it away`,
      ),
    );

/** Files of hosts besides their settings that may start the program. */
const OTHERS = ['.mcp.json', '.codex/config.toml'];
/**
 * A path to our program where something is started: this file of it, or a word before `hook` or in `command`.
 */
const PATHS = [
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*scratchpad\.(?:js|cmd|exe)\b/,
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*[\\/]scratchpad(?=\s+hook\b)/,
  /(?<=command"?\s*[:=]\s*")(?:\/|[A-Za-z]:[\\/])[^"]*[\\/]scratchpad(?=")/,
];

/** Settings that git tracks reach other machines, where a path of this one does not exist. */
export const sharedPaths: Check = ({ workspace: { root }, env }) => {
  const settings = HOSTS.flatMap((host) => {
    const { project, local } = settingsFiles(host, root, env);
    return [project, local];
  });
  const files = new Set([...settings.map((path) => relative(root, path).replaceAll('\\', '/')), ...OTHERS]);
  const next =
    'scratchpad uninstall HOST, then scratchpad install HOST --scope project; or git rm --cached the file';
  return trackedBelow(root, [...files]).flatMap((name) => {
    const text = tryReadText(join(root, name), 'host') ?? '';
    const path = PATHS.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
    if (path === undefined) return [];
    return warn('git', `${name} is tracked and names ${path}, which only this machine has`, next);
  });
};

const OLDEST_NODE = [20, 19] as const;
const ASK_MS = 3000;

/** Whether the scratchpad supports a version of Node. */
export function nodeVersion(version: string, about: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old ? fail(about, version, `install Node ${OLDEST_NODE.join('.')} or later`) : ok(about, version);
}

/** The Node that runs a hook, the one that it names or the first on the PATH, if it is another one and too old. */
function nodeOf(command: string, host: string, env: NodeJS.ProcessEnv): Finding[] {
  const named = /^node(?:\.exe)?$/.test(basename(command));
  const node = findExecutable(named ? command : 'node', env);
  if (node === undefined || node === process.execPath) return [];
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: ASK_MS, env });
  const version = /^v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  const finding = nodeVersion(version ?? process.versions.node, host);
  return finding.level === 'ok'
    ? []
    : [{ ...finding, found: `hooks are run by ${node}, version ${version}` }];
}
