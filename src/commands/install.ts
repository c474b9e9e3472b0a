import { join } from 'node:path';
import { Help } from 'commander';
import { attempt, describeError, failure, refusal, usageError } from '../base/errors.ts';
import {
  DATA_DIR,
  exists,
  findHome,
  isInside,
  isTerminal,
  PAD_FILE,
  readSome,
  resolvePlace,
  stateFolder,
} from '../base/fs/index.ts';
import { findGitPlace } from '../base/git/place.ts';
import { sanitizeForTerminal } from '../base/safety/outgoing.ts';
import { formatAge } from '../base/text/durations.ts';
import {
  applyInstall,
  applyUninstall,
  keepTexts,
  type PlannedChange,
  planInstall,
  planUninstall,
  showChange,
} from '../hosts/install/change.ts';
import { detectHosts, HOSTS } from '../hosts/install/hosts.ts';
import { INSTALLABLE } from '../hosts/install/installation.ts';
import {
  getUsualScope,
  listInstalledParts,
  makePart,
  type Part,
  type PartOptions,
  parseScope,
  refusePaths,
  refuseTwice,
} from '../hosts/install/part.ts';
import { refuseCache, renderShellLine, requireProgram, runProgram } from '../hosts/install/program.ts';
import { defineCommand } from './command.ts';
import { introduceLastSession } from './handover.ts';
import { createWorkspace } from './init.ts';
import { type Invocation, type Lines, refuseAgent, write } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';

const ASKING = { '-y, --yes': 'do not ask', '--dry-run': 'show every line of the change, and write nothing' };
type ConfirmOptions = Partial<Record<'yes' | 'dryRun', boolean | undefined>>;

/** `claude` and `gemini` are what people call them. */
const SHORT_NAMES = new Map(Object.entries({ claude: 'claude-code', gemini: 'gemini-cli' }));
const resolveName = (typed: string | undefined): string | undefined => SHORT_NAMES.get(typed ?? '') ?? typed;

export const install = defineCommand({
  takes: {
    '[target]': `a host (${HOSTS.join(', ')}), agents-md (the guidance only) or cron`,
    '--scope <scope>': 'for a host: local (default: you, here), project (shared) or user (you, everywhere)',
    '--file <path>': 'for agents-md: a file other than AGENTS.md, such as CLAUDE.md',
    '--hooks': 'for claude-code: hooks in its settings, not the plugin with its pane',
    '--every <duration>': 'for cron: how often (default 10m)',
    '--cron <expression>': 'for cron: at these times, such as "*/10 7-22 * * *"',
    ...ASKING,
  },
  examples: ['scratchpad install claude-code', 'scratchpad install agents-md --file CLAUDE.md --yes'],
  run: async (call, { target, ...options }) => {
    const opened = await openProject(call);
    const name = resolveName(target) ?? failWithoutHost(opened);
    const part = preparePart(call, opened, name, { ...options, hooks: options.hooks ?? false });
    const { targets, notes, service } = part.installation;
    const start = (): void => startService(part, call.env);

    const changes = planInstall(targets);
    const real = changes.filter(({ before, after }) => before !== after);
    const changed = real.length > 0;
    const value = { installed: name, changed, files: changes.map(({ target }) => target.path), notes };

    if (!changed) {
      if (!options.dryRun) {
        start();
        keepTexts(changes);
      }

      // The host may serve other workspaces, each with a pad of its own.
      const isNew = !options.dryRun && part.context.scope !== 'user' && !opened.workspace.exists;
      if (isNew) await createWorkspace(opened, call);

      return report(call, value, [
        `${name}: already installed`,
        value.files,
        isNew && `created: ${opened.store.paths.pad}`,
        notes.map((note) => `note: ${note}`),
      ]);
    }

    if (!options.dryRun) refuseOutside(call, opened, real, service?.start);
    if (!confirmChanges(call, summarizeInstallation(part, opened), real, service?.start ?? [], options))
      return;

    // The hooks look for a workspace with a pad.
    if (part.context.scope !== 'user') await createWorkspace(opened, call);
    // Other programs keep writing these files, and so may the line above.
    const replanned = real.flatMap((change) =>
      change.target.rewritten ? planInstall([change.target]) : [change],
    );
    applyInstall(replanned, part.record, start);
    report(call, value, [
      `${name}: installed`,
      value.files,
      notes.map((note) => `note: ${note}`),
      name === 'cron' ? [] : await introduceLastSession(call, opened),
      'check it with: scratchpad doctor',
    ]);
  },
});

function failWithoutHost({ workspace }: OpenPad): never {
  const commands = detectHosts(workspace.root).map(([host]) => `scratchpad install ${host}`);
  throw usageError('install for which host?', {
    expected: `one of ${INSTALLABLE.join(', ')}`,
    next: commands.length > 0 ? `this folder looks like: ${commands.join(', ')}` : undefined,
  });
}

/** @throws ScratchpadError `refused` if an agent would write outside the workspace, or start a program of its host */
function refuseOutside(
  call: Invocation,
  { workspace: { root } }: OpenPad,
  changes: readonly PlannedChange[],
  steps: readonly unknown[] = [],
): void {
  const top = resolvePlace(findGitPlace(root)?.top ?? root);
  const stays = changes.every(({ target: { path } }) => isInside(top, resolvePlace(path)));
  if (!stays || steps.length > 0)
    refuseAgent(call, 'this changes more than the workspace: nothing was changed');
}

function preparePart(
  { env }: Invocation,
  opened: OpenPad,
  name: string,
  options: PartOptions & ConfirmOptions & { scope?: string | undefined },
): Part {
  // A timer serves one existing workspace; a host's hooks may create a new one.
  if (name === 'cron') opened.assertCanCreate();
  const part = makePart({ ...opened, env }, name, parseScope(options.scope) ?? getUsualScope(name), options);

  if (name !== 'agents-md') refuseCache(process.argv[1] ?? 'scratchpad', env);
  refuseTwice(part);
  if (name === 'cron' && !options.dryRun) requireProgram('crontab', env);
  refusePaths(part);

  return part;
}

/** Tells the host that our part is there. @throws ScratchpadError `environment` if that fails: nothing of it stays */
function startService(part: Part, env: NodeJS.ProcessEnv): void {
  const { service } = part.installation;
  if (service === undefined) return;

  try {
    for (const words of service.start) runProgram(words, env, '', service.cwd);
  } catch (error) {
    endService(part, env);
    throw failure(`${describeError(error)}: nothing was changed`, { next: { command: service.next } });
  }
}

export const uninstall = defineCommand({
  takes: {
    '[target]': `a host (${HOSTS.join(', ')}), agents-md (the guidance only) or cron`,
    '--all': 'everything installed for this project, and for you in all projects',
    '--scope <scope>': 'local, project or user (default: all scopes that have it)',
    '--file <path>': 'for agents-md: the file given to install',
    ...ASKING,
  },
  examples: ['scratchpad uninstall claude-code', 'scratchpad uninstall --all'],
  run: async (call, { target, all = false, ...options }) => {
    const name = resolveName(target);
    // A dry run without a name lists everything that is installed.
    if (name === undefined ? !all && !options.dryRun : all)
      throw usageError('uninstall what?', {
        expected: `one of ${INSTALLABLE.join(', ')}, or --all`,
        found: name === undefined ? 'nothing' : `both ${name} and --all`,
      });

    const opened = await openProject(call);
    const { env } = call;
    const parts = listInstalledParts({ ...opened, env }, name, options);
    const paths = new Set<string>();
    const real = parts
      .flatMap(({ changes }) => changes)
      .filter(({ before, after }) => before !== after)
      .filter(({ target: { path } }) => !paths.has(path) && paths.add(path));
    const files = [...paths];
    const changed = real.length > 0;
    const value = { uninstalled: name ?? 'all', changed, files };
    const ends = parts.flatMap(({ installation }) => installation.service?.end ?? []);
    const short = ['To be reverted:', ...files.map((file) => `  ${file}`)];

    if (changed && !options.dryRun) refuseOutside(call, opened, real, ends);
    if (changed && !confirmChanges(call, short, real, ends, options)) return;

    for (const part of changed ? parts : []) {
      // Plan again: one file may hold parts of several installations.
      applyUninstall(planUninstall(part.installation.targets, part.record), part.record);
      endService(part, env);
    }

    if (!changed) call.note('to see what is installed anywhere: scratchpad uninstall --dry-run');
    const removed = [`${value.uninstalled}: removed from ${files.join('\n')}`, listRemaining(opened, env)];
    report(call, value, changed ? removed : `${value.uninstalled}: not installed here`);
  },
});

function report(call: Invocation, value: object, lines: Lines): void {
  call.print(value, !call.options.quiet && lines);
}

/** Tells the host that our part is gone; a failure does not matter, since it may have noticed by itself. */
function endService({ installation: { service } }: Part, env: NodeJS.ProcessEnv): void {
  for (const words of service?.end ?? []) attempt(() => runProgram(words, env, '', service?.cwd));
}

function listRemaining({ workspace }: OpenPad, env: NodeJS.ProcessEnv): Lines {
  const { root } = workspace;
  const remaining = [PAD_FILE, `${DATA_DIR}/`].filter((name) => exists(join(root, name)));
  if (!workspace.exists || remaining.length === 0) return false;

  const cache = join(env.XDG_CACHE_HOME || join(findHome(env), '.cache'), 'scratchpad');

  return [
    `left as it is: ${remaining.join(' and ')} in ${root}, kept out of git as before`,
    `${DATA_DIR}/ holds the history of the pad, entries, and long outputs of tools as they came`,
    `to remove it: rm -r ${remaining.map((name) => renderShellLine([join(root, name)])).join(' ')}`,
    `left in place, shared by all workspaces: approvals in ${stateFolder(env)}, compiled code in ${cache}`,
  ];
}

/** Opens the top of the project from any folder of it that has no workspace. */
async function openProject(call: Invocation): Promise<OpenPad> {
  const opened = await openSession(call);
  const { options, env, cwd } = call;
  if (opened.workspace.exists || options.workspace !== undefined || env.SCRATCHPAD_WORKSPACE) return opened;

  const top = findGitPlace(cwd)?.top;

  return top === undefined || top === opened.workspace.root
    ? opened
    : openSession({ ...call, options: { ...options, workspace: top } }, { anywhere: true });
}

function summarizeInstallation(
  { name, context, installation }: Part,
  { workspace, config }: OpenPad,
): string[] {
  if (name === 'cron') return [];

  const { root } = workspace;
  const audience = {
    local: `for you in ${root}`,
    project: `for everyone in ${root}`,
    user: 'for you in every project that has a scratchpad',
  }[context.scope];

  const file = context.file ? ` --file ${context.file}` : '';
  const options = context.scope === 'user' ? ' --scope user' : file;
  const padState = workspace.exists ? 'exists' : 'will be created';
  // A person would otherwise notice it only in `.scratchpad/`.
  const { keep, size } = config.outputs;
  const outputs = `  outputs     of tools, if long: the model sees a preview, the whole is kept in ${DATA_DIR}/ (${formatAge(keep)}, ${size} MB at most)`;

  return [
    `${name}, ${audience}:`,
    ...installation.targets.flatMap(({ about = '', path }) =>
      about === '' ? [] : `${about} (${path})`.split('\n').map((line) => `  ${line}`),
    ),
    ...(name === 'agents-md' ? [] : [outputs]),
    ...(context.scope === 'user'
      ? []
      : [`  workspace   ${join(root, PAD_FILE)}, ${padState}, kept out of git`]),
    `  undo        scratchpad uninstall ${name}${options}`,
  ];
}

/** Breaks rows of a name and its text at the terminal's width, each line of the text below its first. */
function wrapRows(rows: readonly string[]): string[] {
  const width = process.stderr.columns;
  if (width === undefined) return [...rows];

  return rows.flatMap((row) => {
    const name = /^ +(?:\S+(?: \S+)*? {2,})?/.exec(row)?.[0] ?? '';
    const lines = new Help().boxWrap(row.slice(name.length), width - name.length).split('\n');
    return lines.map((line, k) => (k === 0 ? name : ' '.repeat(name.length)) + line);
  });
}

/** Shows the change and asks; `--yes` is for scripts, `--dry-run` only shows it. */
function confirmChanges(
  call: Invocation,
  short: readonly string[],
  changes: readonly PlannedChange[],
  steps: readonly string[][],
  { yes, dryRun }: ConfirmOptions,
): boolean {
  const runs = steps.map((words) => `runs: ${renderShellLine(words)}`);
  const everyLine = [...changes.map(showChange), ...(runs.length > 0 ? [runs.join('\n')] : [])].join('\n\n');
  const text =
    short.length === 0 || dryRun
      ? [short.join('\n'), everyLine].join('\n\n').trimStart()
      : [...wrapRows(short), ...runs, '(show every line with --dry-run)'].join('\n');

  if (dryRun) {
    const files = changes.map(({ target, after }) => ({ path: target.path, after: after ?? null }));
    call.print({ dryRun: true, files, runs: steps.map(renderShellLine) }, text);
    return false;
  }

  if (yes) return true;

  write(2, `${sanitizeForTerminal(text)}\n\n`);

  if (!isTerminal(0)) {
    throw usageError('no terminal to ask for confirmation: nothing was changed', {
      expected: 'a terminal, or --yes',
      next: 'review the change above, then run the command again with --yes',
    });
  }

  write(2, 'Apply these changes? [y/N] ');
  const answer = Buffer.alloc(64);
  const length = readSome(0, answer);

  if (/^\s*(?:y|yes)\s*$/i.test(answer.subarray(0, length).toString('utf8'))) return true;

  throw refusal('cancelled: nothing was changed', {});
}
