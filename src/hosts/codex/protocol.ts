import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../../base/errors.ts';
import { openFile, readBytesFrom } from '../../base/fs/index.ts';
import { getObject, getString, parseObject } from '../../base/text/json.ts';
import { defineHookHost } from '../hook-host.ts';
import type { HookInput, RecoveredOutput } from '../protocol.ts';

/**
 * Codex writes context of over 2,500 tokens, at four bytes per token (0.169), to a file and shows the model only its
 * start and end.
 */
const CONTEXT_BYTES = 9900;

/** Hooks of Codex: https://developers.openai.com/codex/hooks. An unknown field in an answer is an error there. */
export const codex = defineHookHost({
  name: 'codex',
  // Codex reports a field that an event does not have.
  events: {
    SessionStart: { is: 'start', says: true, hook: {} },
    UserPromptSubmit: { is: 'prompt', says: true, hook: { asked: ['prompt'] } },
    PreCompact: { is: 'before-compaction', hook: {} },
    PostCompact: { is: 'after-compaction', hook: {} },
    SubagentStart: { is: 'subagent', says: true, hook: {} },
    Stop: { is: 'stop', hook: { asked: ['last_assistant_message'] } },
    // Since 0.171; the rollout tells as much at the next event.
    Interrupt: { is: 'stop' },
    PostToolUse: {
      is: 'tool',
      says: true,
      hook: { asked: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id'], matcher: 'Bash|mcp__.*' },
    },
    // Codex allows no longer timeout there.
    SessionEnd: { is: 'end', hook: { ofServer: true, timeout: 3 } },
  },
  isOneShot,
  tool: 'session_scratchpad',
  lateTools: true,
  room: { bytes: CONTEXT_BYTES },
  recover: recoverOutput,
  contextAt: 'event',
  // A reason that blocks a result replaces it; the command has run, and nothing else is held up.
  replace: ({ toolText }) => (toolText === undefined ? undefined : { decision: 'block', reason: toolText }),
});

/** Bytes of a rollout's first line in which Codex says how it was started; the instructions come after. */
const HEAD_BYTES = 2048;

/** `codex exec`: a rollout says so in its first line, and nothing else that a hook is handed. */
function isOneShot({ transcript }: HookInput): boolean {
  return /^\{[^\n]*"source":"exec"/.test(readPart(transcript, 0, HEAD_BYTES));
}

/** Codex puts this before an output that it has cut for the model and for hooks. */
const CUT = /^Warning: truncated output \(original token count: \d+\)\n/;
/** A rollout keeps 64 KiB of an output, from both ends, and has this in place of the middle. */
const LEFT_OUT = '... command output truncated for persistence ...';
/** The line of a command that has just ended is among the last lines. */
const TAIL_BYTES = 1024 * 1024;
const LOSS =
  '[Codex has cut the middle out of this output; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';
const TRIES = 5;
const PAUSE_MS = 40;

/** Finds more of an output than the hook received, in the rollout, which is written while the hook starts. */
async function recoverOutput({ tool, transcript }: HookInput): Promise<RecoveredOutput> {
  if (typeof tool?.response !== 'string' || !CUT.test(tool.response)) return {};
  for (let k = 0; k < TRIES && tool.id !== undefined; k += 1) {
    if (k > 0) await pause(PAUSE_MS);
    const output = findOutput(readPart(transcript, -TAIL_BYTES, TAIL_BYTES), tool.id);
    if (output === undefined) continue;
    if (output.length <= tool.response.length) break;
    return { output, loss: output.includes(LEFT_OUT) ? LOSS : undefined };
  }

  return { loss: LOSS };
}

function findOutput(rollout: string, id: string): string | undefined {
  for (const line of rollout.split('\n').reverse()) {
    if (!line.includes(id) || !line.includes('"aggregated_output"')) continue;

    // The tail may begin in the middle of a line, and the last one may still be written.
    const payload = getObject(parseObject(line), 'payload');
    // Since 0.160 an item, before that a separate event.
    const item = getObject(payload, 'item') ?? payload;
    const output = getString(item, 'aggregated_output');
    if (output !== undefined && [getString(item, 'id'), getString(item, 'call_id')].includes(id))
      return output;
  }

  return undefined;
}

/** A part of a rollout, from its end if `from` is negative; nothing if it cannot be read. */
function readPart(path: string | undefined, from: number, most: number): string {
  const part = attempt(() => {
    const file = path === undefined ? undefined : openFile(path, 'transcript');
    try {
      const { size = 0 } = file?.stats ?? {};
      const at = from < 0 ? Math.max(0, size + from) : from;
      return file && readBytesFrom(file.fd, at, Math.min(size - at, most)).toString('utf8');
    } finally {
      file?.close();
    }
  });

  return part ?? '';
}
