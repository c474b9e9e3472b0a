import { setTimeout as pause } from 'node:timers/promises';
import { bytesAt, openFile } from '../../base/fs/index.ts';
import { objectAt, parsedObject, textAt } from '../../base/text/json.ts';
import type { HookInput, Recovered } from '../protocol.ts';

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
export async function recoverOutput({ tool, transcript }: HookInput): Promise<Recovered> {
  if (typeof tool?.response !== 'string' || !CUT.test(tool.response)) return {};
  // The rollout is written while the hook starts.
  for (let k = 0; k < TRIES && tool.id !== undefined && transcript !== undefined; k += 1) {
    if (k > 0) await pause(PAUSE_MS);
    const output = outputIn(tailOf(transcript), tool.id);
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

function tailOf(path: string): string {
  try {
    const file = openFile(path, 'transcript');
    if (!file) return '';
    try {
      const { size } = file.stats;
      const length = Math.min(size, TAIL_BYTES);
      return bytesAt(file.fd, size - length, length).toString('utf8');
    } finally {
      file.close();
    }
  } catch {
    return '';
  }
}
