import { basename } from 'node:path';
import { getString, isObject, type JsonObject } from '../../base/text/json.ts';
import { makeValuePart, type SettingsPart } from './json-parts.ts';
import { type Program, quoteShellLine } from './program.ts';

/** The MCP server's name in a host's settings, and its tool that answers hooks. */
export const SERVER = 'scratchpad';
const HOOK_TOOL = 'hook';

/** What a person may have put before our command; anything else makes it theirs, and it is left alone. */
const STARTED_BY = /^(?:node|nodejs|bun|npx|npx\.cmd|node\.exe)$/;
const PROGRAM = /^scratchpad(?:\.(?:js|cjs|cmd|exe))?$/;
const GUARDED =
  /^if command -v .+? >\/dev\/null 2>&1(?: && \[ -f .+? \])?; then exec (.+?)(?:; elif \[ -f .+? \]; then exec (.+))?; fi$/;

/** A shell line that runs one of our hooks, and does nothing if the program is gone. */
export function renderHookLine({ command, args, fallback }: Program, host: string, event: string): string {
  const hook = ['hook', host, event, '--tools'];
  const [script] = args;
  const there = [
    `command -v ${quoteShellLine([command])} >/dev/null 2>&1`,
    ...(script === undefined ? [] : [`[ -f ${quoteShellLine([script])} ]`]),
  ];
  const [, file] = fallback ?? [];
  const other =
    fallback && file
      ? `; elif [ -f ${quoteShellLine([file])} ]; then exec ${quoteShellLine([...fallback, ...hook])}`
      : '';

  return `if ${there.join(' && ')}; then exec ${quoteShellLine([command, ...args, ...hook])}${other}; fi`;
}

/** Seconds until a host gives up a hook that asks the server, which may be stopped. */
const ASKED_S = 3;

/** A hook that the host's MCP client answers, with these fields of the event besides the usual ones. */
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
  return { type: 'mcp_tool', server, tool: HOOK_TOOL, input, timeout: ASKED_S };
}

/** The words that a settings file's hook runs, without what silences it; none if a shell would do more. */
function splitHookWords({ command, args }: JsonObject): string[] {
  if (typeof command !== 'string') return [];
  if (Array.isArray(args)) return [command, ...args.map(String)];
  const line = unwrapUnlessServed(command);
  return splitShellLine(GUARDED.exec(line)?.[1] ?? line);
}

/** What a settings file's hook starts; `undefined` if a shell would do more, or the MCP server answers it. */
export function parseHookProgram(hook: JsonObject): Program | undefined {
  const before = (words: string[]): string[] => words.slice(0, Math.max(0, words.indexOf('hook')));
  const [command, ...args] = before(splitHookWords(hook));
  const [, , other = ''] = GUARDED.exec(unwrapUnlessServed(String(hook.command))) ?? [];
  const fallback = before(splitShellLine(other));
  return command === undefined ? undefined : { command, args, ...(fallback.length > 0 ? { fallback } : {}) };
}

/** Our hooks call our tool, or the program, or Node with it, and do nothing else. */
export function makeHookCheck(host: string): (hook: JsonObject) => boolean {
  return (hook) => {
    if (hook.type === 'mcp_tool') return isOurToolCall(hook, host);
    const words = splitHookWords(hook).filter((word) => word !== '--tools');
    const [event = '', name, verb, ...before] = words.reverse();
    return verb === 'hook' && name === host && /^\w+$/.test(event) && isProgram(before.reverse());
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
  const words = getServerWords(server).filter((word) => word !== '--all-tools');
  return words.length > 1 && words.at(-1) === 'mcp' && isProgram(words.slice(0, -1));
}

function getServerWords({ command, args }: JsonObject): string[] {
  const words = [String(command), ...(Array.isArray(args) ? args.map(String) : [])];
  const line = unwrapLine(words);
  return line === undefined ? words : splitShellLine(line);
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
    PROGRAM.test(names.at(-1) ?? '') && starter.length <= 1 && starter.every((word) => STARTED_BY.test(word))
  );
}

/** The words of a line in the form of `shellLine`; none if a shell would do more than split it. */
function splitShellLine(line: string): string[] {
  const word = /'(?:[^']|'\\'')*'|"[^"$`\\]*"|[\w@%+=:,./\\-]+/y;
  const words: string[] = [];

  for (let at = 0; at < line.length; ) {
    word.lastIndex = at;
    const [found] = word.exec(line) ?? [];
    if (found === undefined || !/^(?:\s|$)/.test(line.slice(at + found.length))) return [];

    words.push(/^['"]/.test(found) ? found.slice(1, -1).replaceAll("'\\''", "'") : found);
    at += found.length;
    while (/\s/.test(line[at] ?? '')) at += 1;
  }

  return words;
}

/*
 * Claude Code does not start an MCP server again that has died, and shows an error at each hook that asks it. So a shell
 * keeps ours alive, and command hooks answer in its place if both are gone.
 */

const BEFORE = 'while SCRATCHPAD_KEPT_BY="$$ $PPID" ';
const AFTER = '; [ $? -gt 128 ]; do sleep 0.2; done';
const KEPT = /^while SCRATCHPAD_KEPT_BY="\$\$ \$PPID" (.*); \[ \$\? -gt 128 \]; do sleep [\d.]+; done$/;

/** How a host starts the server. The shell starts it again if a signal has ended it. */
export function wrapServer({ command, args }: Program): Program {
  const words = [...args, 'mcp'];
  if (process.platform === 'win32') return { command, args: words };
  return { command: 'sh', args: ['-c', BEFORE + quoteShellLine([command, ...words]) + AFTER] };
}

/** The line that such a shell runs; `undefined` for other words. */
function unwrapLine([shell, flag, line = '']: readonly string[]): string | undefined {
  return shell === 'sh' && flag === '-c' ? KEPT.exec(line)?.[1] : undefined;
}

/**
 * Ends a command hook within a millisecond while the server that the host has started lives: it is asked the same.
 * Reads the pids of the shell and the server from the note of `serveHooks`; a signal shows that they live, and
 * wakes them if they were stopped. Without a note there is no server, or not yet; if only the server is gone, the shell
 * starts it again. The command answers in its place, and the two share out what both are asked (`claimEvent`).
 */
const CHECK = [
  `: 'Only if the MCP server, which answers this event, is not there';`,
  `read -r shell _ server 2>/dev/null <"\${XDG_STATE_HOME:-$HOME/.local/state}/scratchpad/servers/$PPID" &&`,
  `kill -CONT "$shell" 2>/dev/null && kill -CONT "$server" 2>/dev/null && exit 0; `,
].join(' ');
const CHECKED = /^: 'Only if .*?&& exit 0; /;

export const wrapUnlessServed = (line: string): string => CHECK + line;

/** Ends a command hook at once at a prompt that our mod has answered, which sets the variable for it (`claude-code/protocol.ts`). */
export const wrapUnlessAnswered = (line: string): string =>
  `: 'Only if the mod has not answered the prompt'; [ "$CLAUDE_PID" ] && [ "$SCRATCHPAD_ANSWERED" = "by $CLAUDE_PID" ] && exit 0; ${line}`;

const unwrapUnlessServed = (line: string): string => line.replace(CHECKED, '');
