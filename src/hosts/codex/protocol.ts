import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../../base/errors.ts';
import { readPart } from '../../base/fs/index.ts';
import { getObject, getString, parseObject } from '../../base/text/json.ts';
import { defineHookHost } from '../define-host.ts';
import type { HookInput, RecoveredOutput } from '../protocol.ts';

/**
 * Codex writes context of over 2,500 tokens, at four bytes per token (0.169), to a file and shows the model only its
 * start and end.
 */
const CONTEXT_BYTES = 9900;

/** Hooks of Codex: https://developers.openai.com/codex/hooks. An unknown field in an answer is an error there. */
export const codex = defineHookHost({
  name: 'codex',
  // Codex reports each field that it does not know.
  events: {
    SessionStart: { kind: 'start', carriesText: true, hook: {} },
    UserPromptSubmit: { kind: 'prompt', carriesText: true, hook: { fields: ['prompt'] } },
    PreCompact: { kind: 'before-compaction', hook: {} },
    PostCompact: { kind: 'after-compaction', hook: {} },
    SubagentStart: { kind: 'subagent', carriesText: true, hook: {} },
    Stop: { kind: 'stop', hook: { fields: ['last_assistant_message'] } },
    // Since 0.171; the rollout tells as much at the next event.
    Interrupt: { kind: 'stop' },
    PostToolUse: {
      kind: 'tool',
      carriesText: true,
      hook: { fields: ['tool_name', 'tool_input', 'tool_response', 'tool_use_id'], matcher: 'Bash|mcp__.*' },
    },
    // Codex allows no longer timeout there.
    SessionEnd: { kind: 'end', hook: { needsServer: true, timeout: 3 } },
  },
  isOneShot,
  tool: 'session_scratchpad',
  lateTools: true,
  room: { bytes: CONTEXT_BYTES },
  recover: recoverOutput,
  // A reason that blocks a result replaces it; the command has run, and nothing else is held up.
  replace: ({ toolText }) => (toolText === undefined ? undefined : { decision: 'block', reason: toolText }),
});

/** The start of a rollout's first line says how Codex was started; the instructions come after. */
const HEAD_BYTES = 2048;

/** `codex exec`: a rollout says so in its first line, and nothing else that a hook is handed. */
function isOneShot({ transcript }: HookInput): boolean {
  return /^\{[^\n]*"source":"exec"/.test(readRollout(transcript, HEAD_BYTES));
}

/** Codex puts this before an output that it has cut for the model and for hooks. */
const CUT_WARNING = /^Warning: truncated output \(original token count: \d+\)\n/;
/** A rollout keeps 64 KiB of an output, its start and end, with this in place of the middle. */
const LEFT_OUT = '... command output truncated for persistence ...';
/** The line of a command that has just ended is among the last lines. */
const TAIL_BYTES = 1024 * 1024;
const LOSS =
  '[Codex has cut the middle out of this output; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';
const TRIES = 5;
const PAUSE_MS = 40;

/** Finds more of an output than the hook received: in the rollout, which Codex writes while the hook starts. */
async function recoverOutput({ tool, transcript }: HookInput): Promise<RecoveredOutput> {
  if (typeof tool?.response !== 'string' || !CUT_WARNING.test(tool.response)) return {};
  for (let attempts = 0; attempts < TRIES && tool.id !== undefined; attempts += 1) {
    if (attempts > 0) await pause(PAUSE_MS);
    const output = findOutput(readRollout(transcript, -TAIL_BYTES), tool.id);
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

/** The first `length` bytes of a rollout, or its last if `length` is negative; `''` if it cannot be read. */
const readRollout = (path: string | undefined, length: number): string =>
  attempt(() => readPart(path ?? '', 'transcript', Math.min(0, length), Math.abs(length)))?.toString() ?? '';
