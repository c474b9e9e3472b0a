import { type JsonObject, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { type HookHost, type HookInput, readCommon, spokenBy } from '../protocol.ts';

const CONTEXT_CHARACTERS = 16_000;
/** OpenClaw cuts the end of an output at this length before a plugin sees it (2026.9). */
const OUTPUT_CHARACTERS = 100_000;
const LOSS =
  '[OpenClaw has cut this output at 100,000 characters; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';

/**
 * The protocol of our OpenClaw plugin (`templates/openclaw-plugin`): it writes the fields of its hook to stdin, with
 * the last messages or a tool's output, and gets `{context, standing}` or `{output}` back. OpenClaw drops `context` after the
 * turn; `standing` is part of the system prompt.
 */
export const openClaw: HookHost = {
  name: 'openclaw',
  events: {
    session_start: { is: 'start' },
    before_prompt_build: { is: 'prompt' },
    before_compaction: { is: 'before-compaction' },
    after_compaction: { is: 'after-compaction' },
    tool_result: { is: 'tool' },
    agent_end: { is: 'stop' },
  },
  silence: '{}\n',
  tool: 'session_scratchpad',
  room: { characters: CONTEXT_CHARACTERS },
  ephemeral: true,
  stampsTime: true,
  recover: async ({ tool }) =>
    typeof tool?.response === 'string' && tool.response.length >= OUTPUT_CHARACTERS ? { loss: LOSS } : {},
  read(json) {
    const input: HookInput = {
      ...readCommon(json),
      messages: Array.isArray(json.messages) ? JSON.stringify(json.messages) : undefined,
      contextUse: contextUseIn(json),
      standing: json.standing === true,
    };
    const speaker = speakerOf(json);
    return speaker === undefined ? input : spokenBy(speaker, input);
  },
  render(event, { context, standing, toolText }) {
    if (event === 'before_prompt_build') return `${JSON.stringify({ context, standing })}\n`;
    return `${JSON.stringify({ output: event === 'tool_result' ? toolText : undefined })}\n`;
  },
};

/** How full the context is, as the plugin has worked it out. */
function contextUseIn(json: JsonObject): HookInput['contextUse'] {
  const context = objectAt(json, 'context');
  const [used, window] = [numberAt(context, 'used'), numberAt(context, 'window')];
  return used === undefined || window === undefined ? undefined : { used, window };
}

/** Triggers of runs (2026.9) started by a person. */
const PERSON = new Set(['user', 'manual']);

/** The speaker, from the run's own fields: its trigger, the source of its input, and the key of its session. */
function speakerOf(json: JsonObject): HookInput['speaker'] {
  if (/(?:^|:)subagent:/.test(textAt(json, 'session_id') ?? '')) return 'parent';
  const trigger = textAt(json, 'trigger');
  if (trigger !== undefined && !PERSON.has(trigger)) return 'machine';
  const provenance = textAt(objectAt(json, 'input_provenance'), 'kind');
  return provenance === undefined || provenance === 'external_user' ? undefined : 'machine';
}
