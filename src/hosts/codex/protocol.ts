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
  room: { characters: CONTEXT_CHARACTERS, tokens: CONTEXT_TOKENS },
  recover: async (input) => (await import('./output.ts')).recoverOutput(input),
  read: readCommon,
  render(event, { context, toolOutput }) {
    if (!TAKE_CONTEXT.has(event)) return '';
    const answer = {
      // What blocks a result takes its place; the command has run, nothing else is held up.
      ...(event === 'PostToolUse' && typeof toolOutput === 'string'
        ? { decision: 'block', reason: toolOutput }
        : {}),
      ...(context === undefined
        ? {}
        : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    };
    return Object.keys(answer).length === 0 ? '' : `${JSON.stringify(answer)}\n`;
  },
};
