import { getList, getString, toMembers } from '../../base/text/json.ts';
import { separateClaudeWords } from '../../transcript/formats/claude.ts';
import { defineHookHost, defineInProcessHost, pickAnswer } from '../define-host.ts';
import { type HookHost, type HookInput, markSpeaker } from '../protocol.ts';

/** Claude Code cuts every hook string at 10,000 characters. */
const CONTEXT_CHARACTERS = 9700;

/** Hooks of Claude Code: https://code.claude.com/docs/en/hooks */
export const claudeCode = defineHookHost({
  name: 'claude-code',
  // A command at each call of a tool would cost more than it saves; before the first prompt the server is not connected.
  events: {
    SessionStart: { kind: 'start', carriesText: true, hook: {} },
    PreCompact: { kind: 'before-compaction', hook: { isVisible: true } },
    PostCompact: { kind: 'after-compaction' },
    SubagentStart: { kind: 'subagent', carriesText: true, hook: { fields: ['agent_id', 'agent_type'] } },
    SessionEnd: { kind: 'end', hook: { isAsync: true } },
    UserPromptSubmit: { kind: 'prompt', carriesText: true, hook: { isForMod: true } },
    // Tells the server whose call of our tools comes.
    PreToolUse: {
      hook: { fields: ['tool_use_id', 'agent_id'], matcher: 'mcp__.*scratchpad.*', needsServer: true },
    },
    PostToolUse: {
      kind: 'tool',
      carriesText: true,
      hook: {
        fields: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id', 'agent_id'],
        matcher: 'Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|mcp__.*',
      },
    },
    PostToolUseFailure: {
      kind: 'tool',
      carriesText: true,
      hook: { fields: ['tool_name', 'tool_input', 'error', 'agent_id'], matcher: 'Bash|mcp__.*scratchpad.*' },
    },
    Stop: { kind: 'stop', hook: { fields: ['last_assistant_message'], hasStandIn: true } },
  },
  holds: true,
  showsGit: true,
  // `claude -p`
  isOneShot: (_input, env) => env.CLAUDE_CODE_ENTRYPOINT === 'sdk-cli',
  tool: 'mcp__scratchpad__session_scratchpad',
  // Tools of servers are deferred: a list names them, and their schemas are loaded on demand.
  lateTools: true,
  room: { characters: CONTEXT_CHARACTERS },
  refine(input) {
    const file = getString(toMembers(input.tool?.response), 'persistedOutputPath');
    const refined = input.tool && file ? { ...input, tool: { ...input.tool, file } } : input;
    return isFromPerson(refined) ? refined : markSpeaker('machine', refined);
  },
  replace: ({ toolOutput }) =>
    toolOutput === undefined ? undefined : { hookSpecificOutput: { updatedToolOutput: toolOutput } },
  renderSpecial(event, { hold, summaryRequest }) {
    if (event !== 'PreCompact') return undefined;
    if (hold !== undefined) return `${JSON.stringify({ decision: 'block', reason: hold })}\n`;
    // Claude Code adds plain text to the request for the summary.
    return summaryRequest === undefined ? '' : `${summaryRequest}\n`;
  },
});

/** Sources of prompts (2.1.330) written by a person; others are timers, monitors or notifications. */
const PERSON_SOURCES = new Set(['user', 'sdk']);

/** Versions before 2.1.300 do not name the source; there a prompt without any words of a person is the host's. */
function isFromPerson({ prompt, source }: HookInput): boolean {
  if (prompt === undefined) return true;
  if (source !== undefined) return PERSON_SOURCES.has(source);
  return separateClaudeWords(prompt) !== 'host' || prompt.startsWith('/');
}

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
      const readField = (name: string): string => getString(result, name) ?? '';
      return { id: readField('id'), about: readField('about'), text: readField('text') };
    });
    return { ...inProcess.read(json), ...(results.length > 0 ? { results } : {}) };
  },
  render: (_, answer) =>
    `${JSON.stringify({ ...pickAnswer(answer), prunes: answer.prunes, kept: answer.kept })}\n`,
};

/** Hooks beside a working mod, which answers compactions, and says at the first prompt what a start would say. */
const besideMod: HookHost = {
  ...claudeCode,
  silentStart: true,
  events: { ...claudeCode.events, PreCompact: {}, PostCompact: {} },
};

/** The same where the mod has answered the prompt as well. */
const afterModPrompt: HookHost = { ...besideMod, events: { ...besideMod.events, UserPromptSubmit: {} } };

/**
 * The host for an event of Claude Code's hooks. Our mod sets two variables for what the host starts: `SCRATCHPAD_MOD`, the
 * session whose prompts and compactions it answers, and `SCRATCHPAD_ANSWERED`, the host's process while it answers the
 * prompts. They end with that process, so a host that was killed leaves none.
 */
export function chooseClaudeHost({ session }: HookInput, env: NodeJS.ProcessEnv): HookHost {
  if (session === undefined || env.SCRATCHPAD_MOD !== session) return claudeCode;
  return env.CLAUDE_PID && env.SCRATCHPAD_ANSWERED === `by ${env.CLAUDE_PID}` ? afterModPrompt : besideMod;
}
