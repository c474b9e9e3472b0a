import { dirname, join } from 'node:path';
import { tryReadText } from '../../base/fs/index.ts';
import { wordList } from '../../base/text/strings.ts';
import { markedBlock, ownFile } from './change.ts';
import { askingHook, hookLine, isHookOf, keptServer } from './hook-command.ts';
import { settingsFiles } from './host-files.ts';
import type { Installation, InstallContext } from './installation.ts';
import { type HookGroup, hooksPart, settingsTarget } from './json-parts.ts';
import { ALLOWED, codexRules } from './permissions.ts';
import type { Program } from './program.ts';
import { call } from './system.ts';

const HOST = 'codex';
const TIMEOUT_S = 10;
/** For hooks that ask the server, and the longest that Codex allows at the end of a session. */
const SHORT_S = 3;
/** Events that our MCP server answers, with the fields of their input: Codex reports a field that there is not. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  UserPromptSubmit: ['prompt'],
  PostToolUse: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id'],
  Stop: ['last_assistant_message'],
};
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
  'Stop',
  'PostToolUse',
];
const TOML = { open: '# scratchpad install codex', close: '# end of scratchpad install codex' };
/** A server of that name which a person has added. */
const SERVER_TABLE = /^\s*\[\s*mcp_servers\s*\.\s*"?scratchpad"?\s*\]/m;
/** Codex hands a server few variables; these say where things are, as for a command. */
const VARIABLES = wordList(`
  CODEX_HOME SCRATCHPAD_SESSION SCRATCHPAD_STORE SCRATCHPAD_WORKSPACE
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
`);

/** Whether this Codex has hooks that ask an MCP server; `undefined` if there is none on the PATH. */
function asksServers(env: NodeJS.ProcessEnv): boolean | undefined {
  try {
    const { stdout } = call(['codex', '--version'], env);
    const [, major, minor] = /\b(\d+)\.(\d+)\.\d+/.exec(stdout.toString()) ?? [];
    return minor === undefined ? undefined : Number(major) > 0 || Number(minor) >= 157;
  } catch {
    return undefined;
  }
}

export function codexHooks(program: Program, asks: boolean): Map<string, HookGroup> {
  const groups = new Map<string, HookGroup>();
  for (const event of asks ? [...EVENTS, 'SessionEnd'] : EVENTS) {
    const timeout = event === 'SessionEnd' ? SHORT_S : TIMEOUT_S;
    const command = { type: 'command', command: hookLine(program, HOST, event), timeout };
    const fields = asks ? ASKED[event] : undefined;
    groups.set(event, {
      ...(event === 'PostToolUse' ? { matcher: 'Bash|mcp__.*' } : {}),
      hooks: [fields === undefined ? command : askingHook({ host: HOST, event, fields, timeout: SHORT_S })],
    });
  }
  return groups;
}

export function codex({ root, env, scope, program }: InstallContext): Installation {
  const hooks = settingsFiles(HOST, root, env)[scope];
  const folder = dirname(hooks);
  const within = scope === 'user' ? {} : { within: root };
  // A host reports a missing server, so shared settings do not name one.
  const shared = scope === 'project';
  const asks = !shared && (asksServers(env) ?? tryReadText(hooks, 'host')?.includes('"mcp_tool"') === true);
  const kept = keptServer(program);
  const server = [
    '[mcp_servers.scratchpad]',
    `command = ${JSON.stringify(kept.command)}`,
    `args = ${JSON.stringify(kept.args)}`,
    'default_tools_approval_mode = "approve"',
    `env_vars = ${JSON.stringify(VARIABLES)}`,
    '',
  ].join('\n');
  const config = join(folder, 'config.toml');
  return {
    targets: [
      settingsTarget(hooks, [hooksPart(codexHooks(program, asks), isHookOf(HOST))], within),
      ...(shared ? [] : [{ ...markedBlock(config, TOML, server, SERVER_TABLE), ...within }]),
      { ...ownFile(join(folder, 'rules', 'scratchpad.rules'), codexRules), ...within },
    ],
    does: [
      `hooks       what it says at a start, a prompt, a command's end, a compaction (${hooks})`,
      ...(shared ? [] : [`MCP server  scratchpad: the tools (${config})`]),
      ...ALLOWED,
    ],
    notes: [
      'Codex runs a new or changed hook only once you have trusted it: it asks at its next start, or type /hooks.',
      ...(shared ? ['Each person’s own: codex mcp add scratchpad -- scratchpad mcp'] : []),
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}
