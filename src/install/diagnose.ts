import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { namesCommand } from '../config/build.ts';
import { ScratchpadError } from '../errors.ts';
import { exists, isWritable, tryReadText } from '../fs/index.ts';
import { trackedBelow } from '../git/index-file.ts';
import { hasDriver } from '../git/merge-driver.ts';
import { hasWorktree } from '../git/place.ts';
import { readRecord } from '../hosts/record.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { worktreeOf } from '../session/worktree-store.ts';
import { formerServers, HOSTS, hostFindings } from './diagnose-host.ts';
import { nodeVersion } from './diagnose-node.ts';
import { openClawFindings } from './diagnose-openclaw.ts';
import { type Examined, timerFindings } from './diagnose-timers.ts';
import { sharedFindings, workspaceMismatch } from './diagnose-workspace.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { findExecutable } from './program.ts';

/** A hook that has not run for this long is reported. */
const SILENT_MS = 7 * 86_400_000;
const SHELL_MS = 5000;

/** Everything that silently keeps the scratchpad from reaching an agent. */
export async function diagnose(
  opened: Examined,
  { env, cwd, now }: { env: NodeJS.ProcessEnv; cwd: string; now: number },
): Promise<Finding[]> {
  const findings = [
    nodeVersion(process.versions.node, 'node'),
    ...(await workspaceOf(opened, { env, cwd, now })),
  ];
  const { root } = opened.workspace;
  let installed = 0;
  for (const host of HOSTS) {
    const found = hostFindings(host, root, env);
    installed += found.length > 0 ? 1 : 0;
    findings.push(...found);
  }
  findings.push(...sharedFindings(HOSTS, root, env), ...formerServers(root, env));
  const openClaw = openClawFindings(root, env);
  installed += openClaw.length > 0 ? 1 : 0;
  findings.push(...openClaw, ...(await timerFindings(opened, env, now)));
  if (installed === 0) {
    const next = 'scratchpad install claude-code (or codex, gemini-cli, openclaw)';
    // Not a failure: an agent may use the MCP server, the library or the commands.
    const found = 'no host is connected to the scratchpad: no hook shows it to an agent';
    findings.push(warn('hosts', found, next));
  } else findings.push(...onPath(env), ...lastRuns(opened, now));
  return findings;
}

/** Leftovers of removed work trees. */
async function orphans(root: string): Promise<Finding[]> {
  const { sessionIds } = await import('../core/session-folders.ts');
  return sessionIds(root).flatMap((session) => {
    const name = worktreeOf(session);
    if (name === undefined || hasWorktree(root, name)) return [];
    const next = `take over its content with: scratchpad session adopt ${session}; or archive it with: scratchpad session archive ${session}`;
    return warn('work trees', `${session} belongs to a work tree that no longer exists`, next);
  });
}

/** A clone with a tracked pad lacks the merge driver that .gitattributes names. */
function driverMissing(pad: string): Finding[] {
  const attributes = tryReadText(join(dirname(pad), '.gitattributes'), 'git') ?? '';
  if (!/^SCRATCHPAD\.md merge=scratchpad$/m.test(attributes) || hasDriver(pad)) return [];
  const found = 'this clone has no merge driver for the tracked SCRATCHPAD.md';
  return [warn('git', found, 'scratchpad init --tracked')];
}

async function workspaceOf(
  opened: Examined,
  { env, cwd, now }: { env: NodeJS.ProcessEnv; cwd: string; now: number },
): Promise<Finding[]> {
  const { workspace, store, configProblems } = opened;
  const about = 'workspace';
  const mismatch = workspaceMismatch(workspace.root, env, cwd);
  if (!workspace.exists) {
    const found = `${workspace.root} has no scratchpad`;
    return [fail(about, found, 'scratchpad init'), ...mismatch];
  }
  const findings: Finding[] = [ok(about, workspace.root), ...mismatch];
  findings.push(...silenced(opened), ...(await orphans(workspace.root)), ...driverMissing(store.paths.pad));
  for (const problem of configProblems) {
    findings.push(warn('config', problem, 'scratchpad config check'));
  }
  if (namesCommand(opened.configSources.keys())) {
    const { inspectTrust } = await import('../config/trust.ts');
    for (const { spec, refused } of inspectTrust(workspace.root, env).commands) {
      findings.push(
        refused === undefined
          ? ok('command', `${spec.key} may run`)
          : warn('command', `${spec.key} ${refused}`, 'scratchpad trust --show'),
      );
    }
  }
  try {
    const pad = await store.read();
    for (const notice of pad.notices) findings.push(warn('pad', notice));
    findings.push(...trackedMood(opened, pad.document.text));
    const { status, ageMs } = freshnessOf(pad.document, now);
    const age = ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`;
    findings.push(
      status === 'fresh'
        ? ok('state', `fresh${age}`)
        : warn('state', `${status}${age}`, 'scratchpad assemble; a hook or a timer keeps it fresh'),
    );
  } catch (error) {
    const next = 'repair or move it; scratchpad show restores the content of the journal';
    findings.push(fail('pad', describe(error), next));
  }
  return findings;
}

function describe(error: unknown): string {
  if (!(error instanceof ScratchpadError)) return String(error);
  const { where, found } = error.detail;
  return [error.message, where, found].filter((part) => part !== undefined && part !== '').join(': ');
}

/** What keeps hooks from saying or storing anything, although they run. */
function silenced({ config, store, workspace }: Examined): Finding[] {
  const findings: Finding[] = [];
  if (!config.scratchpad.enabled) {
    const found = 'scratchpad.enabled is off: hooks run and say nothing';
    findings.push(warn('config', found, 'scratchpad config set scratchpad.enabled on'));
  }
  for (const dir of [workspace.root, store.paths.data]) {
    if (exists(dir) && !isWritable(dir)) {
      const next = 'fix its permissions, or check how its disk is mounted';
      findings.push(fail('workspace', `${dir} is not writable: nothing new is stored`, next));
    }
  }
  return findings;
}

/**
 * Hooks may use the file's path; commands that agents type need the name. Hosts run commands in the person's
 * login shell, whose startup files may set another PATH.
 */
function onPath(env: NodeJS.ProcessEnv): Finding[] {
  const shell = env.SHELL || '/bin/sh';
  const here = findExecutable('scratchpad', env) !== undefined;
  const asked = spawnSync(shell, ['-lc', 'command -v scratchpad'], {
    env,
    timeout: SHELL_MS,
    encoding: 'utf8',
  });
  const there = asked.error === undefined ? asked.status === 0 : here;
  if (here && there) return [];
  const found = here
    ? `${shell} -lc, as hosts run commands, finds no program called scratchpad`
    : 'no program called scratchpad';
  const next = here
    ? `add its directory to the PATH in the login files of ${shell}`
    : 'npm install -g scratchpad, or put its bin directory on the PATH';
  return [
    warn('PATH', `${found}: the hooks and the tools work, but the commands shown to the agent do not`, next),
  ];
}

/** A mood history that everybody with access to the repository can read. */
function trackedMood({ workspace: { root }, store }: Examined, text: string): Finding[] {
  if (!/^## Emotional Context$/m.test(text) || trackedBelow(root, [basename(store.paths.pad)]).length === 0)
    return [];
  const next = `git rm --cached ${basename(store.paths.pad)}, or scratchpad config set stages.off sentiment,strategy`;
  return [warn('git', `${store.paths.pad} is tracked and contains a mood`, next)];
}

function lastRuns({ store }: Examined, now: number): Finding[] {
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
}
