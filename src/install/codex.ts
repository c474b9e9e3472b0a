import { dirname, join } from 'node:path';
import { wordList } from '../text/word-list.ts';
import { hookLine, isHookOf } from './hook-command.ts';
import type { HookGroup } from './hooks-json.ts';
import type { Installation, InstallContext } from './installation.ts';
import { markedBlock, ownFile } from './marked-block.ts';
import { ALLOWED, codexRules } from './permissions.ts';
import { hooksPart, settingsFiles, settingsTarget } from './settings-file.ts';

const HOST = 'codex';
const TIMEOUT_S = 10;
const EVENTS = wordList(`
  SessionStart UserPromptSubmit PreCompact PostCompact SubagentStart Stop PostToolUse
`);
const TOML = { open: '# scratchpad install codex', close: '# end of scratchpad install codex' };

export function codex({ root, env, scope, program }: InstallContext): Installation {
  const groups = new Map<string, HookGroup>();
  for (const event of EVENTS) {
    const hook = { type: 'command', command: hookLine(program, HOST, event), timeout: TIMEOUT_S };
    groups.set(event, { ...(event === 'PostToolUse' ? { matcher: 'Bash|mcp__.*' } : {}), hooks: [hook] });
  }
  const hooks = settingsFiles(HOST, root, env)[scope];
  const folder = dirname(hooks);
  const within = scope === 'user' ? {} : { within: root };
  // A host reports a missing server, so shared settings do not name one.
  const shared = scope === 'project';
  const server = [
    '[mcp_servers.scratchpad]',
    `command = ${JSON.stringify(program.command)}`,
    `args = ${JSON.stringify([...program.args, 'mcp'])}`,
    'default_tools_approval_mode = "approve"',
    '',
  ].join('\n');
  const config = join(folder, 'config.toml');
  return {
    targets: [
      settingsTarget(hooks, [hooksPart(groups, isHookOf(HOST))], within),
      ...(shared
        ? []
        : [
            {
              ...markedBlock(config, TOML, server, /^\s*\[\s*mcp_servers\s*\.\s*"?scratchpad"?\s*\]/m),
              ...within,
            },
          ]),
      { ...ownFile(join(folder, 'rules', 'scratchpad.rules'), codexRules), ...within },
    ],
    does: [
      `hooks       what it says at a start, a prompt, a command's end, a compaction (${hooks})`,
      ...(shared ? [] : [`MCP server  scratchpad: the tools (${config})`]),
      `permission  ${ALLOWED}, and the tools of the server: run without asking`,
    ],
    notes: [
      'Codex runs a new or changed hook only once you have trusted it: it asks at its next start, or type /hooks.',
      ...(shared ? ['Each person’s own: codex mcp add scratchpad -- scratchpad mcp'] : []),
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}
