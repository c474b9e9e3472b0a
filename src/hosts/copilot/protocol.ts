import { join } from 'node:path';
import { findHome } from '../../base/fs/index.ts';
import { defineHookHost } from '../define-host.ts';

/**
 * Hooks of GitHub Copilot CLI and VS Code: https://docs.github.com/copilot/reference/hooks-configuration. They also run
 * the hooks in the settings of Claude Code, by its names for the events.
 */
export const copilot = defineHookHost({
  name: 'copilot',
  events: {
    sessionStart: { kind: 'start', hook: {} },
    userPromptSubmitted: { kind: 'prompt', carriesText: true, hook: {} },
    postToolUse: { kind: 'tool', carriesText: true, hook: {} },
    preCompact: { kind: 'before-compaction', hook: {} },
    agentStop: { kind: 'stop', hook: {} },
    sessionEnd: { kind: 'end', hook: {} },
    SessionStart: { kind: 'start' },
    UserPromptSubmit: { kind: 'prompt', carriesText: true },
    PostToolUse: { kind: 'tool', carriesText: true },
    Stop: { kind: 'stop' },
    SessionEnd: { kind: 'end' },
  },
  // The first prompt follows at once.
  silentStart: true,
  // No event follows a compaction: the session's file tells.
  unseenCompaction: true,
  stampsTime: true,
  repeatsContext: true,
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
