import type { Check, Examined, Finding } from './check.ts';
import { warn } from './check.ts';
import { codexWorktree, formerServers, HOSTS, hostCheck, sharedPaths } from './check-hosts.ts';
import { openClaw } from './check-openclaw.ts';
import { timers } from './check-timers.ts';
import * as workspace from './check-workspace.ts';

/** What `doctor` looks at, in this order. */
const ALWAYS: readonly Check[] = [workspace.node, workspace.isThere, workspace.meantElsewhere];
const IN_WORKSPACE: readonly Check[] = [
  workspace.silenced,
  workspace.orphans,
  workspace.mergeDriver,
  workspace.settings,
  workspace.commands,
  workspace.content,
];
/** Each finds nothing where its host is not connected. */
const CONNECTIONS: readonly Check[] = [...HOSTS.map(hostCheck), openClaw];
const WHERE_CONNECTED: readonly Check[] = [workspace.onPath, workspace.lastRuns];
const AFTERWARDS: readonly Check[] = [codexWorktree, sharedPaths, formerServers, timers];

/** Everything that silently keeps the scratchpad from reaching an agent. */
export async function diagnose(at: Examined): Promise<Finding[]> {
  const all = async (checks: readonly Check[]): Promise<Finding[]> => {
    const found: Finding[] = [];
    for (const check of checks) found.push(...(await check(at)));
    return found;
  };
  const findings = await all([...ALWAYS, ...(at.workspace.exists ? IN_WORKSPACE : [])]);
  const connected = await all(CONNECTIONS);
  findings.push(...connected, ...(await all(AFTERWARDS)));
  if (connected.length > 0) return [...findings, ...(await all(WHERE_CONNECTED))];
  // Not a failure: an agent may use the MCP server, the library or the commands.
  const found = 'no host is connected to the scratchpad: no hook shows it to an agent';
  return [
    ...findings,
    warn('hosts', found, 'scratchpad install claude-code (or codex, gemini-cli, openclaw)'),
  ];
}
