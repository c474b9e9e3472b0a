import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findHome, tryReadText, writeAtomically } from '../base/fs/index.ts';
import { defineHookHost } from './hook-host.ts';

/* Hosts that have the hooks of Claude Code, and nothing peculiar. */

const CONTEXT_CHARACTERS = 9500;

/** Hooks of Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks. No hook replaces a result. */
export const qwenCode = defineHookHost({
  name: 'qwen-code',
  events: {
    SessionStart: { is: 'start', hook: {} },
    UserPromptSubmit: { is: 'prompt', says: true, hook: {} },
    PostToolUse: { is: 'tool', says: true, hook: { matcher: 'run_shell_command|mcp__.*' } },
    PreCompact: { is: 'before-compaction', hook: {} },
    PostCompact: { is: 'after-compaction', hook: {} },
    SubagentStart: { is: 'subagent', says: true, hook: {} },
    Stop: { is: 'stop', hook: {} },
    SessionEnd: { is: 'end', hook: {} },
  },
  // A resumed session does not have the text of its start.
  silentStart: true,
  emptyPrompts: true,
  tool: 'mcp__scratchpad__session_scratchpad',
  contextAt: 'event',
  room: { characters: CONTEXT_CHARACTERS },
});

/** Hooks of Droid: https://docs.factory.ai/reference/hooks-reference. `droid exec` reports no prompts. */
export const droid = defineHookHost({
  name: 'droid',
  events: {
    SessionStart: { is: 'start', says: true, hook: {} },
    UserPromptSubmit: { is: 'prompt', says: true, hook: {} },
    PostToolUse: { is: 'tool', says: true, hook: { matcher: 'Execute|mcp__.*' } },
    PreCompact: { is: 'before-compaction', hook: {} },
    Stop: { is: 'stop', hook: {} },
    SessionEnd: { is: 'end', hook: {} },
  },
  // It sets no variable that shows an agent, but takes some from this file of its own after a start.
  markCommands({ session = '' }, env) {
    if (!/^[\w-]+$/.test(session)) return;

    const file = join(findHome(env), '.factory/temp/env', `droid-env-${session}.sh`);
    const text = `${tryReadText(file, 'config') ?? ''}export AI_AGENT=droid\n`;
    attempt(() => writeAtomically(file, text, { mode: 0o600, durable: false }));
  },
  contextAt: 'event',
  room: { characters: CONTEXT_CHARACTERS },
});
