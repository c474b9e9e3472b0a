import type { Program } from './program.ts';
import { shellLine } from './program.ts';

/*
 * Claude Code does not start an MCP server again that has died, and shows an error at each hook that asks it. So a shell
 * keeps ours alive, and command hooks answer in its place if both are gone.
 */

const BEFORE = 'while SCRATCHPAD_KEPT_BY="$$ $PPID" ';
const AFTER = '; [ $? -gt 128 ]; do sleep 0.2; done';
/** The same in any version. */
const KEPT = /^while SCRATCHPAD_KEPT_BY="\$\$ \$PPID" (.*); \[ \$\? -gt 128 \]; do sleep [\d.]+; done$/;

/** How a host starts the server. The shell starts it again if a signal has ended it. */
export function keptServer({ command, args }: Program): Program {
  const words = [...args, 'mcp'];
  if (process.platform === 'win32') return { command, args: words };
  return { command: 'sh', args: ['-c', BEFORE + shellLine([command, ...words]) + AFTER] };
}

/** The line that such a shell runs; `undefined` for other words. */
export function keptLine([shell, flag, line = '']: readonly string[]): string | undefined {
  return shell === 'sh' && flag === '-c' ? KEPT.exec(line)?.[1] : undefined;
}

/**
 * Ends a command hook within a millisecond while the server that the host has started lives: it is asked the same.
 * Reads the pids of the shell and the server from the note of `hosts/served.ts`; a signal shows that they live, and
 * wakes them if they were stopped. Without a note there is no server, or not yet; if only the server is gone, the shell
 * starts it again. The command answers in its place, and the two share out what both are asked (`hosts/claims.ts`).
 */
const CHECK = [
  `: 'Only if the MCP server, which answers this event, is not there';`,
  `read -r shell _ server 2>/dev/null <"\${XDG_STATE_HOME:-$HOME/.local/state}/scratchpad/servers/$PPID" &&`,
  `kill -CONT "$shell" 2>/dev/null && kill -CONT "$server" 2>/dev/null && exit 0; `,
].join(' ');
/** The same in any version; earlier ones compared the time at which the process began, too. */
const CHECKED = /^(?:: 'Only if .*?&& exit 0; |read -r p t n .*?; fi; fi; )/;

/** A hook that runs only if the server does not answer. */
export const unlessServed = (line: string): string => CHECK + line;

export const withoutCheck = (line: string): string => line.replace(CHECKED, '');
