import { isAbsolute, join, relative } from 'node:path';
import type { Times } from '../../assembly/triggers/times.ts';
import { refusal, usageError } from '../../base/errors.ts';
import { findHome } from '../../base/fs/index.ts';
import { excludeLine } from '../../base/git/exclude.ts';
import { listTracked } from '../../base/git/index-file.ts';
import { findGitPlace } from '../../base/git/place.ts';
import { getBackupFile, makeMarkedBlock, type PlannedChange, planUninstall, type Target } from './change.ts';
import type { DoctorContext } from './doctor.ts';
import {
  findSettingsWithHooks,
  HOSTS,
  type Host,
  isPlugged,
  listSettingsFiles,
  type Scope,
} from './hosts.ts';
import { buildInstallation, INSTALLABLE } from './installation.ts';
import { findProgram } from './program.ts';
import type { Installation, InstallContext } from './types.ts';

type InstallPlace = Pick<DoctorContext, 'workspace' | 'config' | 'store'> & { env: NodeJS.ProcessEnv };

export interface PartOptions extends Times {
  file?: string;
  hooks?: boolean;
}

export interface Part {
  name: string;
  context: InstallContext;
  installation: Installation;
  record: string;
}

export function makePart(
  { workspace, config, store, env }: InstallPlace,
  name: string,
  scope: Scope,
  options: PartOptions,
): Part {
  const { file, hooks } = options;
  const { root } = workspace;
  const { session } = store.paths;
  const timerSession = name === 'cron' && session !== config.primarySession ? session : undefined;
  const context: InstallContext = {
    root,
    env,
    scope,
    times: options,
    // Shared settings name the program in a way that works on every machine.
    program:
      scope === 'project' && hasScopes(name)
        ? { command: 'scratchpad', args: [] }
        : findProgram(process.argv[1] ?? 'scratchpad', env),
    file,
    hooks,
    session: timerSession,
  };

  const dir =
    scope === 'user'
      ? join(env.XDG_STATE_HOME || join(findHome(env), '.local', 'state'), 'scratchpad')
      : store.paths.data;
  const label = [name, scope, file, timerSession].filter((part) => part !== undefined).join('-');
  const base = buildWithoutTrackedPath(name, context);
  const inProject = base.targets.map(({ path }) => path).filter((path) => path.startsWith(`${root}/`));
  const exclude = scope === 'local' ? makeExcludeTarget(name, root, inProject) : undefined;
  const installation = exclude ? { ...base, targets: [...base.targets, exclude] } : base;

  return { name, context, installation, record: getBackupFile(dir, label.replace(/[^\w.-]+/g, '_')) };
}

export function listInstalledParts(
  place: InstallPlace,
  name: string | undefined,
  options: PartOptions & { scope?: string },
): (Part & { changes: PlannedChange[] })[] {
  const requestedScope = parseScope(options.scope);
  const parts: (Part & { changes: PlannedChange[] })[] = [];

  for (const each of name === undefined ? INSTALLABLE : [name]) {
    const hostScopes: Scope[] = name === undefined ? SCOPES : ['local', 'project'];
    const usualScopes: Scope[] = hasScopes(each) ? hostScopes : ['project'];

    for (const scope of requestedScope === undefined ? usualScopes : [requestedScope]) {
      try {
        const part = makePart(place, each, scope, options);
        const changes = planUninstall(part.installation.targets, part.record);
        if (name !== undefined || changes.some(({ before, after }) => before !== after))
          parts.push({ ...part, changes });
      } catch (error) {
        // With --all, skip what does not apply here, such as cron where there is none.
        if (name !== undefined) throw error;
      }
    }
  }

  return parts;
}

/** The installation, without the path of this machine if git tracks one of its files, which everybody has then. */
function buildWithoutTrackedPath(name: string, context: InstallContext): Installation {
  const { root, scope, program } = context;
  const installation = buildInstallation(name, context);
  if (scope !== 'local' || program.fallback === undefined) return installation;
  if (listTrackedFiles(root, installation).length === 0) return installation;

  return buildInstallation(name, { ...context, program: { command: program.command, args: program.args } });
}

function listTrackedFiles(root: string, { targets }: Installation): string[] {
  const paths = targets.map(({ path }) => relative(root, path));
  return listTracked(
    root,
    paths.filter((path) => !path.startsWith('..') && !isAbsolute(path)),
  );
}

const SCOPES: Scope[] = ['local', 'project', 'user'];
const isHost = (name: string): name is Host => HOSTS.some((host) => host === name);
const hasScopes = (name: string): boolean => isHost(name) && name !== 'openclaw';
export const getUsualScope = (name: string): Scope => (hasScopes(name) ? 'local' : 'project');

/** Refuses hooks in a second scope: each would run at every event. @throws ScratchpadError `refused` */
export function refuseTwice({ name, context: { root, env, scope }, installation }: Part): void {
  if (!isHost(name) || !hasScopes(name) || installation.withoutHooks) return;

  const path = listSettingsFiles(name, root, env)[scope];
  const other = [...findSettingsWithHooks(name, root, env)].find(([otherPath]) => otherPath !== path);
  if (other === undefined) return;

  const [where, [found = scope]] = other;
  throw refusal('already installed: every hook would run twice', {
    where,
    expected: `one scope, such as ${scope}`,
    found: `scope ${found}`,
    next: { command: `scratchpad uninstall ${name} --scope ${found}` },
  });
}

/** Refuses a path of this machine in a file that git tracks, and everybody has. @throws ScratchpadError `refused` */
export function refusePaths({ name, context: { root, program, scope }, installation }: Part): void {
  if (isPlugged(name) && scope === 'project')
    throw usageError(`the plugin of ${name} names a path of this machine`, {
      expected: '--scope local or --scope user',
      found: '--scope project',
    });

  if (scope !== 'local' || !(isPlugged(name) || isAbsolute(program.command))) return;

  const [tracked] = listTrackedFiles(root, installation);
  if (tracked === undefined) return;

  throw refusal('git tracks the file: a path of this machine would be committed', {
    where: join(root, tracked),
    expected: 'a command that works on every machine, or settings of your own',
    next: { command: `scratchpad install ${name} --scope project, or --scope user` },
  });
}

export function parseScope(name: string | undefined): Scope | undefined {
  const scope = SCOPES.find((each) => each === name);
  if (scope !== undefined || name === undefined) return scope;
  throw usageError('no such scope', { expected: 'local, project or user', found: name });
}

/** Keeps a person's own files out of commits, through the clone's own exclude file. */
function makeExcludeTarget(name: string, root: string, paths: readonly string[]): Target | undefined {
  const place = findGitPlace(root);
  if (place === undefined) return undefined;

  const lines = paths.flatMap((path) => excludeLine(place.top, path) ?? []);
  if (lines.length === 0) return undefined;

  const markers = { open: `# scratchpad install ${name}`, close: `# end of scratchpad install ${name}` };
  const file = join(place.commonDir, 'info', 'exclude');

  return { ...makeMarkedBlock(file, markers, `${lines.join('\n')}\n`), rewritten: true };
}
