import { type HookHost, readCommon } from '../protocol.ts';

const CONTEXT_CHARACTERS = 9500;
const TAKE_CONTEXT = new Set(['SessionStart', 'BeforeAgent', 'AfterTool']);
const SILENCE = '{}\n';

/** Hooks of Gemini CLI: https://geminicli.com/docs/hooks/reference. It wants JSON on stdout, nothing else. */
export const geminiCli: HookHost = {
  name: 'gemini-cli',
  events: new Map([
    ['SessionStart', 'start'],
    ['BeforeAgent', 'prompt'],
    ['PreCompress', 'before-compaction'],
    ['AfterTool', 'tool'],
    ['AfterAgent', 'stop'],
    ['SessionEnd', 'end'],
  ]),
  silence: SILENCE,
  fits: (text) => text.length <= CONTEXT_CHARACTERS,
  read: readCommon,
  render(event, { context, toolOutput }) {
    // A denied result is replaced by the reason: the only way to shorten an output here.
    if (event === 'AfterTool' && typeof toolOutput === 'string') {
      return `${JSON.stringify({ decision: 'deny', reason: toolOutput })}\n`;
    }
    if (context === undefined || !TAKE_CONTEXT.has(event)) return SILENCE;
    return `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } })}\n`;
  },
};
