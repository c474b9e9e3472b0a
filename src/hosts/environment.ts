import { append } from '../fs/index.ts';
import type { HookInput } from './protocol.ts';
import type { Session } from './session.ts';

/**
 * Claude Code runs the agent's commands with the variables that a SessionStart hook appends to this file. With
 * `hook.pad: own` they use the session's own pad without naming it.
 */
export async function exportSession(at: Session, { session }: HookInput): Promise<void> {
  const file = at.env.CLAUDE_ENV_FILE;
  if (at.config.hook.pad !== 'own' || !file || session === undefined) return;
  at.attempt('CLAUDE_ENV_FILE', () =>
    append(file, 'host', `export SCRATCHPAD_SESSION='${session.replace(/'/g, "'\\''")}'\n`),
  );
}
