import { dirname, join } from 'node:path';
import { exists } from '../../base/fs/index.ts';
import { hookLine, isHookOf, SERVER, serverPart } from './hook-command.ts';
import { settingsFiles } from './host-files.ts';
import type { Installation, InstallContext } from './installation.ts';
import { formerPart, type HookGroup, hooksPart, listPart, settingsTarget } from './json-parts.ts';
import type { Program } from './program.ts';

const HOST = 'gemini-cli';
const TIMEOUT_MS = 10_000;
/** Not PreCompress, which comes before every request: the prompt's hook finds a compression in the chat file. */
const EVENTS = ['SessionStart', 'BeforeAgent', 'AfterAgent', 'AfterTool', 'SessionEnd'];
const EXTENSION = 'scratchpad';

export function geminiHooks(program: Program): Map<string, HookGroup> {
  return new Map(
    EVENTS.map((event) => {
      const command = hookLine(program, HOST, event);
      const hooks = [{ name: 'scratchpad', type: 'command', command, timeout: TIMEOUT_MS }];
      return [
        event,
        event === 'AfterTool' ? { matcher: 'run_shell_command|web_fetch|mcp_.*', hooks } : { hooks },
      ];
    }),
  );
}

/** The folder of our extension, if it is installed. */
export function installedExtension(root: string, env: NodeJS.ProcessEnv): string | undefined {
  const folder = join(dirname(settingsFiles(HOST, root, env).user), 'extensions', EXTENSION);
  return exists(join(folder, 'gemini-extension.json')) ? folder : undefined;
}

export function geminiCli({ root, env, scope, program }: InstallContext): Installation {
  const path = settingsFiles(HOST, root, env)[scope];
  const extension = installedExtension(root, env);
  const shared = scope === 'project';
  const parts = extension === undefined ? [hooksPart(geminiHooks(program), isHookOf(HOST))] : [];
  parts.push(
    // A command on this list denies every command that is not on it, and a policy file for it would disable
    // the person's own.
    formerPart(listPart(['tools', 'allowed'], ['run_shell_command(scratchpad)'])),
  );
  // Gemini CLI reports a missing server to everybody.
  if (!shared)
    parts.push(serverPart([], { command: program.command, args: [...program.args, 'mcp'], trust: true }));
  return {
    targets: [settingsTarget(path, parts, scope === 'user' ? {} : { within: root })],
    does: [
      extension === undefined
        ? `hooks       what it says at a prompt, a command's end, the end of a session (${path})`
        : `hooks       none: the extension in ${extension} includes them`,
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
