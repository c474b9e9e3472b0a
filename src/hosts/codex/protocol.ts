import { setTimeout as pause } from 'node:timers/promises';
import { bytesAt, openFile } from '../../base/fs/index.ts';
import { objectAt, parsedObject, textAt } from '../../base/text/json.ts';
import { type HookHost, type HookInput, type Recovered, readCommon } from '../protocol.ts';

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
  recover: recoverOutput,
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
  return /^\{[^\n]*"source":"exec"/.test(partOf(transcript, (size) => [0, Math.min(size, HEAD_BYTES)]));
}

/** Codex puts this before an output that it has cut for the model and for hooks. */
const CUT = /^Warning: truncated output \(original token count: \d+\)\n/;
/** A rollout has this in place of the middle of a cut output. */
const LEFT_OUT = '... command output truncated for persistence ...';
/** The line of a command that has just ended is among the last lines; each has up to 64 KiB of output, escaped. */
const TAIL_BYTES = 1024 * 1024;
const LOSS =
  '[Codex has cut the middle out of this output; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';
const TRIES = 5;
const PAUSE_MS = 40;

/** Finds more of an output than the hook received: the rollout keeps 64 KiB of it, from both ends. */
async function recoverOutput({ tool, transcript }: HookInput): Promise<Recovered> {
  if (typeof tool?.response !== 'string' || !CUT.test(tool.response)) return {};
  // The rollout is written while the hook starts.
  for (let k = 0; k < TRIES && tool.id !== undefined && transcript !== undefined; k += 1) {
    if (k > 0) await pause(PAUSE_MS);
    const output = outputIn(partOf(transcript, tail), tool.id);
    if (output === undefined) continue;
    if (output.length <= tool.response.length) break;
    return output.includes(LEFT_OUT) ? { output, loss: LOSS } : { output };
  }
  return { loss: LOSS };
}

function outputIn(rollout: string, id: string): string | undefined {
  for (const line of rollout.split('\n').reverse()) {
    if (!line.includes(id) || !line.includes('"aggregated_output"')) continue;
    // The tail may begin in the middle of a line, and the last one may still be written.
    const payload = objectAt(parsedObject(line), 'payload');
    // Since 0.160 an item, before that a separate event.
    const item = objectAt(payload, 'item') ?? payload;
    if (textAt(item, 'id') !== id && textAt(item, 'call_id') !== id) continue;
    const output = textAt(item, 'aggregated_output');
    if (output !== undefined) return output;
  }
  return undefined;
}

const tail = (size: number): [at: number, length: number] => {
  const length = Math.min(size, TAIL_BYTES);
  return [size - length, length];
};

/** A part of a rollout; nothing if it cannot be read. */
function partOf(path: string | undefined, part: (size: number) => [at: number, length: number]): string {
  try {
    const file = path === undefined ? undefined : openFile(path, 'transcript');
    if (file === undefined) return '';
    try {
      return bytesAt(file.fd, ...part(file.stats.size)).toString('utf8');
    } finally {
      file.close();
    }
  } catch {
    return '';
  }
}
