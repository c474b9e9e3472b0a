import { dirname, join } from 'node:path';
import { exists, readText } from '../../base/fs/index.ts';
import { parsed } from '../../base/text/json.ts';
import { type Finding, fail, ok, warn } from './check.ts';
import type { Installed } from './check-hosts.ts';
import { ASKS_SERVERS, codexAsksServers } from './codex.ts';
import { settingsFiles } from './settings-file.ts';

const about = 'codex';
const SERVER_TABLE = /^\s*\[\s*mcp_servers\s*\.\s*"?scratchpad"?\s*\][^[]*/m;

const configOf = (env: NodeJS.ProcessEnv): { config: string; toml: string } => {
  const config = join(dirname(settingsFiles(about, '', env).user), 'config.toml');
  return { config, toml: readText(config, 'host') ?? '' };
};

export function codexOff({ env }: Installed): Finding[] {
  const { config, toml } = configOf(env);
  const isOff = /^\s*(?:codex_)?hooks\s*=\s*false/m.test(toml);
  return isOff ? [fail(about, `hooks are turned off in ${config}`, 'set hooks = true under [features]')] : [];
}

export function codexFile({ path, text }: Installed): Finding[] {
  if (parsed(text) !== undefined) return [];
  const found = `${path} has comments, trailing commas or a byte order mark: Codex ignores the whole file`;
  return [fail(about, found, 'remove them')];
}

/** Whether the person has allowed the hooks, Codex alone knows. */
export const codexAsks = (): Finding[] => [
  {
    ...ok(about, 'Codex asks once whether it may run these hooks, and skips them until then'),
    next: 'answer yes when it starts, or type /hooks there to see which it runs',
  },
];

/** What keeps hooks that ask our server from doing so. */
export function codexAsked({ path, ours, env }: Installed): Finding[] {
  const next = 'scratchpad install codex';
  const near = readText(join(dirname(path), 'config.toml'), 'host') ?? '';
  const server = SERVER_TABLE.exec(`${configOf(env).toml}\n${near}`)?.[0];
  if (server !== undefined && /^\s*url\s*=\s*"http:\/\/(?:127\.|localhost)/m.test(server)) {
    const found = 'config.toml names an MCP server over HTTP, which this version does not have';
    return [warn(about, found, `remove it; ${next}`)];
  }
  if (!ours.some(({ hook }) => hook.type === 'mcp_tool')) return [];
  if (server === undefined)
    return [fail(about, `${path} has hooks for the MCP server scratchpad, which is in no config.toml`, next)];
  if (codexAsksServers(env) !== false) return [];
  return [
    fail(about, `this Codex is older than ${ASKS_SERVERS.join('.')}: its hooks cannot ask a server`, next),
  ];
}

/** Hooks of a project run only if the project, or the repository around it, is trusted. */
export function codexProject({ path, env }: Installed): Finding[] {
  const { config, toml } = configOf(env);
  if (dirname(path) === dirname(config)) return [];
  const project = dirname(dirname(path));
  const trusted = new Set(trustedProjects(toml));
  if (trusted.has(project) || trusted.has(repositoryOf(project) ?? project)) return [];
  const found = `${project} is not a trusted project in ${config}, so Codex runs none of its hooks`;
  return [fail(about, found, 'start codex here once and trust the folder')];
}

/** `[projects."PATH"]` with `trust_level = "trusted"`. */
function trustedProjects(toml: string): string[] {
  return toml
    .split(/^(?=\s*\[)/m)
    .filter((table) => /^\s*trust_level\s*=\s*["']trusted["']/m.test(table))
    .map((table) => /^\s*\[\s*projects\s*\.\s*(?:"([^"]*)"|'([^']*)')\s*\]/.exec(table))
    .map((match) => match?.[1] ?? match?.[2])
    .filter((project) => project !== undefined);
}

function repositoryOf(dir: string): string | undefined {
  for (let at = dir; ; at = dirname(at)) {
    if (exists(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
