import { claudeCode } from './claude-code/protocol.ts';
import { codex } from './codex/protocol.ts';
import { geminiCli } from './gemini-cli/protocol.ts';
import { openClaw } from './openclaw/protocol.ts';
import type { HookHost } from './protocol.ts';

/** Hosts that run our hooks as commands, by the names that `hook` takes. */
export const HOOK_HOSTS: ReadonlyMap<string, HookHost> = new Map([
  ['claude-code', claudeCode],
  ['claude', claudeCode],
  ['codex', codex],
  ['gemini-cli', geminiCli],
  ['gemini', geminiCli],
  ['openclaw', openClaw],
]);
