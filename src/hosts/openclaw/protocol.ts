import { type HookHost, readCommon } from '../protocol.ts';

const CONTEXT_CHARACTERS = 16_000;
/** An output is cut here, at its end, before a plugin sees it (2026.9). */
const OUTPUT_CHARACTERS = 100_000;
const LOSS =
  '[OpenClaw has cut this output at 100,000 characters; `scratchpad run -- COMMAND` keeps all of it and shows a preview.]';

/**
 * What our plugin in OpenClaw asks (`templates/openclaw-plugin`): the words of the hook it was
 * called by on stdin, with the last messages or a tool's output, and `{context}` or `{output}` back.
 */
export const openClaw: HookHost = {
  name: 'openclaw',
  events: new Map([
    ['session_start', 'start'],
    ['before_prompt_build', 'prompt'],
    ['before_compaction', 'before-compaction'],
    ['after_compaction', 'after-compaction'],
    ['tool_result', 'tool'],
  ]),
  silence: '{}\n',
  fits: (text) => text.length <= CONTEXT_CHARACTERS,
  recover: async ({ tool }) =>
    typeof tool?.response === 'string' && tool.response.length >= OUTPUT_CHARACTERS ? { loss: LOSS } : {},
  read: (json) => ({
    ...readCommon(json),
    ...(Array.isArray(json.messages) ? { messages: JSON.stringify(json.messages) } : {}),
  }),
  render(event, { context, toolOutput }) {
    const answer = {
      ...(event === 'before_prompt_build' && context !== undefined ? { context } : {}),
      ...(event === 'tool_result' && typeof toolOutput === 'string' ? { output: toolOutput } : {}),
    };
    return `${JSON.stringify(answer)}\n`;
  },
};
