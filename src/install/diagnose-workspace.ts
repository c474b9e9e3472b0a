import { dirname, join, relative } from 'node:path';
import { exists, PAD_FILE, readText, tryReadText } from '../fs/index.ts';
import { trackedBelow } from '../git/index-file.ts';
import { findWorkspace } from '../session/workspace.ts';
import { HOSTS } from './diagnose-host.ts';
import { type Finding, warn } from './finding.ts';
import { callsUs } from './hook-command.ts';
import { hooksIn } from './hooks-json.ts';
import { settingsFiles } from './settings-file.ts';

/** Where the hooks and the person would look for the scratchpad, if that is not this workspace. */
export function workspaceMismatch(root: string, env: NodeJS.ProcessEnv, cwd: string): Finding[] {
  return [...forcedElsewhere(env, cwd), ...hooksAbove(root, env)];
}

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
      if (project === user || !holdsOurs(project, host)) continue;
      const found = `hooks in ${project} run where there is no ${PAD_FILE}: the scratchpad is in ${root}`;
      findings.push(warn(host, found, `start ${host} in ${root}, or run scratchpad init in ${dir}`));
    }
  }
  return findings;
}

function holdsOurs(path: string, host: string): boolean {
  try {
    const text = readText(path, 'host');
    return text !== undefined && hooksIn(text, path).some(({ hook }) => callsUs(host)(hook));
  } catch {
    return false;
  }
}

/** Files of hosts besides their settings that may start the program. */
const OTHERS = ['.mcp.json', '.codex/config.toml'];
/**
 * A path to our program where something is started: this file of it, or a word before `hook` or in `command`.
 */
const PATHS = [
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*scratchpad\.(?:js|cmd|exe)\b/,
  /(?:\/|[A-Za-z]:[\\/])[^"'\s]*[\\/]scratchpad(?=\s+hook\b)/,
  /(?<=command"?\s*[:=]\s*")(?:\/|[A-Za-z]:[\\/])[^"]*[\\/]scratchpad(?=")/,
];

/** Settings that git tracks reach other machines, where a path of this one does not exist. */
export function sharedFindings(hosts: readonly string[], root: string, env: NodeJS.ProcessEnv): Finding[] {
  const settings = hosts.flatMap((host) => {
    const { project, local } = settingsFiles(host, root, env);
    return [project, local];
  });
  const files = new Set([...settings.map((path) => relative(root, path).replaceAll('\\', '/')), ...OTHERS]);
  const next =
    'scratchpad uninstall HOST, then scratchpad install HOST --scope project; or git rm --cached the file';
  return trackedBelow(root, [...files]).flatMap((name) => {
    const text = tryReadText(join(root, name), 'host') ?? '';
    const path = PATHS.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
    if (path === undefined) return [];
    return warn('git', `${name} is tracked and names ${path}, which only this machine has`, next);
  });
}
