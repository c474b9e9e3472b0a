import { createRequire } from 'node:module';

/** The folder of the package whose code answers here; `scratchpad install` writes it. */
const PACKAGE = '';

/** Tells the model what SCRATCHPAD.md holds, again after a compaction, and keeps long outputs whole. */
export default function scratchpad(pi) {
  const memory = open();
  if (memory?.guard === undefined) return;
  const about = ({ sessionManager: session, cwd }) => ({
    sessionId: session.getSessionId(),
    transcriptPath: session.getSessionFile(),
    cwd,
  });
  const tell = (event, ctx, more) => memory.tell(event, { ...about(ctx), ...more });
  const contextUse = (ctx) => {
    const { tokens: used, contextWindow: window } = ctx.getContextUsage?.() ?? {};
    return { used, window };
  };
  const handlers = {
    async session_start({ reason: source }, ctx) {
      // Commands of its shell inherit it.
      process.env.SCRATCHPAD_HOST_SESSION = ctx.sessionManager.getSessionId();
      await tell('start', ctx, { source, contextUse: contextUse(ctx) });
    },
    async before_agent_start({ prompt, messageType }, ctx) {
      const { context: content } = await tell('prompt', ctx, {
        prompt,
        messageType,
        contextUse: contextUse(ctx),
      });
      return content && { message: { customType: 'scratchpad', content, display: false } };
    },
    async tool_result({ toolName, toolCallId, input: toolInput, content, details }, ctx) {
      if (content.some(({ type }) => type !== 'text')) return undefined;
      const toolResult = content.map((block) => block.text).join('\n');
      const call = { toolName, toolCallId, toolInput, toolResult };
      const { result: text } = await tell('tool', ctx, { ...call, toolResultFile: details?.fullOutputPath });
      return text && { content: [{ type: 'text', text }] };
    },
    session_before_compact: (_, ctx) => void tell('before-compaction', ctx),
    session_compact: async (_, ctx) => void (await tell('after-compaction', ctx)),
    agent_settled: async (_, ctx) => void (await tell('stop', ctx)),
    session_shutdown: () => memory.close(),
  };
  for (const [name, handler] of Object.entries(memory.guard(handlers))) pi.on(name, handler);
  for (const tool of memory.tools) {
    const execute = async (_id, params, _signal, _update, ctx) => {
      const { text, details } = await memory.call(tool.name, params, about(ctx));
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
