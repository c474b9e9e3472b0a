import { createRequire } from 'node:module';

/** The folder of the package whose code answers here; `scratchpad install` writes it. */
const PACKAGE = '';

/** Tells the model what SCRATCHPAD.md holds, again after a compaction, and keeps long outputs whole. */
export default function scratchpad(pi) {
  const memory = open();
  if (memory?.guard === undefined) return;
  /** The session, since pi takes its context back before it reports the last events. */
  let place = {};
  /** What was typed and is not a message yet; `/` for what an extension sends. */
  const inputs = [];
  /** The input whose place the text of a command has taken. */
  const findTyped = (text) =>
    inputs.includes(text) ? undefined : inputs.find((input) => input.startsWith('/'));
  const tell = (event, more) => memory.tell(event, { ...place, ...more });
  const contextUse = (ctx) => {
    const { tokens: used, contextWindow: window } = ctx.getContextUsage?.() ?? {};
    return { used, window };
  };
  const handlers = {
    async session_start({ reason: source }, ctx) {
      const { sessionManager: session, cwd } = ctx;
      place = { sessionId: session.getSessionId(), transcriptPath: session.getSessionFile(), cwd };
      // Commands of its shell inherit it.
      process.env.SCRATCHPAD_HOST_SESSION = place.sessionId;
      await tell('start', { source, contextUse: contextUse(ctx) });
    },
    input: ({ text, source }) => void inputs.push(source === 'extension' ? '/' : text),
    async before_agent_start({ prompt, messageType }, ctx) {
      const about = { prompt, typed: findTyped(prompt), messageType, contextUse: contextUse(ctx) };
      const { context: content } = await tell('prompt', about);
      return content && { message: { customType: 'scratchpad', content, display: false } };
    },
    message_end({ message }) {
      if (message.role !== 'user') return undefined;
      const text = [message.content].flat().find((block) => block.text)?.text ?? message.content;
      const typed = findTyped(text);
      const at = inputs.indexOf(typed ?? text);
      if (at !== -1) inputs.splice(at, 1);
      // A command's text is stored as the person's: the mark tells them apart.
      return typed === undefined ? undefined : { message: { ...message, scratchpad: { typed } } };
    },
    async tool_result({ toolName, toolCallId, input: toolInput, content, details }) {
      if (content.some(({ type }) => type !== 'text')) return undefined;
      const toolResult = content.map((block) => block.text).join('\n');
      const call = { toolName, toolCallId, toolInput, toolResult };
      const { result: text } = await tell('tool', { ...call, toolResultFile: details?.fullOutputPath });
      return text && { content: [{ type: 'text', text }] };
    },
    session_before_compact: () => void tell('before-compaction'),
    session_compact: async () => void (await tell('after-compaction')),
    async agent_settled() {
      inputs.length = 0;
      await tell('stop');
    },
    session_shutdown: () => memory.close(),
  };
  for (const [name, handler] of Object.entries(memory.guard(handlers))) pi.on(name, handler);
  for (const tool of memory.offer().tools) {
    const execute = async (_id, params) => {
      const { text, details } = await memory.call(tool.name, params, place);
      return { content: [{ type: 'text', text }], details };
    };
    pi.registerTool({ label: 'Scratchpad', ...tool, execute });
  }
}

/** Nothing if the package is gone: pi works as without it, and `scratchpad doctor` says so. */
function open() {
  try {
    return createRequire(`${PACKAGE}/`)('./dist/cli/hosts.agent-memory.cjs').openAgentMemory({ host: 'pi' });
  } catch {
    return undefined;
  }
}
