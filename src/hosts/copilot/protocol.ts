import { join } from 'node:path';
import { findHome } from '../../base/fs/index.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { defineHookHost } from '../hook-host.ts';

const CONTEXT_CHARACTERS = 9500;

/**
 * Hooks of GitHub Copilot CLI and VS Code: https://docs.github.com/copilot/reference/hooks-configuration. They also run
 * the hooks in the settings of Claude Code, by its names for the events.
 */
export const copilot = defineHookHost({
  name: 'copilot',
  events: {
    sessionStart: { is: 'start', hook: {} },
    userPromptSubmitted: { is: 'prompt', says: true, hook: {} },
    postToolUse: { is: 'tool', says: true, hook: {} },
    preCompact: { is: 'before-compaction', hook: {} },
    agentStop: { is: 'stop', hook: {} },
    sessionEnd: { is: 'end', hook: {} },
    SessionStart: { is: 'start' },
    UserPromptSubmit: { is: 'prompt', says: true },
    PostToolUse: { is: 'tool', says: true },
    Stop: { is: 'stop' },
    SessionEnd: { is: 'end' },
  },
  // The first prompt follows at once.
  silentStart: true,
  // No event follows a compaction: the session's file tells.
  unseenCompaction: true,
  stampsTime: true,
  contextAt: 'both',
  room: { characters: CONTEXT_CHARACTERS },
  replace: ({ toolOutput }) => (toolOutput === undefined ? undefined : { modifiedResult: toolOutput }),
  refine: (input, _, env) => ({
    ...input,
    source: input.source === 'new' ? 'startup' : input.source,
    transcript: input.transcript ?? getSessionFile(input.session, env),
  }),
});

/** Most events do not name the session's file. */
function getSessionFile(session: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (session === undefined || /[/\\]/.test(session)) return undefined;
  return join(findCopilotHome(env), 'session-state', session, 'events.jsonl');
}

export const findCopilotHome = (env: NodeJS.ProcessEnv): string =>
  env.COPILOT_HOME || join(findHome(env), '.copilot');

/** Whether an event that was meant for Claude Code comes from Copilot: it stamps the time, and has no modes. */
export const isFromCopilot = (json: JsonObject): boolean =>
  typeof json.timestamp === 'string' && !('permission_mode' in json);
