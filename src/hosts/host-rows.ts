import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findHome, tryReadText, writeAtomically } from '../base/fs/index.ts';
import { getString } from '../base/text/json.ts';
import { claudeCode, claudeMod } from './claude-code/protocol.ts';
import { codex } from './codex/protocol.ts';
import { copilot } from './copilot/protocol.ts';
import { defineHookHost, defineInProcessHost } from './define-host.ts';
import { geminiCli } from './gemini-cli/protocol.ts';
import { openClaw } from './openclaw/protocol.ts';
import type { HookHost } from './protocol.ts';

/** Hooks of Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks. No hook replaces a result. */
export const qwenCode = defineHookHost({
  name: 'qwen-code',
  events: {
    SessionStart: { kind: 'start', hook: {} },
    UserPromptSubmit: { kind: 'prompt', carriesText: true, hook: {} },
    PostToolUse: { kind: 'tool', carriesText: true, hook: { matcher: 'run_shell_command|mcp__.*' } },
    PreCompact: { kind: 'before-compaction', hook: {} },
    PostCompact: { kind: 'after-compaction', hook: {} },
    SubagentStart: { kind: 'subagent', carriesText: true, hook: {} },
    Stop: { kind: 'stop', hook: {} },
    SessionEnd: { kind: 'end', hook: {} },
  },
  // A resumed session does not have the text of its start.
  silentStart: true,
  emptyPrompts: true,
  tool: 'mcp__scratchpad__session_scratchpad',
});

/** Hooks of Droid: https://docs.factory.ai/reference/hooks-reference. `droid exec` reports no prompts. */
export const droid = defineHookHost({
  name: 'droid',
  events: {
    SessionStart: { kind: 'start', carriesText: true, hook: {} },
    UserPromptSubmit: { kind: 'prompt', carriesText: true, hook: {} },
    PostToolUse: { kind: 'tool', carriesText: true, hook: { matcher: 'Execute|mcp__.*' } },
    PreCompact: { kind: 'before-compaction', hook: {} },
    Stop: { kind: 'stop', hook: {} },
    SessionEnd: { kind: 'end', hook: {} },
  },
  // Droid sets no variable that shows an agent, but takes variables from this file of its own after a start.
  markCommands({ session = '' }, env) {
    if (!/^[\w-]+$/.test(session)) return;

    const file = join(findHome(env), '.factory/temp/env', `droid-env-${session}.sh`);
    const text = `${tryReadText(file, 'config') ?? ''}export AI_AGENT=droid\n`;
    attempt(() => writeAtomically(file, text, { mode: 0o600, durable: false }));
  },
});

// Text that a plugin adds to a prompt stays in the conversation; a start would add it before there is one.
export const opencode = defineInProcessHost({ name: 'opencode', silentStart: true });
export const kilo = defineInProcessHost({ name: 'kilo', silentStart: true });
export const pi = defineInProcessHost({
  name: 'pi',
  tool: 'session_scratchpad',
  silentStart: true,
  detectSpeaker: (json) =>
    ['user', undefined].includes(getString(json, 'messageType')) ? undefined : 'machine',
  readSource({ source, contextUse }) {
    if (source === 'startup' && contextUse !== undefined) return 'resume';
    return { new: 'clear', reload: 'resume' }[source ?? ''];
  },
});

const HOSTS = [claudeCode, codex, geminiCli, copilot, qwenCode, droid, openClaw, opencode, kilo, pi];

/** Hosts that run our hooks, by the names that `hook` takes. */
export const HOOK_HOSTS: ReadonlyMap<string, HookHost> = new Map([
  ...HOSTS.map((host) => [host.name, host] as const),
  ['claude', claudeCode],
  ['claude-code-mod', claudeMod],
  ['gemini', geminiCli],
]);

/** The names without synonyms, for messages. */
export const listHostNames = (): string => HOSTS.map(({ name }) => name).join(', ');
