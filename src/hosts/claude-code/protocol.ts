import { claudeWords } from '../../transcript/formats/claude.ts';
import { type HookHost, type HookInput, readCommon, spokenBy, windowOf } from '../protocol.ts';

/** Claude Code cuts every hook string at 10,000 characters. */
const CONTEXT_CHARACTERS = 9700;
const TAKE_CONTEXT = new Set([
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
]);

/** Hooks of Claude Code: https://code.claude.com/docs/en/hooks */
export const claudeCode: HookHost = {
  name: 'claude-code',
  events: new Map([
    ['SessionStart', 'start'],
    ['UserPromptSubmit', 'prompt'],
    ['PreCompact', 'before-compaction'],
    ['PostCompact', 'after-compaction'],
    ['PostToolUse', 'tool'],
    ['PostToolUseFailure', 'tool'],
    ['SubagentStart', 'subagent'],
    ['Stop', 'stop'],
    ['SessionEnd', 'end'],
  ]),
  silence: '',
  holds: true,
  // A person can set it to compact earlier.
  compactsAt: async (_root, env, model) => {
    const set = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW) || undefined;
    const window = windowOf(model);
    return set === undefined || window === undefined ? (set ?? window) : Math.min(set, window);
  },
  // `claude -p`
  isOneShot: (_input, env) => env.CLAUDE_CODE_ENTRYPOINT === 'sdk-cli',
  tool: 'mcp__scratchpad__session_scratchpad',
  // Tools of servers are deferred: a list names them, and their schemas are loaded on demand.
  lateTools: true,
  room: { characters: CONTEXT_CHARACTERS },
  read: (json) => {
    const input = readCommon(json);
    return isFromPerson(input) ? input : spokenBy('machine', input);
  },
  render(event, { context, hold, summaryRequest, toolOutput }) {
    if (event === 'PreCompact' && hold !== undefined) return line({ decision: 'block', reason: hold });
    // Plain text there becomes part of the request for the summary.
    if (event === 'PreCompact') return summaryRequest === undefined ? '' : `${summaryRequest}\n`;
    if (!TAKE_CONTEXT.has(event)) return '';
    const updatedToolOutput = event === 'PostToolUse' ? toolOutput : undefined;
    if (context === undefined && updatedToolOutput === undefined) return '';
    return line({
      hookSpecificOutput: { hookEventName: event, additionalContext: context, updatedToolOutput },
    });
  },
};

/** Sources of prompts (2.1.330) written by a person; others are timers, monitors or notifications. */
const PERSON = new Set(['user', 'sdk']);

/** Versions before 2.1.300 do not name the source; there a prompt without any words of a person is the host's. */
function isFromPerson({ prompt, source }: HookInput): boolean {
  if (prompt === undefined) return true;
  if (source !== undefined) return PERSON.has(source);
  return claudeWords(prompt) !== 'host' || prompt.startsWith('/');
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
