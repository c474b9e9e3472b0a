import { getString, toMembers } from '../../base/text/json.ts';
import { separateClaudeWords } from '../../transcript/formats/claude.ts';
import { defineHookHost } from '../hook-host.ts';
import { type HookInput, markSpeaker } from '../protocol.ts';

/** Claude Code cuts every hook string at 10,000 characters. */
const CONTEXT_CHARACTERS = 9700;
/** Hooks of Claude Code: https://code.claude.com/docs/en/hooks */
export const claudeCode = defineHookHost({
  name: 'claude-code',
  // A command at each call of a tool would cost more than it saves; before the first prompt the server is not connected.
  events: {
    SessionStart: { is: 'start', says: true, hook: {} },
    PreCompact: { is: 'before-compaction', hook: { isVisible: true } },
    PostCompact: { is: 'after-compaction' },
    SubagentStart: { is: 'subagent', says: true, hook: { asked: ['agent_id', 'agent_type'] } },
    SessionEnd: { is: 'end', hook: { runsOn: true } },
    UserPromptSubmit: { is: 'prompt', says: true, hook: { isForMod: true } },
    // Tells the server whose call of our tools comes.
    PreToolUse: {
      hook: { asked: ['tool_use_id', 'agent_id'], matcher: 'mcp__.*scratchpad.*', ofServer: true },
    },
    PostToolUse: {
      is: 'tool',
      says: true,
      hook: {
        asked: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id', 'agent_id'],
        matcher: 'Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|mcp__.*',
      },
    },
    PostToolUseFailure: {
      is: 'tool',
      says: true,
      hook: { asked: ['tool_name', 'tool_input', 'error', 'agent_id'], matcher: 'Bash|mcp__.*scratchpad.*' },
    },
    Stop: { is: 'stop', hook: { asked: ['last_assistant_message'], standsIn: true } },
  },
  holds: true,
  showsGit: true,
  // `claude -p`
  isOneShot: (_input, env) => env.CLAUDE_CODE_ENTRYPOINT === 'sdk-cli',
  tool: 'mcp__scratchpad__session_scratchpad',
  // Tools of servers are deferred: a list names them, and their schemas are loaded on demand.
  lateTools: true,
  room: { characters: CONTEXT_CHARACTERS },
  contextAt: 'event',
  refine(input) {
    const file = getString(toMembers(input.tool?.response), 'persistedOutputPath');
    const whole = input.tool && file ? { ...input, tool: { ...input.tool, file } } : input;
    return isFromPerson(whole) ? whole : markSpeaker('machine', whole);
  },
  replace: ({ toolOutput }) =>
    toolOutput === undefined ? undefined : { hookSpecificOutput: { updatedToolOutput: toolOutput } },
  special(event, { hold, summaryRequest }) {
    if (event !== 'PreCompact') return undefined;
    if (hold !== undefined) return `${JSON.stringify({ decision: 'block', reason: hold })}\n`;
    // Plain text there becomes part of the request for the summary.
    return summaryRequest === undefined ? '' : `${summaryRequest}\n`;
  },
});

/** Sources of prompts (2.1.330) written by a person; others are timers, monitors or notifications. */
const PERSON = new Set(['user', 'sdk']);

/** Versions before 2.1.300 do not name the source; there a prompt without any words of a person is the host's. */
function isFromPerson({ prompt, source }: HookInput): boolean {
  if (prompt === undefined) return true;
  if (source !== undefined) return PERSON.has(source);
  return separateClaudeWords(prompt) !== 'host' || prompt.startsWith('/');
}
