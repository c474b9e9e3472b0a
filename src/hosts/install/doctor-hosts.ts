import { spawnSync } from 'node:child_process';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { inShort } from '../../base/errors.ts';
import {
  exists,
  homeOf,
  PAD_FILE,
  readText,
  realPathOf,
  tryReadJson,
  tryReadText,
} from '../../base/fs/index.ts';
import { packageFolder } from '../../base/fs/system.ts';
import { isObject, type JsonObject, membersOf, objectAt, textAt } from '../../base/text/json.ts';
import { shorten } from '../../base/text/strings.ts';
import { isInstalled, type PlannedChange, planInstall, showChange } from './change.ts';
import { enabledPlugin } from './claude-code.ts';
import { type Check, type Examined, examine, type Finding } from './doctor.ts';
import { installedExtension } from './gemini-cli.ts';
import { callsUs, isHookOf, programOfHook } from './hook-command.ts';
import { openClawState, settingsFiles } from './host-files.ts';
import type { Scope } from './installation.ts';
import { hooksIn, read, valueAt } from './json-parts.ts';
import { openClawConfig, openClawSettings } from './openclaw.ts';
import { findExecutable, type Program, programOf } from './program.ts';
import { HOSTS, installationOf } from './targets.ts';

type Host = (typeof HOSTS)[number];

interface Where {
  root: string;
  env: NodeJS.ProcessEnv;
  host: Host;
}

/** A place where the scratchpad is installed for a host. */
interface Installed extends Where {
  scope: Scope;
  /** The file with our hooks, or for OpenClaw its settings. */
  path: string;
  settings: JsonObject;
  /** What our hooks start. */
  program: Program;
  /** What installing it again would change. */
  changes: readonly PlannedChange[];
}

/** The hosts whose settings, plugins or extensions call us. */
export const installedHosts = (root: string, env: NodeJS.ProcessEnv): Host[] =>
  HOSTS.filter((host) => [...placesOf(host, root, env), ...packedFor(host, root, env)].length > 0);

/** Finds nothing about a host that is not connected. */
export async function diagnoseHosts({ workspace: { root }, env, cwd }: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const host of HOSTS) {
    const places: string[] = [];
    for (const [path, scope] of placesOf(host, root, env)) {
      places.push(path);
      try {
        const at = await installedAt({ root, env, host }, scope, path);
        findings.push(...(await examine(checksOf(host, path), at)));
      } catch (error) {
        findings.push({ level: 'fail', about: host, found: `${path}: ${inShort(error)}`, next: 'repair it' });
      }
    }
    for (const { path, finding } of packedFor(host, root, env)) {
      places.push(path);
      findings.push(finding);
    }
    const twice = `hooks run twice: from ${places.join(' and ')}`;
    if (places.length > 1)
      findings.push({ level: 'warn', about: host, found: twice, next: `scratchpad uninstall ${host}` });
  }
  return [...findings, ...(await examine([CODEX_WORK_TREE], { root, cwd, env }))];
}

/** The settings that call us, with their scope, and those that cannot be read. */
function placesOf(host: Host, root: string, env: NodeJS.ProcessEnv): (readonly [string, Scope])[] {
  if (host === 'openclaw')
    return exists(join(openClawState(env), 'extensions', 'scratchpad'))
      ? [[openClawConfig(env), 'user']]
      : [];
  const { local, project, user } = settingsFiles(host, root, env);
  const scopes = new Map<string, Scope>([
    [project, 'project'],
    [local, 'local'],
    [user, 'user'],
  ]);
  return [...scopes].filter(([path]) => {
    try {
      return hooksIn(readText(path, 'host') ?? '{}', path, callsUs(host)).length > 0;
    } catch {
      return true;
    }
  });
}

async function installedAt(where: Where, scope: Scope, path: string): Promise<Installed> {
  const { root, env, host } = where;
  const text = readText(path, 'host') ?? '{}';
  const usual = programOf(process.argv[1] ?? 'scratchpad', env);
  if (host === 'openclaw') {
    const settings = openClawSettings(text, path) ?? {};
    const changes = await changesFor(where, 'project', usual);
    return { ...where, path, scope: 'project', settings, program: usual, changes };
  }
  const ours = hooksIn(text, path, callsUs(host));
  const program = ours.map(({ hook }) => programOfHook(hook)).find(Boolean) ?? usual;
  // Hooks that call us in a person's own way are theirs.
  const isTheirs = !ours.some(({ hook }) => isHookOf(host)(hook));
  let changes = isTheirs ? [] : await changesFor(where, scope, program);
  // One file may be a person's own, or everybody's: then it names the program in a way that works on every machine.
  const { local, project } = settingsFiles(host, root, env);
  if (changes.length > 0 && local === project && path === project) {
    const shared = await changesFor(where, 'project', { command: 'scratchpad', args: [] });
    if (shared.length === 0) changes = shared;
  }
  return { ...where, path, scope, settings: read(text, path), program, changes };
}

async function changesFor(where: Where, scope: Scope, program: Program): Promise<PlannedChange[]> {
  const { targets } = await installationOf(where.host, { ...where, scope, program });
  return planInstall(targets).filter(({ before, after }) => before !== after);
}

const again = ({ host, scope }: Installed): string =>
  `scratchpad install ${host}${scope === 'local' || host === 'openclaw' ? '' : ` --scope ${scope}`}`;

function checksOf(about: Host, path: string): Check<Installed>[] {
  return [
    {
      about,
      wrong({ program: { command, args }, env }) {
        const [script] = args;
        if (findExecutable(command, env) === undefined)
          return `${path} calls ${command}, which cannot be run`;
        return script !== undefined && !exists(script)
          ? `${path} calls ${script}, which does not exist`
          : undefined;
      },
      next: again,
      fine: () => `hooks in ${path}`,
    },
    {
      about,
      wrong: ({ changes }) =>
        changes
          .filter(({ target }) => !isInstalled(target))
          .map(({ target }) => `${target.path} has nothing of scratchpad, which the hooks in ${path} need`),
      next: again,
    },
    {
      about,
      wrong: ({ changes }) =>
        changes
          .filter(({ target }) => isInstalled(target))
          .slice(0, 1)
          .map((change) => `${change.target.path} is not as this version writes it: ${firstLine(change)}`),
      next: (at) => `${again(at)}, again`,
      warns: true,
    },
    ...OF_HOST[about],
  ];
}

const firstLine = (change: PlannedChange): string =>
  shorten(/^ [+-] .*$/m.exec(showChange(change))?.[0].trim() ?? '', 100);

const switchedOff = (about: Host, place: readonly string[], value: boolean): Check<Installed> => ({
  about,
  wrong: ({ path, settings }) =>
    valueAt(settings, place) === value ? `${place.join('.')} is ${value} in ${path}` : undefined,
  next: `set it to ${!value}`,
});

/** What else silently keeps hooks from running. */
const OF_HOST: Readonly<Record<Host, readonly Check<Installed>[]>> = {
  'claude-code': [switchedOff('claude-code', ['disableAllHooks'], true)],
  codex: [
    {
      about: 'codex',
      wrong: codexDistrusts,
      next: 'start codex here once and trust the folder',
      // Whether the person has allowed the hooks, Codex alone knows.
      fine: () => 'it asks once whether it may run these hooks; /hooks there shows which it runs',
    },
    { about: 'PATH', wrong: ({ env }) => loginShellLacksUs(env), next: 'edit its login files', warns: true },
  ],
  'gemini-cli': [
    switchedOff('gemini-cli', ['hooksConfig', 'enabled'], false),
    {
      about: 'gemini-cli',
      wrong: geminiDistrusts,
      next: 'start gemini here once and trust the folder; without a terminal: GEMINI_CLI_TRUST_WORKSPACE=true',
    },
  ],
  openclaw: [
    {
      about: 'openclaw',
      wrong({ path, settings }) {
        if (Object.keys(settings).length === 0) return `${path} is JSON5: what it allows is not checked`;
        const place = ['plugins', 'entries', 'scratchpad', 'hooks', 'allowConversationAccess'];
        return valueAt(settings, place) === true
          ? undefined
          : `the plugin is not allowed to see the conversation: ${path}`;
      },
      next: 'openclaw config get plugins.entries.scratchpad says what it is allowed; install sets it',
    },
    {
      about: 'openclaw',
      wrong({ path, settings }) {
        const allow = objectAt(settings, 'plugins')?.allow;
        return Array.isArray(allow) && !allow.includes('scratchpad')
          ? `plugins.allow in ${path} leaves the plugin out`
          : undefined;
      },
      next: 'add scratchpad to that list',
    },
    { about: 'openclaw', wrong: openClawElsewhere, next: 'scratchpad init there', warns: true },
  ],
};

const SHELL_MS = 5000;

/** Codex runs commands in a login shell, whose startup files may set another PATH than this process has. */
function loginShellLacksUs(env: NodeJS.ProcessEnv): string | undefined {
  if (findExecutable('scratchpad', env) === undefined) return undefined;
  const shell = env.SHELL || '/bin/sh';
  const ask = ['-lc', 'command -v scratchpad'];
  const asked = spawnSync(shell, ask, { env, timeout: SHELL_MS, encoding: 'utf8' });
  return asked.error !== undefined || asked.status === 0
    ? undefined
    : `${shell} -lc, as Codex runs commands, finds no program called scratchpad: put its directory on the PATH there`;
}

/** Hooks of a project run only if the project, or the repository around it, is trusted. */
function codexDistrusts({ path, env }: Installed): string | undefined {
  const config = join(dirname(settingsFiles('codex', '', env).user), 'config.toml');
  if (dirname(path) === dirname(config)) return undefined;
  const project = dirname(dirname(path));
  // `[projects."PATH"]` with `trust_level = "trusted"`.
  const trusted = (readText(config, 'host') ?? '')
    .split(/^(?=\s*\[)/m)
    .filter((table) => /^\s*trust_level\s*=\s*["']trusted["']/m.test(table))
    .map((table) => /^\s*\[\s*projects\s*\.\s*(?:"([^"]*)"|'([^']*)')\s*\]/.exec(table))
    .map((match) => match?.[1] ?? match?.[2]);
  let repository = project;
  while (!exists(join(repository, '.git')) && dirname(repository) !== repository)
    repository = dirname(repository);
  return trusted.includes(project) || trusted.includes(repository)
    ? undefined
    : `${project} is not a trusted project in ${config}, so Codex runs none of its hooks`;
}

/** Work trees that Codex makes itself have nothing that git does not track, so no hooks of a project's `.codex/`. */
const CODEX_WORK_TREE: Check<{ root: string; cwd: string; env: NodeJS.ProcessEnv }> = {
  about: 'codex',
  wrong({ root, cwd, env }) {
    const { user } = settingsFiles('codex', root, env);
    const [here = '', there = ''] = [cwd, join(dirname(user), 'worktrees')].map(realPath);
    if (!here.startsWith(`${there}${sep}`)) return undefined;
    const files = [user];
    // A `.codex/` that git tracks is there.
    for (let dir = here; dir !== there; dir = dirname(dir))
      files.push(settingsFiles('codex', dir, env).project);
    return files.some((path) => tryReadText(path, 'host')?.includes('scratchpad'))
      ? undefined
      : `this work tree in ${there} has no .codex/ of its own: no hook runs here`;
  },
  next: 'scratchpad install codex --scope user',
  warns: true,
};

const realPath = (path: string): string => realPathOf(path) ?? path;

/** Gemini CLI silently runs no hooks in a folder that nobody has trusted. */
function geminiDistrusts({ host, root, env }: Installed): string | undefined {
  const { user } = settingsFiles(host, root, env);
  const trust = valueAt(settingsIn(user), ['security', 'folderTrust', 'enabled']);
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true' || trust === false) return undefined;
  const rules = join(dirname(user), 'trustedFolders.json');
  const level = innermost(root, settingsIn(rules));
  if (level === 'TRUST_FOLDER' || level === 'TRUST_PARENT') return undefined;
  const where = `${level === undefined ? 'not in' : 'ruled out by'} ${rules}`;
  return `Gemini CLI runs no hooks in a folder that is not trusted: ${root} is ${where}`;
}

function settingsIn(path: string): JsonObject {
  const text = readText(path, 'host') ?? '';
  return text.trim() === '' ? {} : read(text, path);
}

/** The rule for the innermost folder that contains this one. */
function innermost(root: string, rules: JsonObject): string | undefined {
  const [best] = Object.entries(rules)
    .map(([folder, level]) => ({
      covers: realPath(level === 'TRUST_PARENT' ? dirname(folder) : folder),
      level,
    }))
    .filter(({ covers }) => !relative(covers, realPath(root)).startsWith('..'))
    .sort((a, b) => b.covers.length - a.covers.length);
  return best && String(best.level);
}

/** The plugin uses the workspace that OpenClaw gives its agents, wherever the person's own is. */
function openClawElsewhere({ settings, root, env }: Installed): string | undefined {
  const { defaults, list, entries } = objectAt(settings, 'agents') ?? {};
  const home = homeOf(env);
  const agents = [list, entries].flatMap((some) =>
    Object.values(isObject(some) || Array.isArray(some) ? some : {}),
  );
  const named = [defaults, ...agents]
    .flatMap((agent) => textAt(membersOf(agent), 'workspace') ?? [])
    .map((path) => resolve(home, path.replace(/^~(?=[\\/]|$)/, home)));
  const all = named.length > 0 ? named : [join(openClawState(env), 'workspace')];
  return all.some((path) => path === root || exists(join(path, PAD_FILE)))
    ? undefined
    : `its agents work in ${all.join(', ')}, where there is no ${PAD_FILE}`;
}

/** Our plugin or extension, which includes the hooks. Hosts run a copy: one of an older package behaves like that one. */
function packedFor(host: Host, root: string, env: NodeJS.ProcessEnv): { path: string; finding: Finding }[] {
  const plugin = host === 'claude-code' ? enabledPlugin(root, env) : undefined;
  const extension = host === 'gemini-cli' ? installedExtension(root, env) : undefined;
  const path = plugin === undefined ? extension && `extension in ${extension}` : `plugin ${plugin}`;
  if (path === undefined) return [];
  const hooksOf = (folder: string): string | undefined =>
    tryReadText(join(folder, 'hooks/hooks.json'), 'host');
  const copies = plugin === undefined ? [extension ?? ''] : pluginCopies(plugin, root, env);
  const own = hooksOf(join(packageFolder(), 'templates', plugin ? 'claude-code-plugin' : 'gemini-extension'));
  const old = copies.find((copy) => hooksOf(copy) !== own);
  if (old === undefined) return [{ path, finding: { level: 'ok', about: host, found: path } }];
  const found = `${old} is a copy of another version`;
  const next = plugin ? `claude plugin update ${plugin}` : 'gemini extensions update scratchpad';
  return [{ path, finding: { level: 'warn', about: host, found, next } }];
}

function pluginCopies(plugin: string, root: string, env: NodeJS.ProcessEnv): string[] {
  const folder = join(dirname(settingsFiles('claude-code', root, env).user), 'plugins');
  const copies = valueAt(tryReadJson(join(folder, 'installed_plugins.json'), 'host'), ['plugins', plugin]);
  return (Array.isArray(copies) ? copies : []).flatMap(
    (copy) => textAt(membersOf(copy), 'installPath') ?? [],
  );
}
