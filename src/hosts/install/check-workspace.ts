import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { ScratchpadError } from '../../base/errors.ts';
import { exists, isWritable, PAD_FILE, tryReadText } from '../../base/fs/index.ts';
import { trackedBelow } from '../../base/git/index-file.ts';
import { hasDriver } from '../../base/git/merge-driver.ts';
import { hasWorktree } from '../../base/git/place.ts';
import { namesCommand } from '../../config/values.ts';
import { freshnessOf, spellAge } from '../../pad/freshness.ts';
import { findWorkspace } from '../../session/workspace.ts';
import { readRecord } from '../record.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';
import { HOSTS, holdsOurs, nodeVersion } from './check-hosts.ts';
import { findExecutable } from './program.ts';
import { settingsFiles } from './settings-file.ts';

/** A hook that has not run for this long is reported. */
const SILENT_MS = 7 * 86_400_000;
const SHELL_MS = 5000;

export const node: Check = () => [nodeVersion(process.versions.node, 'node')];

export const isThere: Check = ({ workspace: { root, exists: there } }) => [
  there ? ok('workspace', root) : fail('workspace', `${root} has no scratchpad`, 'scratchpad init'),
];

/** Where the hooks and the person would look for the scratchpad, if that is not this workspace. */
export const meantElsewhere: Check = ({ workspace: { root }, env, cwd }) => [
  ...forcedElsewhere(env, cwd),
  ...hooksAbove(root, env),
];

function forcedElsewhere(env: NodeJS.ProcessEnv, cwd: string): Finding[] {
  const forced = env.SCRATCHPAD_WORKSPACE;
  if (!forced) return [];
  const about = 'SCRATCHPAD_WORKSPACE';
  if (!exists(join(forced, PAD_FILE))) {
    return [warn(about, `${forced} has no ${PAD_FILE}`, 'unset it, or run scratchpad init there')];
  }
  const own = findWorkspace(undefined, {}, cwd);
  const meant = findWorkspace(undefined, env, cwd);
  if (!own.exists || own.root === meant.root) return [];
  const found = `every command and hook uses ${meant.root}, although ${own.root} has its own scratchpad`;
  return [warn(about, found, 'unset it, unless that is what you want')];
}

/** A host that is started above the workspace runs its hooks there, and they find no scratchpad. */
function hooksAbove(root: string, env: NodeJS.ProcessEnv): Finding[] {
  const findings: Finding[] = [];
  for (let dir = dirname(root); dirname(dir) !== dir; dir = dirname(dir)) {
    if (exists(join(dir, PAD_FILE))) break;
    for (const host of HOSTS) {
      const { project, user } = settingsFiles(host, dir, env);
      if (project === user || !holdsOurs(host, project)) continue;
      const found = `hooks in ${project} run where there is no ${PAD_FILE}: the scratchpad is in ${root}`;
      findings.push(warn(host, found, `start ${host} in ${root}, or run scratchpad init in ${dir}`));
    }
  }
  return findings;
}

/** What keeps hooks from saying or storing anything, although they run. */
export const silenced: Check = ({ config, store, workspace }) => {
  const off = 'scratchpad.enabled is off: hooks run and say nothing';
  const locked = [workspace.root, store.paths.data].filter((dir) => exists(dir) && !isWritable(dir));
  return [
    ...(config.scratchpad.enabled
      ? []
      : [warn('config', off, 'scratchpad config set scratchpad.enabled on')]),
    ...locked.map((dir) =>
      fail(
        'workspace',
        `${dir} is not writable: nothing new is stored`,
        'fix its permissions, or check how its disk is mounted',
      ),
    ),
  ];
};

/** Plans of removed work trees. */
export const orphans: Check = async ({ workspace: { root }, store }) => {
  const found: Finding[] = [];
  const { seen } = await store.read().catch(() => ({ seen: undefined }));
  for (const { worktree, number } of seen?.others ?? []) {
    if (worktree === undefined || hasWorktree(root, worktree)) continue;
    const next = `take it over with: scratchpad plan take ${number}`;
    found.push(warn('work trees', `plan ${number} is of the work tree ${worktree}, which is gone`, next));
  }
  return found;
};

/** A clone with a tracked pad lacks the merge driver that .gitattributes names. */
export const mergeDriver: Check = ({ store: { paths } }) => {
  const attributes = tryReadText(join(dirname(paths.pad), '.gitattributes'), 'git') ?? '';
  if (!/^SCRATCHPAD\.md merge=scratchpad$/m.test(attributes) || hasDriver(paths.pad)) return [];
  const found = 'this clone has no merge driver for the tracked SCRATCHPAD.md';
  return [warn('git', found, 'scratchpad init --tracked')];
};

export const settings: Check = ({ configProblems, configRetired }) =>
  [...configProblems, ...configRetired].map((problem) => warn('config', problem, 'scratchpad config check'));

export const commands: Check = async ({ configSources, workspace, env }) => {
  if (!namesCommand(configSources.keys())) return [];
  const { inspectTrust } = await import('../../config/trust.ts');
  return inspectTrust(workspace.root, env).commands.map(({ spec, refused }) =>
    refused === undefined
      ? ok('command', `${spec.key} may run`)
      : warn('command', `${spec.key} ${refused}`, 'scratchpad trust --show'),
  );
};

export const content: Check = async ({ workspace: { root }, store, now }) => {
  try {
    const { notices, document, state } = await store.read();
    const name = basename(store.paths.pad);
    // A mood history that everybody with access to the repository can read.
    const mood = /^## Emotional Context$/m.test(document.text) && trackedBelow(root, [name]).length > 0;
    const untrack = `git rm --cached ${name}, or scratchpad config set stages.off sentiment,strategy`;
    const { status, ageMs } = freshnessOf(state, now);
    const age = ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`;
    return [
      ...notices.map((notice) => warn('pad', notice)),
      ...(mood ? [warn('git', `${store.paths.pad} is tracked and contains a mood`, untrack)] : []),
      status === 'fresh'
        ? ok('state', `fresh${age}`)
        : warn(
            'state',
            status === 'missing' ? 'not assembled yet' : `${status}${age}`,
            'scratchpad assemble; a hook or a timer keeps it fresh',
          ),
    ];
  } catch (error) {
    const next = 'repair or move it; scratchpad show restores the content of the journal';
    return [fail('pad', describe(error), next)];
  }
};

function describe(error: unknown): string {
  if (!(error instanceof ScratchpadError)) return String(error);
  const { where, found } = error.detail;
  return [error.message, where, found].filter((part) => part !== undefined && part !== '').join(': ');
}

/**
 * Hooks may use the file's path; commands that agents type need the name. Codex runs them in a login shell, whose
 * startup files may set another PATH; the others in the environment that they were started with.
 */
export const onPath: Check = ({ env, workspace: { root } }) => {
  const shell = env.SHELL || '/bin/sh';
  const here = findExecutable('scratchpad', env) !== undefined;
  const logsIn = Object.values(settingsFiles('codex', root, env)).some((path) => holdsOurs('codex', path));
  if (here && !logsIn) return [];
  const asked = spawnSync(shell, ['-lc', 'command -v scratchpad'], {
    env,
    timeout: SHELL_MS,
    encoding: 'utf8',
  });
  const there = asked.error === undefined ? asked.status === 0 : here;
  if (here && there) return [];
  const found = here
    ? `${shell} -lc, as Codex runs commands, finds no program called scratchpad`
    : 'no program called scratchpad';
  const next = here
    ? `add its directory to the PATH in the login files of ${shell}`
    : 'npm install -g scratchpad, or put its bin directory on the PATH';
  return [
    warn('PATH', `${found}: the hooks and the tools work, but the commands shown to the agent do not`, next),
  ];
};

export const lastRuns: Check = ({ store, now }) => {
  const { last, lastFailure } = readRecord(store.paths.data);
  if (!last) {
    const next = 'start the host in this directory; restart one that was already running';
    return [warn('hooks', 'no hook has run in this workspace yet', next)];
  }
  const age = now - Date.parse(last.at);
  const found = `${last.host} ${last.event} ran ${spellAge(age)} ago`;
  const findings = [age > SILENT_MS ? warn('hooks', found) : ok('hooks', found)];
  if (lastFailure) {
    const { host, event, at, outcome } = lastFailure;
    findings.push(warn('hooks', `${host} ${event}, ${spellAge(now - Date.parse(at))} ago: ${outcome}`));
  }
  return findings;
};
