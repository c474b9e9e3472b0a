import { dirname, join } from 'node:path';
import { tryReadJson, tryReadText } from '../../base/fs/index.ts';
import { packageFolder } from '../../base/package.ts';
import { membersOf, textAt } from '../../base/text/json.ts';
import { shorten } from '../../base/text/shorten.ts';
import { type Finding, fail, ok, warn } from './check.ts';
import type { Installed } from './check-hosts.ts';
import { isServerOfOurs, SERVER } from './hook-command.ts';
import { read } from './hooks-json.ts';
import { claudePermissions, FORMER_CLAUDE_PERMISSION } from './permissions.ts';
import { claudeProject, claudeState, settingsFiles, valueAt } from './settings-file.ts';

const about = 'claude-code';

/** Hooks that ask the server need one. */
export function claudeServer({ path, ours, root, env }: Installed): Finding[] {
  if (!ours.some(({ hook }) => hook.type === 'mcp_tool') || serverThere(root, env)) return [];
  const found = `${path} has hooks for the MCP server ${SERVER}, which is not in any settings: they do not run`;
  return [fail(about, found, installIn(path, root, env))];
}

/** What the agent may do without asking. */
export function claudePermitted({ path, settings, root, env }: Installed): Finding[] {
  const allowed = valueAt(settings, ['permissions', 'allow']);
  const rules: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  if (rules.includes(FORMER_CLAUDE_PERMISSION)) {
    const found = `${path} allows ${FORMER_CLAUDE_PERMISSION}: with scratchpad run the agent may run any program`;
    return [warn(about, found, installIn(path, root, env))];
  }
  const missing = claudePermissions(`mcp__${SERVER}`).filter((rule) => !rules.includes(rule));
  if (missing.length === 0) return [];
  const found = `the agent has to ask for scratchpad commands: ${path} does not allow ${shorten(missing.join(', '), 100)}`;
  return [warn(about, found, installIn(path, root, env))];
}

function installIn(path: string, root: string, env: NodeJS.ProcessEnv): string {
  const scope = Object.entries(settingsFiles(about, root, env)).find(([, file]) => file === path)?.[0];
  return `scratchpad install claude-code --scope ${scope ?? 'local'}`;
}

const HOOKS = 'hooks/hooks.json';

/** Claude Code runs a copy of a plugin: a copy of an older package behaves like that one. */
export function claudeCopies(plugin: string, env: NodeJS.ProcessEnv): Finding[] {
  const folder = join(dirname(settingsFiles(about, '', env).user), 'plugins');
  const installed = tryReadJson(join(folder, 'installed_plugins.json'), 'host');
  const copies = valueAt(installed, ['plugins', plugin]);
  const old = (Array.isArray(copies) ? copies : [])
    .map((copy) => textAt(membersOf(copy), 'installPath'))
    .find((path) => path !== undefined && !sameHooks(path));
  return old === undefined
    ? [ok(about, `plugin ${plugin}`)]
    : [warn(about, `${old} is a copy of another version`, `claude plugin update ${plugin}`)];
}

function sameHooks(copy: string): boolean {
  return (
    tryReadText(join(copy, HOOKS), 'host') ===
    tryReadText(join(packageFolder(), 'templates/claude-code-plugin', HOOKS), 'package')
  );
}

/** Whether any of the applicable settings names our MCP server. */
function serverThere(root: string, env: NodeJS.ProcessEnv): boolean {
  return serversIn(root, env).some(({ host, server }) => host === about && isServerOfOurs(server));
}

/** What settings have under the name of our MCP server. */
export function serversIn(
  root: string,
  env: NodeJS.ProcessEnv,
): { host: string; path: string; server: unknown }[] {
  const gemini = Object.values(settingsFiles('gemini-cli', root, env));
  const places: [host: string, path: string, place: string[]][] = [
    [about, claudeState(env), ['projects', claudeProject(root)]],
    [about, claudeState(env), []],
    [about, join(root, '.mcp.json'), []],
    ...[...new Set(gemini)].map((path): [string, string, string[]] => ['gemini-cli', path, []]),
  ];
  return places.flatMap(([host, path, place]) => {
    try {
      const state = read(tryReadText(path, 'host') ?? '{}', path);
      return [{ host, path, server: valueAt(state, [...place, 'mcpServers', SERVER]) }];
    } catch {
      return [];
    }
  });
}
