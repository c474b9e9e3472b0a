import { getList, getString, toMembers } from '../../base/text/json.ts';
import { defineInProcessHost, pickAnswer } from '../in-process.ts';
import type { HookHost, HookInput } from '../protocol.ts';
import { claudeCode } from './protocol.ts';

/**
 * Set by our mod for everything that Claude Code starts: the session whose prompts and compactions it answers. It ends with
 * the host's process, so a host that was killed leaves none.
 */
const MARK = 'SCRATCHPAD_MOD';
/** Set by our mod while it answers the prompts of a process of the host: which process that is. */
const ANSWERED = 'SCRATCHPAD_ANSWERED';

const inProcess = defineInProcessHost({
  name: 'claude-code',
  holds: true,
  showsGit: true,
  lateTools: true,
  tool: 'mcp__plugin_scratchpad_scratchpad__session_scratchpad',
  ...(claudeCode.isOneShot === undefined ? {} : { isOneShot: claudeCode.isOneShot }),
});

/**
 * Claude Code through the mod of our plugin (`templates/claude-code-plugin/hooks/register.js`): JavaScript in the host, which
 * asks our server. Mods: https://code.claude.com/docs/en/plugins/mods/reference
 */
export const claudeMod: HookHost = {
  ...inProcess,
  read(json) {
    const results = getList(json, 'results').map((value) => {
      const result = toMembers(value);
      const read = (name: string): string => getString(result, name) ?? '';
      return { id: read('id'), about: read('about'), text: read('text') };
    });
    return { ...inProcess.read(json), ...(results.length > 0 ? { results } : {}) };
  },
  render: (_, answer) =>
    `${JSON.stringify({ ...pickAnswer(answer), prunes: answer.prunes, kept: answer.kept })}\n`,
};

/** The hooks where the mod is at work: it says what a start would have said, and answers compactions. */
const behindMod: HookHost = {
  ...claudeCode,
  silentStart: true,
  events: { ...claudeCode.events, PreCompact: {}, PostCompact: {} },
};

const afterMod: HookHost = { ...behindMod, events: { ...behindMod.events, UserPromptSubmit: {} } };

/** The host for an event of Claude Code's hooks. */
export function chooseClaudeHost({ session }: HookInput, env: NodeJS.ProcessEnv): HookHost {
  if (session === undefined || env[MARK] !== session) return claudeCode;
  return env.CLAUDE_PID && env[ANSWERED] === `by ${env.CLAUDE_PID}` ? afterMod : behindMod;
}
