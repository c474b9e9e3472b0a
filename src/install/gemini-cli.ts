import { hookLine, isHookOf, SERVER } from './hook-command.ts';
import type { HookGroup } from './hooks-json.ts';
import type { Installation, InstallContext } from './installation.ts';
import {
  formerPart,
  hooksPart,
  listPart,
  serverPart,
  settingsFiles,
  settingsTarget,
} from './settings-file.ts';

const HOST = 'gemini-cli';
const TIMEOUT_MS = 10_000;
const EVENTS = ['SessionStart', 'BeforeAgent', 'PreCompress', 'AfterAgent', 'AfterTool'];

export function geminiCli({ root, env, scope, program }: InstallContext): Installation {
  const groups = new Map<string, HookGroup>();
  for (const event of EVENTS) {
    const command = hookLine(program, HOST, event);
    const hook = { name: 'scratchpad', type: 'command', command, timeout: TIMEOUT_MS };
    groups.set(event, {
      ...(event === 'AfterTool' ? { matcher: 'run_shell_command|web_fetch|mcp_.*' } : {}),
      hooks: [hook],
    });
  }
  const path = settingsFiles(HOST, root, env)[scope];
  const server = { command: program.command, args: [...program.args, 'mcp'], trust: true };
  const shared = scope === 'project';
  const parts = [
    hooksPart(groups, isHookOf(HOST)),
    // A command on this list denies every command that is not on it, and a policy file for it would disable
    // the person's own.
    formerPart(listPart(['tools', 'allowed'], ['run_shell_command(scratchpad)'])),
  ];
  // Gemini CLI reports a missing server to everybody.
  if (!shared) parts.push(serverPart([], server));
  return {
    targets: [settingsTarget(path, parts, scope === 'user' ? {} : { within: root })],
    does: [
      `hooks       what it says at a prompt, a command's end, a compression (${path})`,
      ...(shared
        ? []
        : [
            `MCP server  ${SERVER}: the tools (${path})`,
            'permission  the tools of the server run without asking',
          ]),
    ],
    notes: shared ? ['Each person’s own: gemini mcp add --scope user scratchpad scratchpad mcp'] : [],
  };
}
