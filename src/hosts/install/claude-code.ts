import { tryReadText } from '../../base/fs/index.ts';
import { type JsonObject, membersOf, objectAt } from '../../base/text/json.ts';
import { isInstalled, type Target } from './change.ts';
import {
  askingHook,
  hookLine,
  isHookOf,
  keptServer,
  SERVER,
  serverPart,
  unlessServed,
} from './hook-command.ts';
import { claudeProject, claudeState, settingsFiles } from './host-files.ts';
import type { Installation, InstallContext } from './installation.ts';
import {
  formerPart,
  type HookGroup,
  hooksPart,
  listPart,
  read,
  type SettingsPart,
  settingsTarget,
} from './json-parts.ts';
import { ALLOWED, claudePermissions, FORMER_CLAUDE_PERMISSION } from './permissions.ts';
import type { Program } from './program.ts';

const HOST = 'claude-code';
/** Seconds after which Claude Code aborts a hook; ours ends after two. */
const TIMEOUT_S = 10;
/** The same for a hook that asks the server, which may be stopped. */
const ASKED_S = 3;

/** Fields that a hook's input may have, for each event that our MCP server answers. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  UserPromptSubmit: ['prompt', 'prompt_id', 'source', 'agent_id'],
  PreToolUse: ['tool_use_id', 'agent_id'],
  PostToolUse: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id', 'agent_id'],
  PostToolUseFailure: ['tool_name', 'tool_input', 'error', 'agent_id'],
  Stop: ['last_assistant_message'],
};
/** Events that a command answers if the server does not; a command at every tool call would cost more than it saves. */
const STOOD_IN = new Set(['UserPromptSubmit', 'Stop']);
/** Events before the server is connected, or for which Claude Code ignores a tool's answer. */
const BY_COMMAND = ['SessionStart', 'PreCompact', 'SubagentStart', 'SessionEnd'];
/** Our own tools, whose caller the server is told; tools whose outputs may be long, and our own, whose changes the model knows. */
const MATCHERS: Readonly<Record<string, string>> = {
  PreToolUse: 'mcp__.*scratchpad.*',
  PostToolUse: 'Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|mcp__.*',
  PostToolUseFailure: 'Bash|mcp__.*scratchpad.*',
};

/**
 * The hooks of Claude Code: the frequent ones are answered by the MCP server, which is running anyway.
 * @param server the server's name as Claude Code knows it; without one every hook is a command
 */
export function claudeHooks(program: Program, server?: string): Map<string, HookGroup> {
  const groups = new Map<string, HookGroup>();
  const byCommand = (event: string): JsonObject => ({
    type: 'command',
    command: hookLine(program, HOST, event),
    timeout: TIMEOUT_S,
  });
  for (const event of BY_COMMAND) groups.set(event, { hooks: [byCommand(event)] });
  for (const [event, fields] of Object.entries(ASKED)) {
    // Only the server has use for it.
    if (event === 'PreToolUse' && server === undefined) continue;
    const asks = askingHook({ host: HOST, event, fields, timeout: ASKED_S, server });
    const standsIn = { ...byCommand(event), command: unlessServed(hookLine(program, HOST, event)) };
    const matcher = MATCHERS[event];
    groups.set(event, {
      matcher,
      hooks: server === undefined ? [byCommand(event)] : STOOD_IN.has(event) ? [asks, standsIn] : [asks],
    });
  }
  return groups;
}

export function claudeCode(context: InstallContext): Installation {
  const { root, env, scope, program } = context;
  const settings = settingsFiles(HOST, root, env)[scope];
  const within = scope === 'user' ? {} : { within: root };
  const plugin = enabledPlugin(root, env);
  const tools = plugin === undefined ? `mcp__${SERVER}` : `mcp__plugin_${SERVER}_${SERVER}`;
  const permissions = claudePermissions(tools);
  const place = ['permissions', 'allow'];
  const allowed = [listPart(place, permissions), formerPart(listPart(place, [FORMER_CLAUDE_PERMISSION]))];
  if (plugin !== undefined) {
    return {
      targets: [settingsTarget(settings, allowed, within)],
      does: [
        `hooks       none: the plugin ${plugin} includes them and the MCP server`,
        ...ALLOWED,
        `            (${settings})`,
      ],
      notes: [],
    };
  }
  const shared = scope === 'project';
  const parts: SettingsPart[] = [
    hooksPart(claudeHooks(program, shared ? undefined : SERVER), isHookOf(HOST)),
    ...allowed,
  ];
  const target = settingsTarget(settings, parts, within);
  const hooks = `hooks       what it says at a start, a prompt, a tool call, a compaction (${settings})`;
  const notes = ['Claude Code reads its settings when it starts: restart one that is running.'];
  // A missing server is reported to the model and the person, so shared settings do not name one.
  if (shared) {
    notes.push('The MCP server is each person’s own: scratchpad install claude-code adds it.');
    return { targets: [target], does: [hooks, ...ALLOWED], notes };
  }
  const servers = serversTarget(context);
  const server = `MCP server  ${SERVER}: the tools, and the answers of hooks (${servers.path})`;
  if (scope === 'local' && isInstalled(settingsTarget(settingsFiles(HOST, root, env).project, parts, within)))
    return { targets: [servers], does: [server], notes, withoutHooks: true };
  return { targets: [target, servers], does: [hooks, server, ...ALLOWED], notes };
}

/** The MCP server is registered in the person's own files. */
function serversTarget({ root, env, scope, program }: InstallContext): Target {
  const server = { type: 'stdio', ...keptServer(program) };
  const place = scope === 'user' ? [] : ['projects', claudeProject(root)];
  return settingsTarget(claudeState(env), [serverPart(place, server, true)], { rewritten: true });
}

/** Our plugin, if any of the applicable settings enables it. */
export function enabledPlugin(root: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const path of Object.values(settingsFiles(HOST, root, env))) {
    try {
      const enabled = objectAt(read(tryReadText(path, 'host') ?? '{}', path), 'enabledPlugins');
      const name = Object.entries(membersOf(enabled)).find(
        ([key, on]) => key.startsWith(`${SERVER}@`) && on === true,
      )?.[0];
      if (name !== undefined) return name;
    } catch {
      // Unreadable settings enable nothing.
    }
  }
  return undefined;
}
