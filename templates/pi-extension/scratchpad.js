import { createRequire } from 'node:module';

/** The folder of the package whose code answers here; `scratchpad install` writes it. */
const PACKAGE = '';

/** Tells the model what SCRATCHPAD.md holds, again after a compaction, and keeps long outputs whole. */
export default function scratchpad(pi) {
  const memory = open();
  if (memory === undefined) return;
  const sessionOf = ({ sessionManager: session, cwd }) => ({
    sessionId: session.getSessionId(),
    transcriptPath: session.getSessionFile(),
    cwd,
  });
  const tell = (event, ctx, more) => memory.tell(event, { ...sessionOf(ctx), ...more });
  pi.on('session_start', async ({ reason }, ctx) => {
    // Commands of its shell inherit it.
    process.env.SCRATCHPAD_HOST_SESSION = ctx.sessionManager.getSessionId();
    const isEmpty = !(ctx.getContextUsage?.()?.tokens > 0);
    await tell('start', ctx, {
      source: reason === 'startup' && !isEmpty ? 'resume' : (SOURCES[reason] ?? reason),
    });
  });
  pi.on('before_agent_start', async ({ prompt, messageType }, ctx) => {
    const { tokens, contextWindow } = ctx.getContextUsage?.() ?? {};
    const contextUse = tokens > 0 ? { used: tokens, window: contextWindow } : undefined;
    const speaker = messageType === undefined || messageType === 'user' ? undefined : 'machine';
    const { context } = await tell('prompt', ctx, { prompt, speaker, contextUse });
    return context && { message: { customType: 'scratchpad', content: context, display: false } };
  });
  pi.on('tool_result', async ({ toolName, toolCallId, input, content, details }, ctx) => {
    if (!Array.isArray(content) || content.some(({ type }) => type !== 'text')) return undefined;
    const text = content.map((block) => block.text).join('\n');
    const call = { toolName, toolCallId, toolInput: input, toolResult: text };
    const toolResultFile = details?.fullOutputPath;
    const { output, context } = await tell('tool', ctx, { ...call, toolResultFile });
    if (!output && !context) return undefined;
    return { content: [{ type: 'text', text: [output ?? text, context].filter(Boolean).join('\n\n') }] };
  });
  pi.on('session_before_compact', (_, ctx) => void tell('before-compaction', ctx));
  pi.on('session_compact', async (_, ctx) => void (await tell('after-compaction', ctx)));
  pi.on('agent_settled', async (_, ctx) => void (await tell('stop', ctx)));
  pi.on('session_shutdown', async (_, ctx) => {
    await tell('end', ctx);
    await memory.settled();
  });
  for (const { name, description, parameters } of memory.tools)
    pi.registerTool({
      ...{ name, label: 'Scratchpad', description, parameters },
      async execute(_id, params, _signal, _update, ctx) {
        const { text, details } = await memory.call(name, params, sessionOf(ctx));
        return { content: [{ type: 'text', text }], details };
      },
    });
}

/** pi's reasons in the words of `AgentEvent`. */
const SOURCES = { new: 'clear', reload: 'resume' };

/** Nothing if the package is gone: pi works as without it, and `scratchpad doctor` says so. */
function open() {
  try {
    return createRequire(`${PACKAGE}/`)('./dist/cli/hosts.agent-memory.cjs').openAgentMemory({ host: 'pi' });
  } catch {
    return undefined;
  }
}
