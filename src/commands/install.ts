import { join } from 'node:path';
import { isatty } from 'node:tty';
import { ScratchpadError } from '../errors.ts';
import { readSome } from '../fs/index.ts';
import {
  applyInstall,
  applyUninstall,
  type PlannedChange,
  planInstall,
  planUninstall,
  recordPath,
  showChange,
} from '../install/change.ts';
import type { InstallContext, Scope, TimerOptions } from '../install/installation.ts';
import { homeOf, programOf, shellLine } from '../install/program.ts';
import { checkService, startService, tellQuietly } from '../install/service.ts';
import { installationOf } from '../install/targets.ts';
import { isTimer, TIMERS } from '../install/timers/timer.ts';
import { forTerminal } from '../safety/visible.ts';
import { forgetInstalled, noteInstalled } from '../triggers/installed.ts';
import { type Invocation, write } from './invocation.ts';
import { openSession } from './open.ts';

export interface InstallOptions extends TimerOptions {
  scope?: string;
  yes?: boolean;
  dryRun?: boolean;
  file?: string;
}

/** Wires the scratchpad into a host or a timer. Shape with `--json`: `{installed, changed, files, notes}`. */
export async function install(invocation: Invocation, name: string, options: InstallOptions): Promise<void> {
  const { opened, context, record } = await prepare(invocation, name, options);
  const { store } = opened;
  if (isTimer(name)) opened.mayMake();
  const { targets, notes, service, installed } = await installationOf(name, context);
  const { env } = invocation;
  const changes = planInstall(targets);
  const real = changes.filter(({ before, after }) => before !== after);
  const files = changes.map(({ target }) => target.path);
  const start = (): void => {
    if (service) startService(service, env);
    if (installed) noteInstalled(store.paths.dir, installed);
  };
  if (real.length === 0) {
    // A timer that somebody stopped is started anew.
    if (!options.dryRun) {
      if (service) tellQuietly(service.stop, env);
      start();
    }
    invocation.result(
      { installed: name, changed: false, files, notes },
      `${name}: installed already\n${files.join('\n')}`,
    );
    return;
  }
  if (service && !options.dryRun) checkService(service, env);
  if (!confirmed(invocation, real, service?.start ?? [], options)) return;
  // A workspace with a pad is what the hooks look for.
  if (context.scope !== 'user') await store.change(() => []);
  if (service) tellQuietly(service.stop, env);
  applyInstall(real, record, start);
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

/** Takes an installation back. Shape with `--json`: `{uninstalled, changed, files}`. */
export async function uninstall(
  invocation: Invocation,
  name: string,
  options: InstallOptions,
): Promise<void> {
  const { opened, context, record } = await prepare(invocation, name, options);
  const { targets, service } = await installationOf(name, context);
  const changes = planUninstall(targets, record);
  const real = changes.filter(({ before, after }) => before !== after);
  const files = real.map(({ target }) => target.path);
  const forget = (): void => {
    if (isTimer(name)) forgetInstalled(opened.store.paths.dir, name);
  };
  if (real.length === 0) {
    if (!options.dryRun) forget();
    invocation.result({ uninstalled: name, changed: false, files }, `${name}: not installed here`);
    return;
  }
  if (!confirmed(invocation, real, service?.stop ?? [], options)) return;
  if (service) tellQuietly(service.stop, invocation.env);
  applyUninstall(real, record);
  if (service) tellQuietly(service.gone, invocation.env);
  forget();
  invocation.result(
    { uninstalled: name, changed: true, files },
    [`${name}: removed from`, ...files].join('\n'),
  );
}

const TIMES = ['every', 'cron', 'activeHours', 'timezone'] as const;

async function prepare(invocation: Invocation, name: string, options: InstallOptions) {
  const opened = await openSession(invocation);
  const { workspace, config, store } = opened;
  const { env } = invocation;
  const scope = scopeOf(options.scope);
  const { file } = options;
  const given = TIMES.find((time) => options[time] !== undefined);
  if (given !== undefined && !isTimer(name)) {
    throw new ScratchpadError('usage', `${name} is no timer`, {
      where: `--${given.replace('activeHours', 'active-hours')}`,
      expected: `no times, or one of ${TIMERS.join(', ')}`,
    });
  }
  const { session } = store.paths;
  const own = isTimer(name) && session !== config.primarySession ? [session] : [];
  const context: InstallContext = {
    root: workspace.root,
    env,
    scope,
    program: programOf(process.argv[1] ?? 'scratchpad', env),
    times: options,
    ...(file === undefined ? {} : { file }),
    ...(own[0] === undefined ? {} : { session: own[0] }),
  };
  const dir =
    scope === 'user'
      ? join(env.XDG_STATE_HOME || join(homeOf(env), '.local', 'state'), 'scratchpad')
      : store.paths.data;
  const label = [name, scope, ...(file === undefined ? [] : [file]), ...own].join('-');
  return { opened, context, record: recordPath(dir, label.replace(/[^\w.-]+/g, '_')) };
}

function scopeOf(given: string | undefined): Scope {
  if (given === undefined || given === 'project') return 'project';
  if (given === 'local' || given === 'user') return given;
  throw new ScratchpadError('usage', 'no such scope', { expected: 'project, local or user', found: given });
}

/** Shows the change and asks; `--yes` is for scripts, `--dry-run` shows only. */
function confirmed(
  invocation: Invocation,
  changes: readonly PlannedChange[],
  steps: readonly string[][],
  { yes, dryRun }: InstallOptions,
): boolean {
  const runs = steps.map((words) => `runs: ${shellLine(words)}`);
  const shown = [...changes.map(showChange), ...(runs.length > 0 ? [runs.join('\n')] : [])].join('\n\n');
  if (dryRun) {
    const files = changes.map(({ target, after }) => ({ path: target.path, after: after ?? null }));
    invocation.result({ dryRun: true, files, runs: steps.map(shellLine) }, shown);
    return false;
  }
  if (yes) return true;
  write(2, `${forTerminal(shown)}\n\n`);
  if (!isatty(0)) {
    throw new ScratchpadError('usage', 'nobody is there to say yes: nothing was changed', {
      expected: 'a terminal, or --yes',
      next: 'look at the change above, then run it again with --yes',
    });
  }
  write(2, 'Write this? [y/N] ');
  const answer = Buffer.alloc(64);
  const length = readSome(0, answer);
  if (/^\s*(?:y|yes)\s*$/i.test(answer.subarray(0, length).toString('utf8'))) return true;
  throw new ScratchpadError('refused', 'nothing was changed', {});
}
