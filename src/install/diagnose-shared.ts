import { join, relative } from 'node:path';
import { tryReadText } from '../fs/index.ts';
import { trackedBelow } from '../git/tracked.ts';
import { type Finding, warn } from './finding.ts';
import { settingsFiles } from './settings-files.ts';

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
