import { type HookHost, readCommon } from '../protocol.ts';

/** Claude Code cuts every hook string at 10,000 characters. */
const CONTEXT_CHARACTERS = 9500;
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
    ['PostToolUseFailure', 'failed-tool'],
    ['SubagentStart', 'subagent'],
    ['Stop', 'stop'],
    ['SessionEnd', 'end'],
  ]),
  silence: '',
  holds: true,
  fits: (text) => text.length <= CONTEXT_CHARACTERS,
  read: readCommon,
  render(event, { context, hold, toolOutput }) {
    if (event === 'PreCompact' && hold !== undefined) return line({ decision: 'block', reason: hold });
    if (!TAKE_CONTEXT.has(event)) return '';
    const specific = {
      ...(context === undefined ? {} : { additionalContext: context }),
      ...(event === 'PostToolUse' && toolOutput !== undefined ? { updatedToolOutput: toolOutput } : {}),
    };
    if (Object.keys(specific).length === 0) return '';
    return line({ hookSpecificOutput: { hookEventName: event, ...specific } });
  },
};

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
