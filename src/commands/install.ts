import { join } from 'node:path';
import { forgetInstalled, noteInstalled } from '../assembly/triggers/record.ts';
import { misuse, refused } from '../base/errors.ts';
import { DATA_DIR, exists, isTerminal, PAD_FILE, readSome, tryReadText } from '../base/fs/index.ts';
import { excludeFileOf } from '../base/git/exclude.ts';
import { gitPlace } from '../base/git/place.ts';
import { forTerminal } from '../base/safety/visible.ts';
import {
  applyInstall,
  applyUninstall,
  type PlannedChange,
  planInstall,
  planUninstall,
  showChange,
} from '../hosts/install/change.ts';
import {
  type Part,
  type PartOptions,
  partOf,
  partsThere,
  refusePaths,
  refuseTwice,
  scopeOf,
  usualScope,
} from '../hosts/install/part.ts';
import { shellLine } from '../hosts/install/program.ts';
import { checkService, startService, tellQuietly } from '../hosts/install/system.ts';
import { INSTALLABLE } from '../hosts/install/targets.ts';
import { isTimer } from '../hosts/install/timers/timer.ts';
import { hostsIn, makeWorkspace } from './init.ts';
import { type Invocation, type Takes, write } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

type InstallOptions = PartOptions & Takes<'scope', 'yes' | 'dryRun' | 'details'>;

/** Connects the scratchpad to a host or a timer. */
export async function install(
  invocation: Invocation,
  name: string | undefined,
  options: InstallOptions,
): Promise<void> {
  const opened = await openProject(invocation);
  if (name === undefined) {
    const here = hostsIn(opened.workspace.root).map(([host]) => `scratchpad install ${host}`);
    throw misuse('install for which host?', {
      expected: `one of ${INSTALLABLE.join(', ')}`,
      next: here.length > 0 ? `this folder looks like: ${here.join(', ')}` : undefined,
    });
  }
  const place = { ...opened, env: invocation.env };
  if (isTimer(name)) opened.mayMake();
  const part = await partOf(place, name, scopeOf(options.scope) ?? usualScope(name), options);
  const { installation, record, context } = part;
  const { targets, notes, service, installed } = installation;
  const { env } = invocation;
  // A timer serves one existing workspace; a host's hooks may create a new one.
  if (isTimer(name) && !opened.workspace.exists) opened.mayMake();
  await refuseTwice(place, part);
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
      ...(isTimer(name) ? [] : [`memory: ${await memoryOf(opened, env)}`]),
      'check it with: scratchpad doctor',
    ].join('\n'),
  );
}

/** Which memory the hooks will search. */
async function memoryOf({ config, workspace }: Opened, env: NodeJS.ProcessEnv): Promise<string> {
  const { searchedPlaces, spellSearched } = await import('../memory/sources.ts');
  const { memoryPaths } = await import('../memory/places.ts');
  return spellSearched(searchedPlaces(workspace.root, memoryPaths(config.memory, workspace.root, env)));
}

/**
 * Reverts an installation: in the scope named, else in every scope where this project has it. With `--all` and no
 * name, every installation.
 */
export async function uninstall(
  invocation: Invocation,
  name: string | undefined,
  options: InstallOptions & { all?: boolean },
): Promise<void> {
  if ((name === undefined) !== (options.all === true)) {
    throw misuse('uninstall what?', {
      expected: `one of ${INSTALLABLE.join(', ')}, or --all`,
      found: name === undefined ? 'nothing' : `both ${name} and --all`,
    });
  }
  const opened = await openProject(invocation);
  const parts = await partsThere({ ...opened, env: invocation.env }, name, options);
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
    [`${uninstalled}: removed from`, ...files, ...staying(opened)].join('\n'),
  );
}

/** What an uninstallation leaves: it is the person's. */
function staying({ workspace }: Opened): string[] {
  if (!workspace.exists) return [];
  const { root } = workspace;
  const held = [PAD_FILE, `${DATA_DIR}/`].filter((name) => exists(join(root, name)));
  const exclude = excludeFileOf(root);
  const lines = (exclude === undefined ? undefined : tryReadText(exclude, 'git'))?.split(/\r?\n/) ?? [];
  const excluded = lines.some((line) => held.some((name) => line.endsWith(`/${name}`)));
  const where = excluded ? `, and their lines in ${exclude}` : '';
  return [`left as it is: ${held.join(' and ')} in ${root}${where}`];
}

/** In a subdirectory of a project without a workspace, the top of the project is meant. */
async function openProject(invocation: Invocation): Promise<Opened> {
  const opened = await openSession(invocation);
  const { options, env, cwd } = invocation;
  if (opened.workspace.exists || options.workspace !== undefined || env.SCRATCHPAD_WORKSPACE) return opened;
  const top = gitPlace(cwd)?.top;
  return top === undefined || top === opened.workspace.root
    ? opened
    : openSession({ ...invocation, options: { ...options, workspace: top } }, { anywhere: true });
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
    ...(context.scope === 'user' ? [] : [`  workspace   ${join(root, PAD_FILE)}, ${made}, kept out of git`]),
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
    throw misuse('no terminal to ask for confirmation: nothing was changed', {
      expected: 'a terminal, or --yes',
      next: 'review the change above, then run the command again with --yes',
    });
  }
  write(2, 'Write this? [y/N] ');
  const answer = Buffer.alloc(64);
  const length = readSome(0, answer);
  if (/^\s*(?:y|yes)\s*$/i.test(answer.subarray(0, length).toString('utf8'))) return true;
  throw refused('nothing was changed', {});
}
