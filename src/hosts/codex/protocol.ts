import { bytesAt, openFile } from '../../base/fs/index.ts';
import { type HookHost, type HookInput, readCommon } from '../protocol.ts';

/**
 * Codex writes context of over 2,500 tokens, at four bytes per token (0.169), to a file and shows the model only its
 * start and end.
 */
const CONTEXT_BYTES = 9900;
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
    ['SessionEnd', 'end'],
  ]),
  silence: '',
  isOneShot,
  tool: 'session_scratchpad',
  lateTools: true,
  room: { characters: CONTEXT_BYTES, bytes: CONTEXT_BYTES },
  recover: async (input) => (await import('./output.ts')).recoverOutput(input),
  read: readCommon,
  render(event, { context, toolText }) {
    if (!TAKE_CONTEXT.has(event)) return '';
    const answer = {
      // A reason that blocks a result replaces it; the command has run, and nothing else is held up.
      ...(event === 'PostToolUse' && toolText !== undefined ? { decision: 'block', reason: toolText } : {}),
      ...(context === undefined
        ? {}
        : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    };
    return Object.keys(answer).length === 0 ? '' : `${JSON.stringify(answer)}\n`;
  },
};

/** Bytes of a rollout's first line in which Codex says how it was started; the instructions come after. */
const HEAD_BYTES = 2048;

/** `codex exec`: a rollout says so in its first line, and nothing else that a hook is handed. */
function isOneShot({ transcript }: HookInput): boolean {
  if (transcript === undefined) return false;
  try {
    const file = openFile(transcript, 'transcript');
    if (file === undefined) return false;
    try {
      return /^\{[^\n]*"source":"exec"/.test(bytesAt(file.fd, 0, HEAD_BYTES).toString('utf8'));
    } finally {
      file.close();
    }
  } catch {
    return false;
  }
}
