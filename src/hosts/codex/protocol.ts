import { tried } from '../../base/errors.ts';
import { bytesAt, openFile } from '../../base/fs/index.ts';
import { type HookHost, type HookInput, readCommon } from '../protocol.ts';

/**
 * Codex writes context of over 2,500 tokens, at four bytes per token (0.169), to a file and shows the model only its
 * start and end.
 */
const CONTEXT_BYTES = 9900;
/** Codex puts this before an output that it has cut for the model and for hooks. */
const CUT = /^Warning: truncated output \(original token count: \d+\)\n/;
const LOSS =
  '[Codex has cut the middle out of this output; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';
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
  lossOf: (output) => (typeof output === 'string' && CUT.test(output) ? LOSS : undefined),
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
  const head = tried(() => {
    const file = transcript === undefined ? undefined : openFile(transcript, 'transcript');
    try {
      return file && bytesAt(file.fd, 0, Math.min(file.stats.size, HEAD_BYTES)).toString('utf8');
    } finally {
      file?.close();
    }
  });
  return /^\{[^\n]*"source":"exec"/.test(head ?? '');
}
