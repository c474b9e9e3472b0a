import { basename } from 'node:path';
import { getList, getString, isObject, type JsonObject } from '../../base/text/json.ts';
import { makeValuePart, type SettingsPart } from './json-parts.ts';
import { type Program, renderShellLine } from './program.ts';

/** The MCP server's name in a host's settings, and its tool that answers hooks. */
export const SERVER = 'scratchpad';
const HOOK_TOOL = 'hook';

/** Programs that a person may have put before our command; a hook with anything else is theirs, and left alone. */
const STARTERS = /^(?:node|nodejs|bun|npx|npx\.cmd|node\.exe)$/;
const PROGRAM = /^scratchpad(?:\.(?:js|cjs|cmd|exe))?$/;
const GUARDED =
  /^if command -v .+? >\/dev\/null 2>&1(?: && \[ -f .+? \])?; then exec (.+?)(?:; elif \[ -f .+? \]; then exec (.+))?; fi$/;

/** A shell line that runs one of our hooks, and does nothing if the program is gone. */
export function renderHookLine({ command, args, fallback }: Program, host: string, event: string): string {
  const hook = ['hook', host, event, '--tools'];
  const [script] = args;
  const checks = [
    `command -v ${renderShellLine([command])} >/dev/null 2>&1`,
    ...(script === undefined ? [] : [`[ -f ${renderShellLine([script])} ]`]),
  ];
  const [, file] = fallback ?? [];
  const alternative =
    fallback && file
      ? `; elif [ -f ${renderShellLine([file])} ]; then exec ${renderShellLine([...fallback, ...hook])}`
      : '';

  return `if ${checks.join(' && ')}; then exec ${renderShellLine([command, ...args, ...hook])}${alternative}; fi`;
}

/** Seconds until a host gives up a hook that asks the server, which may be stopped. */
const ASKING_TIMEOUT_S = 3;

/** A hook that our server answers through the host's MCP client, with these fields of the event besides the usual ones. */
export function makeAskingHook(
  server: string,
  host: string,
  event: string,
  fields: readonly string[],
): JsonObject {
  const names = ['session_id', 'transcript_path', 'cwd', ...fields];
  const placeholders = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  // The server takes Claude Code for the host that does not say its name.
  const input = { ...(host === 'claude-code' ? {} : { host }), event, ...placeholders };
  return { type: 'mcp_tool', server, tool: HOOK_TOOL, input, timeout: ASKING_TIMEOUT_S };
}

/** The words of the command that a hook runs, without the checks around it; none if a shell would do more. */
function splitHookWords({ command, args }: JsonObject): string[] {
  if (typeof command !== 'string') return [];
  if (Array.isArray(args)) return [command, ...args.map(String)];
  const line = unwrapUnlessServed(command);
  return splitShellLine(GUARDED.exec(line)?.[1] ?? line);
}

/** The program that a hook starts; `undefined` if a shell would do more, or the MCP server answers the hook. */
export function parseHookProgram(hook: JsonObject): Program | undefined {
  const takeProgram = (words: string[]): string[] => words.slice(0, Math.max(0, words.indexOf('hook')));
  const [command, ...args] = takeProgram(splitHookWords(hook));
  const [, , alternative = ''] = GUARDED.exec(unwrapUnlessServed(String(hook.command))) ?? [];
  const fallback = takeProgram(splitShellLine(alternative));
  return command === undefined ? undefined : { command, args, ...(fallback.length > 0 ? { fallback } : {}) };
}

/** A check for hooks of ours: they call our tool, or the program, or Node with it, and do nothing else. */
export function makeHookCheck(host: string): (hook: JsonObject) => boolean {
  return (hook) => {
    if (hook.type === 'mcp_tool') return isOurToolCall(hook, host);
    const words = splitHookWords(hook).filter((word) => word !== '--tools');
    const [subcommand, name, event = ''] = words.slice(-3);
    const isHook = subcommand === 'hook' && name === host && /^\w+$/.test(event);
    return isHook && isProgram(words.slice(0, -3));
  };
}

export const SERVER_PART = `MCP server  ${SERVER}: the tools, which run without asking, and the answers of hooks`;

export const makeServerPart = (
  place: readonly string[],
  server: JsonObject,
  staysEmpty = false,
): SettingsPart => ({
  ...makeValuePart([...place, 'mcpServers', SERVER], server, isServerOfOurs, staysEmpty),
  about: SERVER_PART,
});

export function isServerOfOurs(server: unknown): boolean {
  if (!isObject(server) || typeof server.command !== 'string') return false;
  const command = [server.command, ...getList(server, 'args').map(String)];
  const line = unwrapServerLine(command);
  const words = (line === undefined ? command : splitShellLine(line)).filter(
    (word) => word !== '--all-tools',
  );
  return words.length > 1 && words.at(-1) === 'mcp' && isProgram(words.slice(0, -1));
}

function isOurToolCall(hook: JsonObject, host: string): boolean {
  const input = isObject(hook.input) ? hook.input : undefined;
  return (
    /(?:^|:)scratchpad$/.test(getString(hook, 'server') ?? '') &&
    hook.tool === HOOK_TOOL &&
    (getString(input, 'host') ?? 'claude-code') === host
  );
}

function isProgram(words: readonly string[]): boolean {
  const names = words.map((word) => basename(word.replaceAll('\\', '/')));
  const starter = names.slice(0, -1).filter((word) => word !== '-y' && word !== '--yes');
  return (
    PROGRAM.test(names.at(-1) ?? '') && starter.length <= 1 && starter.every((word) => STARTERS.test(word))
  );
}

/** The words of a line in the form of `renderShellLine`; none if a shell would do more than split it. */
function splitShellLine(line: string): string[] {
  const pattern = /'(?:[^']|'\\'')*'|"[^"$`\\]*"|[\w@%+=:,./\\-]+/y;
  const words: string[] = [];

  for (let offset = 0; offset < line.length; ) {
    pattern.lastIndex = offset;
    const [word] = pattern.exec(line) ?? [];
    if (word === undefined || !/^(?:\s|$)/.test(line.slice(offset + word.length))) return [];

    words.push(/^['"]/.test(word) ? word.slice(1, -1).replaceAll("'\\''", "'") : word);
    offset += word.length;
    while (/\s/.test(line[offset] ?? '')) offset += 1;
  }

  return words;
}

/*
 * Claude Code does not start an MCP server again that has died, and shows an error at each hook that asks it. So a shell
 * keeps ours alive, and command hooks answer in its place if both are gone.
 */

const LOOP_START = 'while SCRATCHPAD_KEPT_BY="$$ $PPID" ';
const LOOP_END = '; [ $? -gt 128 ]; do sleep 0.2; done';
const LOOP = /^while SCRATCHPAD_KEPT_BY="\$\$ \$PPID" (.*); \[ \$\? -gt 128 \]; do sleep [\d.]+; done$/;

/** How a host starts the server. The shell starts it again if a signal has ended it. */
export function wrapServer({ command, args }: Program): Program {
  const words = [...args, 'mcp'];
  if (process.platform === 'win32') return { command, args: words };
  return { command: 'sh', args: ['-c', LOOP_START + renderShellLine([command, ...words]) + LOOP_END] };
}

/** The line that such a shell runs; `undefined` for other words. */
const unwrapServerLine = ([shell, flag, line = '']: readonly string[]): string | undefined =>
  shell === 'sh' && flag === '-c' ? LOOP.exec(line)?.[1] : undefined;

/**
 * Ends a command hook within a millisecond while the server that the host has started lives: it answers the same event.
 * Reads the pids of the shell and the server from the note of `serveHooks`; a signal shows that they live, and
 * wakes them if they were stopped. Without a note there is no server, or not yet; if only the server is gone, the shell
 * starts it again. The command answers in its place; an event that reaches both is answered by one of them (`claimEvent`).
 */
const SERVER_CHECK = [
  `: 'Only if the MCP server, which answers this event, is not there';`,
  `read -r shell _ server 2>/dev/null <"\${XDG_STATE_HOME:-$HOME/.local/state}/scratchpad/servers/$PPID" &&`,
  `kill -CONT "$shell" 2>/dev/null && kill -CONT "$server" 2>/dev/null && exit 0; `,
].join(' ');
const CHECKED_LINE = /^: 'Only if .*?&& exit 0; /;

export const wrapUnlessServed = (line: string): string => SERVER_CHECK + line;

/** Ends a command hook at once at a prompt that our mod has answered, which sets the variable for it (`claude-code/protocol.ts`). */
export const wrapUnlessAnswered = (line: string): string =>
  `: 'Only if the mod has not answered the prompt'; [ "$CLAUDE_PID" ] && [ "$SCRATCHPAD_ANSWERED" = "by $CLAUDE_PID" ] && exit 0; ${line}`;

const unwrapUnlessServed = (line: string): string => line.replace(CHECKED_LINE, '');
