import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { type Finding, fail, ok } from './finding.ts';
import { findExecutable } from './program.ts';

const OLDEST_NODE = [20, 19] as const;
const ASK_MS = 3000;

/** Whether the scratchpad supports a version of Node. */
export function nodeVersion(version: string, about: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old ? fail(about, version, `install Node ${OLDEST_NODE.join('.')} or later`) : ok(about, version);
}

/**
 * The Node that runs a hook, if it is another one: the one that it names, or the first on the PATH. Reported
 * only if it is too old.
 */
export function nodeOf(command: string, host: string, env: NodeJS.ProcessEnv): Finding[] {
  const named = /^node(?:\.exe)?$/.test(basename(command));
  const node = findExecutable(named ? command : 'node', env);
  if (node === undefined || node === process.execPath) return [];
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: ASK_MS, env });
  const version = /^v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) return [];
  const finding = nodeVersion(version, host);
  return finding.level === 'ok'
    ? []
    : [{ ...finding, found: `hooks are run by ${node}, version ${version}` }];
}
