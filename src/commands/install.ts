import { readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { ScratchpadError } from '../errors.ts';
import {
  applyInstall,
  applyUninstall,
  type PlannedChange,
  planInstall,
  planUninstall,
  recordPath,
  showChange,
} from '../install/change.ts';
import { programOf } from '../install/program.ts';
import { type InstallContext, installationOf, type Scope } from '../install/targets.ts';
import { type Invocation, write } from './invocation.ts';
import { openSession } from './open.ts';

export interface InstallOptions {
  scope?: string;
  yes?: boolean;
  dryRun?: boolean;
  file?: string;
}

/** Wires the scratchpad into a host. Shape with `--json`: `{installed, changed, files, notes}`. */
export async function install(invocation: Invocation, name: string, options: InstallOptions): Promise<void> {
  const { context, record, store } = await prepare(invocation, name, options);
  const { targets, notes } = await installationOf(name, context);
  const changes = planInstall(targets);
  const real = changes.filter(({ before, after }) => before !== after);
  const files = changes.map(({ target }) => target.path);
  if (real.length === 0) {
    invocation.result(
      { installed: name, changed: false, files, notes },
      `${name}: installed already\n${files.join('\n')}`,
    );
    return;
  }
  if (!confirmed(invocation, real, options)) return;
  // A workspace with a pad is what the hooks look for.
  if (context.scope !== 'user') await store.change(() => []);
  applyInstall(real, record);
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
  const { context, record } = await prepare(invocation, name, options);
  const { targets } = await installationOf(name, context);
  const changes = planUninstall(targets, record);
  const real = changes.filter(({ before, after }) => before !== after);
  const files = real.map(({ target }) => target.path);
  if (real.length === 0) {
    invocation.result({ uninstalled: name, changed: false, files }, `${name}: not installed here`);
    return;
  }
  if (!confirmed(invocation, real, options)) return;
  applyUninstall(real, record);
  invocation.result(
    { uninstalled: name, changed: true, files },
    [`${name}: removed from`, ...files].join('\n'),
  );
}

async function prepare(invocation: Invocation, name: string, options: InstallOptions) {
  const { workspace, store } = await openSession(invocation);
  const { env } = invocation;
  const scope = scopeOf(options.scope);
  const context: InstallContext = {
    root: workspace.root,
    env,
    scope,
    program: programOf(process.argv[1] ?? 'scratchpad', env),
    ...(options.file === undefined ? {} : { file: options.file }),
  };
  const home = env.HOME || env.USERPROFILE || homedir();
  const dir =
    scope === 'user'
      ? join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'scratchpad')
      : store.paths.data;
  const label = [name, scope, ...(options.file === undefined ? [] : [options.file])].join('-');
  return { context, store, record: recordPath(dir, label.replace(/[^\w.-]+/g, '_')) };
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
  { yes, dryRun }: InstallOptions,
): boolean {
  const shown = changes.map(showChange).join('\n\n');
  if (dryRun) {
    const files = changes.map(({ target, after }) => ({ path: target.path, after: after ?? null }));
    invocation.result({ dryRun: true, files }, shown);
    return false;
  }
  if (yes) return true;
  write(2, `${shown}\n\n`);
  if (!isatty(0)) {
    throw new ScratchpadError('usage', 'nobody is there to say yes: nothing was changed', {
      expected: 'a terminal, or --yes',
      next: 'look at the change above, then run it again with --yes',
    });
  }
  write(2, 'Write this? [y/N] ');
  const answer = Buffer.alloc(64);
  const length = readSync(0, answer, 0, answer.length, null);
  if (/^\s*(?:y|yes)\s*$/i.test(answer.subarray(0, length).toString('utf8'))) return true;
  throw new ScratchpadError('refused', 'nothing was changed', {});
}
