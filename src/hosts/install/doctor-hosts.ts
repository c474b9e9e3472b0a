import { inShort } from '../../base/errors.ts';
import { exists, readText } from '../../base/fs/index.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { shorten } from '../../base/text/strings.ts';
import { isInstalled, type PlannedChange, planInstall, showChange } from './change.ts';
import { type Check, type Examined, examine, type Finding } from './doctor.ts';
import { isHookOf, programOfHook } from './hook-command.ts';
import {
  HOSTS,
  type Host,
  openClawConfig,
  openClawPlugin,
  pluginOf,
  type Scope,
  settingsFiles,
} from './hosts.ts';
import { installationOf, openClawSettings } from './installation.ts';
import { hooksIn, read, valueAt } from './json-parts.ts';
import { findExecutable, type Program, programOf } from './program.ts';

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
  HOSTS.filter((host) => placesOf({ host, root, env }).length > 0 || pluginOf(host, root, env) !== undefined);

/** What else may keep hooks from running, which the host alone knows. */
const ALSO: Readonly<Record<Host, string>> = {
  'claude-code': '',
  codex:
    '; it asks once whether it trusts the folder and may run these hooks: /hooks there shows which it runs',
  'gemini-cli': '; it runs them in a folder that it trusts, or with GEMINI_CLI_TRUST_WORKSPACE=true',
  openclaw: '; a list in plugins.allow has to name scratchpad, too',
};

/** Settings with which a host runs no hooks. */
const OFF: Readonly<Partial<Record<Host, readonly [place: string[], value: boolean]>>> = {
  'claude-code': [['disableAllHooks'], true],
  'gemini-cli': [['hooksConfig', 'enabled'], false],
};

/** Finds nothing about a host that is not connected. */
export async function diagnoseHosts({ workspace: { root }, env }: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const host of HOSTS) {
    const places = placesOf({ root, env, host });
    for (const [path, scope] of places) {
      try {
        findings.push(...(await examine(CHECKS, await installedAt({ root, env, host }, scope, path))));
      } catch (error) {
        findings.push({ level: 'fail', about: host, found: `${path}: ${inShort(error)}`, next: 'repair it' });
      }
    }
    const plugin = pluginOf(host, root, env);
    if (plugin !== undefined) findings.push({ level: 'ok', about: host, found: plugin });
    const from = [...places.map(([path]) => path), ...(plugin === undefined ? [] : [plugin])];
    const found = `hooks run twice: from ${from.join(' and ')}`;
    if (from.length > 1)
      findings.push({ level: 'warn', about: host, found, next: `scratchpad uninstall ${host}` });
  }
  return findings;
}

/** The settings that call us, with their scope, and those that cannot be read. */
function placesOf({ host, root, env }: Where): (readonly [path: string, scope: Scope])[] {
  if (host === 'openclaw') return exists(openClawPlugin(env)) ? [[openClawConfig(env), 'project']] : [];
  const { local, project, user } = settingsFiles(host, root, env);
  const scopes = new Map<string, Scope>([
    [project, 'project'],
    [local, 'local'],
    [user, 'user'],
  ]);
  return [...scopes].filter(([path]) => {
    try {
      return hooksIn(readText(path, 'host') ?? '{}', path, isHookOf(host)).length > 0;
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
    const changes = await changesFor(where, scope, usual);
    return { ...where, path, scope, settings: openClawSettings(text, path) ?? {}, program: usual, changes };
  }
  const ours = hooksIn(text, path, isHookOf(host));
  const program = ours.map(({ hook }) => programOfHook(hook)).find(Boolean) ?? usual;
  let changes = await changesFor(where, scope, program);
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

const CHECKS: readonly Check<Installed>[] = [
  {
    about: ({ host }) => host,
    wrong({ program: { command, args }, env, path }) {
      const [script] = args;
      if (findExecutable(command, env) === undefined) return `${path} calls ${command}, which cannot be run`;
      return script === undefined || exists(script)
        ? undefined
        : `${path} calls ${script}, which does not exist`;
    },
    next: again,
    fine: ({ host, path }) => `hooks in ${path}${ALSO[host]}`,
  },
  {
    about: ({ host }) => host,
    wrong: ({ changes, path }) =>
      changes
        .filter(({ target }) => !isInstalled(target))
        .map(({ target }) => `${target.path} has nothing of scratchpad, which the hooks in ${path} need`),
    next: again,
  },
  {
    about: ({ host }) => host,
    wrong: ({ changes }) =>
      changes
        .filter(({ target }) => isInstalled(target))
        .slice(0, 1)
        .map((change) => `${change.target.path} is not as this version writes it: ${firstLine(change)}`),
    next: (at) => `${again(at)}, again`,
    warns: true,
  },
  {
    about: ({ host }) => host,
    wrong({ host, path, settings }) {
      const [place = [], value] = OFF[host] ?? [];
      const isOff = value !== undefined && valueAt(settings, place) === value;
      return isOff ? `${place.join('.')} is ${value} in ${path}, so no hook runs` : undefined;
    },
    next: 'take that out',
  },
];

const firstLine = (change: PlannedChange): string =>
  shorten(/^ [+-] .*$/m.exec(showChange(change))?.[0].trim() ?? '', 100);
