import { type HookHost, readCommon } from '../protocol.ts';

const CONTEXT_CHARACTERS = 16_000;

/**
 * What our plugin in OpenClaw asks (`templates/openclaw-plugin`): the words of the hook it was
 * called by on stdin, with the last messages, and `{context}` back.
 */
export const openClaw: HookHost = {
  name: 'openclaw',
  events: new Map([
    ['session_start', 'start'],
    ['before_prompt_build', 'prompt'],
    ['before_compaction', 'before-compaction'],
    ['after_compaction', 'after-compaction'],
  ]),
  silence: '{}\n',
  fits: (text) => text.length <= CONTEXT_CHARACTERS,
  read: (json) => ({
    ...readCommon(json),
    ...(Array.isArray(json.messages) ? { messages: JSON.stringify(json.messages) } : {}),
  }),
  render: (event, { context }) =>
    event === 'before_prompt_build' && context !== undefined ? `${JSON.stringify({ context })}\n` : '{}\n',
};
