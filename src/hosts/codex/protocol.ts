import { estimateTokens } from '../../pad/tokens.ts';
import { type HookHost, readCommon } from '../protocol.ts';

/** Codex puts context over about 2,500 tokens into a file and shows the model its ends. */
const CONTEXT_TOKENS = 2250;
const CONTEXT_CHARACTERS = 9500;
const TAKE_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'SubagentStart']);

/** Hooks of Codex: https://developers.openai.com/codex/hooks. An unknown field in an answer is an error there. */
export const codex: HookHost = {
  name: 'codex',
  events: new Map([
    ['SessionStart', 'start'],
    ['UserPromptSubmit', 'prompt'],
    ['PreCompact', 'before-compaction'],
    ['PostCompact', 'after-compaction'],
    ['PostToolUse', 'tool'],
    ['SubagentStart', 'subagent'],
    ['Stop', 'stop'],
  ]),
  silence: '',
  fits: (text) => text.length <= CONTEXT_CHARACTERS && estimateTokens(text) <= CONTEXT_TOKENS,
  read: readCommon,
  render(event, { context }) {
    if (context === undefined || !TAKE_CONTEXT.has(event)) return '';
    return `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } })}\n`;
  },
};
