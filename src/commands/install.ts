import { isAbsolute, join, relative } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { homeOf, isTerminal, readSome } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { trackedBelow } from '../git/tracked.ts';
import {
  applyInstall,
  applyUninstall,
  isInstalled,
  type PlannedChange,
  planInstall,
  planUninstall,
  recordPath,
  showChange,
} from '../install/change.ts';
import { excludeTarget } from '../install/git-exclude.ts';
import type { Installation, InstallContext, Scope, TimerOptions } from '../install/installation.ts';
import { programOf, shellLine } from '../install/program.ts';
import { checkService, startService, tellQuietly } from '../install/service.ts';
import { HOSTS, INSTALLABLE, installationOf } from '../install/targets.ts';
import { isTimer, TIMERS } from '../install/timers/timer.ts';
import { forTerminal } from '../safety/visible.ts';
import { forgetInstalled, noteInstalled } from '../triggers/installed.ts';
import { makeWorkspace } from './init.ts';
import { type Invocation, write } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

export interface InstallOptions extends TimerOptions {
  scope?: string;
  yes?: boolean;
  dryRun?: boolean;
  details?: boolean;
  file?: string;
}

/** Connects the scratchpad to a host or a timer. Shape with `--json`: `{installed, changed, files, notes}`. */
export async function install(invocation: Invocation, name: string, options: InstallOptions): Promise<void> {
  const opened = await openProject(invocation);
  if (isTimer(name)) opened.mayMake();
  const part = await partOf(invocation, opened, name, scopeOf(options.scope) ?? usualScope(name), options);
  const { installation, record, context } = part;
  const { targets, notes, service, installed } = installation;
  const { env } = invocation;
  // A timer serves one existing workspace; a host's hooks may create a new one.
  if (isTimer(name) && !opened.workspace.exists) opened.mayMake();
  await refuseTwice(invocation, opened, part);
  refusePaths(part);
  const changes = planInstall(targets);
  const real = changes.filter(({ before, after }) => before !== after);
  const files = changes.map(({ target }) => target.path);
  const start = (): void => {
    if (service) startService(service, env);
    if (installed) noteInstalled(opened.store.paths.dir, installed);
  };
  if (real.length === 0) {
    // Restart a timer that somebody stopped.
    if (!options.dryRun) {
      if (service) tellQuietly(service.stop, env);
      start();
    }
    invocation.result(
      { installed: name, changed: false, files, notes },
      `${name}: already installed\n${files.join('\n')}`,
    );
    return;
  }
  if (service && !options.dryRun) checkService(service, env);
  if (!confirmed(invocation, shortly(part, opened), real, service?.start ?? [], options)) return;
  // The hooks look for a workspace with a pad.
  if (context.scope !== 'user') await makeWorkspace(opened, invocation);
  if (service) tellQuietly(service.stop, env);
  // Plan files again that other programs keep writing, and that the line above may have changed.
  const now = real.flatMap((change) => (change.target.rewritten ? planInstall([change.target]) : [change]));
  applyInstall(now, record, start);
  invocation.result(
    { installed: name, changed: true, files, notes },
    [
      `${name}: installed`,
      ...files,
      ...notes.map((note) => `note: ${note}`),
      'check it with: scratchpad doctor',
    ].join('\n'),
  );
}

/**
 * Reverts an installation: in the scope named, else in every scope where this project has it. With `--all` and no
 * name, every installation. Shape with `--json`: `{uninstalled, changed, files}`.
 */
export async function uninstall(
  invocation: Invocation,
  name: string | undefined,
  options: InstallOptions & { all?: boolean },
): Promise<void> {
  if ((name === undefined) !== (options.all === true)) {
    throw new ScratchpadError('usage', 'uninstall what?', {
      expected: `one of ${INSTALLABLE.join(', ')}, or --all`,
      found: name === undefined ? 'nothing' : `both ${name} and --all`,
    });
  }
  const opened = await openProject(invocation);
  const parts = await partsThere(invocation, opened, name, options);
  const seen = new Set<string>();
  const real = parts.flatMap(({ changes }) =>
    changes.filter(({ target, before, after }) => {
      const first = before !== after && !seen.has(target.path);
      seen.add(target.path);
      return first;
    }),
  );
  const files = real.map(({ target }) => target.path);
  const uninstalled = name ?? 'all';
  const forget = (): void => {
    for (const { name: each } of parts) if (isTimer(each)) forgetInstalled(opened.store.paths.dir, each);
  };
  if (real.length === 0) {
    if (!options.dryRun) forget();
    invocation.result({ uninstalled, changed: false, files }, `${uninstalled}: not installed here`);
    return;
  }
  const stops = parts.flatMap(({ installation }) => installation.service?.stop ?? []);
  if (!confirmed(invocation, ['To be reverted:', ...files.map((file) => `  ${file}`)], real, stops, options))
    return;
  for (const { installation, record } of parts) {
    const { service, targets } = installation;
    if (service) tellQuietly(service.stop, invocation.env);
    // Plan again: one file may hold parts of several installations.
    applyUninstall(planUninstall(targets, record), record);
    if (service) tellQuietly(service.gone, invocation.env);
  }
  forget();
  invocation.result(
    { uninstalled, changed: true, files },
    [`${uninstalled}: removed from`, ...files].join('\n'),
  );
}

const TIMES = ['every', 'cron', 'activeHours', 'timezone'] as const;

/** One thing to install, in one scope. */
interface Part {
  name: string;
  context: InstallContext;
  installation: Installation;
  record: string;
}

/** In a subdirectory of a project without a workspace, the top of the project is meant. */
async function openProject(invocation: Invocation): Promise<Opened> {
  const opened = await openSession(invocation);
  const { options, env, cwd } = invocation;
  if (opened.workspace.exists || options.workspace !== undefined || env.SCRATCHPAD_WORKSPACE) return opened;
  const top = gitPlace(cwd)?.top;
  return top === undefined || top === opened.workspace.root
    ? opened
    : openSession({ ...invocation, options: { ...options, workspace: top } });
}

async function partOf(
  { env }: Invocation,
  { workspace, config, store }: Opened,
  name: string,
  scope: Scope,
  options: InstallOptions,
): Promise<Part> {
  const { file } = options;
  const given = TIMES.find((time) => options[time] !== undefined);
  if (given !== undefined && !isTimer(name)) {
    throw new ScratchpadError('usage', `${name} is not a timer`, {
      where: `--${given.replace('activeHours', 'active-hours')}`,
      expected: `no times, or one of ${TIMERS.join(', ')}`,
    });
  }
  const { root } = workspace;
  const { session } = store.paths;
  const own = isTimer(name) && session !== config.primarySession ? [session] : [];
  const context: InstallContext = {
    ...{ root, env, scope, times: options },
    // Shared settings name the program in a way that works on every machine.
    program:
      scope === 'project' && hasScopes(name)
        ? { command: 'scratchpad', args: [] }
        : programOf(process.argv[1] ?? 'scratchpad', env),
    ...(file === undefined ? {} : { file }),
    ...(own[0] === undefined ? {} : { session: own[0] }),
  };
  const dir =
    scope === 'user'
      ? join(env.XDG_STATE_HOME || join(homeOf(env), '.local', 'state'), 'scratchpad')
      : store.paths.data;
  const label = [name, scope, ...(file === undefined ? [] : [file]), ...own].join('-');
  const found = await installationOf(name, context);
  const inProject = found.targets.map(({ path }) => path).filter((path) => path.startsWith(`${root}/`));
  const exclude = scope === 'local' && found.does ? excludeTarget(name, root, inProject) : undefined;
  const installation = exclude ? { ...found, targets: [...found.targets, exclude] } : found;
  return { name, context, installation, record: recordPath(dir, label.replace(/[^\w.-]+/g, '_')) };
}

/** The installed ones among those asked for, with the changes that would revert them. */
async function partsThere(
  invocation: Invocation,
  opened: Opened,
  name: string | undefined,
  options: InstallOptions,
): Promise<(Part & { changes: PlannedChange[] })[]> {
  const asked = scopeOf(options.scope);
  const found: (Part & { changes: PlannedChange[] })[] = [];
  for (const each of name === undefined ? INSTALLABLE : [name]) {
    const usual: Scope[] = !hasScopes(each)
      ? ['project']
      : name === undefined
        ? SCOPES
        : ['local', 'project'];
    for (const scope of asked === undefined ? usual : [asked]) {
      try {
        const part = await partOf(invocation, opened, each, scope, options);
        const changes = planUninstall(part.installation.targets, part.record);
        if (name !== undefined || changes.some(({ before, after }) => before !== after))
          found.push({ ...part, changes });
      } catch (error) {
        // With --all, skip what does not apply here, such as a timer of another system.
        if (name !== undefined) throw error;
      }
    }
  }
  return found;
}

const SCOPES: Scope[] = ['local', 'project', 'user'];
const hasScopes = (name: string): boolean =>
  ['claude', 'gemini', ...HOSTS].includes(name) && name !== 'openclaw';
const usualScope = (name: string): Scope => (hasScopes(name) ? 'local' : 'project');

/**
 * Hooks in two scopes would each run at every event.
 * @throws ScratchpadError `refused`
 */
async function refuseTwice(
  invocation: Invocation,
  opened: Opened,
  { name, context, installation }: Part,
): Promise<void> {
  if (!hasScopes(name) || installation.withoutHooks) return;
  const [own] = (await installationOf(name, context)).targets;
  for (const scope of SCOPES) {
    const other = await partOf(invocation, opened, name, scope, {});
    const [hooks] = other.installation.targets;
    if (
      hooks === undefined ||
      other.installation.withoutHooks ||
      hooks.path === own?.path ||
      !isInstalled(hooks)
    )
      continue;
    throw new ScratchpadError('refused', 'already installed: every hook would run twice', {
      where: hooks.path,
      expected: `one scope, such as ${context.scope}`,
      found: `scope ${scope}`,
      next: `scratchpad uninstall ${name} --scope ${scope}`,
    });
  }
}

/**
 * A file that git tracks is everybody's: it is not to name a path of this machine.
 * @throws ScratchpadError `refused`
 */
function refusePaths({ name, context: { root, program, scope }, installation }: Part): void {
  if (scope !== 'local' || !isAbsolute(program.command)) return;
  const inProject = installation.targets.map(({ path }) => relative(root, path));
  const [tracked] = trackedBelow(
    root,
    inProject.filter((path) => !path.startsWith('..') && !isAbsolute(path)),
  );
  if (tracked === undefined) return;
  throw new ScratchpadError('refused', 'git tracks the file: a path of this machine would be committed', {
    where: join(root, tracked),
    expected: 'a command that works on every machine, or settings of your own',
    next: `scratchpad install ${name} --scope project, or --scope user`,
  });
}

function scopeOf(given: string | undefined): Scope | undefined {
  if (given === undefined || given === 'project' || given === 'local' || given === 'user') return given;
  throw new ScratchpadError('usage', 'no such scope', { expected: 'local, project or user', found: given });
}

/** Summary of an installation in five lines. */
function shortly({ name, context, installation }: Part, { workspace }: Opened): string[] {
  if (installation.does === undefined) return [];
  const { root } = workspace;
  const whose = {
    local: `for you in ${root}`,
    project: `for everyone in ${root}`,
    user: 'for you in every project that has a scratchpad',
  }[context.scope];
  const made = workspace.exists ? 'exists' : 'will be created';
  return [
    `${name}, ${whose}:`,
    ...installation.does.map((line) => `  ${line}`),
    ...(context.scope === 'user'
      ? []
      : [`  workspace   ${join(root, 'SCRATCHPAD.md')}, ${made}, kept out of git`]),
    `  undo        scratchpad uninstall ${name}${context.scope === 'user' ? ' --scope user' : ''}`,
  ];
}

/** Shows the change and asks; `--yes` is for scripts, `--dry-run` only shows it. */
function confirmed(
  invocation: Invocation,
  short: readonly string[],
  changes: readonly PlannedChange[],
  steps: readonly string[][],
  { yes, dryRun, details }: InstallOptions,
): boolean {
  const runs = steps.map((words) => `runs: ${shellLine(words)}`);
  const whole = [...changes.map(showChange), ...(runs.length > 0 ? [runs.join('\n')] : [])].join('\n\n');
  const shown =
    short.length === 0 || details
      ? [...short, whole].join('\n\n')
      : [...short, ...runs, '(show every line with --details)'].join('\n');
  if (dryRun) {
    const files = changes.map(({ target, after }) => ({ path: target.path, after: after ?? null }));
    invocation.result({ dryRun: true, files, runs: steps.map(shellLine) }, shown);
    return false;
  }
  if (yes) return true;
  write(2, `${forTerminal(shown)}\n\n`);
  if (!isTerminal(0)) {
    throw new ScratchpadError('usage', 'no terminal to ask for confirmation: nothing was changed', {
      expected: 'a terminal, or --yes',
      next: 'review the change above, then run the command again with --yes',
    });
  }
  write(2, 'Write this? [y/N] ');
  const answer = Buffer.alloc(64);
  const length = readSome(0, answer);
  if (/^\s*(?:y|yes)\s*$/i.test(answer.subarray(0, length).toString('utf8'))) return true;
  throw new ScratchpadError('refused', 'nothing was changed', {});
}
