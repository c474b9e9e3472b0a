import { getObject, getString, type JsonObject } from '../../base/text/json.ts';
import { defineInProcessHost } from '../define-host.ts';
import type { HookInput } from '../protocol.ts';

/** OpenClaw cuts the end of an output at this length before a plugin sees it (2026.9). */
const OUTPUT_CHARACTERS = 100_000;
const LOSS =
  '[OpenClaw has cut this output at 100,000 characters; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';

/**
 * What our plugin (`templates/openclaw-plugin`) reports. OpenClaw drops `context` after the turn; `standing` is part of
 * the system prompt.
 */
export const openClaw = defineInProcessHost({
  name: 'openclaw',
  tool: 'session_scratchpad',
  ownTools: ['memory_search'],
  ephemeral: true,
  // Text at a start is dropped before there is a turn.
  silentStart: true,
  stampsTime: true,
  recover: async ({ tool }) =>
    typeof tool?.response === 'string' && tool.response.length >= OUTPUT_CHARACTERS ? { loss: LOSS } : {},
  detectSpeaker,
});

/** The triggers of a run (2026.9) that a person starts. */
const PERSON_TRIGGERS = new Set(['user', 'manual']);

/** The speaker, from the run's own fields: its trigger, the source of its input, and the key of its session. */
function detectSpeaker(json: JsonObject): HookInput['speaker'] {
  if (/(?:^|:)subagent:/.test(getString(json, 'sessionId') ?? getString(json, 'session_id') ?? ''))
    return 'parent';

  const trigger = getString(json, 'trigger');
  if (trigger !== undefined && !PERSON_TRIGGERS.has(trigger)) return 'machine';

  const provenance = getString(getObject(json, 'inputProvenance'), 'kind');

  return provenance === undefined || provenance === 'external_user' ? undefined : 'machine';
}
