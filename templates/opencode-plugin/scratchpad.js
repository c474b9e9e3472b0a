import { createRequire } from 'node:module';

/** The host, and the folder of the package whose code answers here; `scratchpad install` writes both. */
const HOST = 'opencode';
const PACKAGE = '';

/** Tells the model what SCRATCHPAD.md holds, again after a compaction, and keeps long outputs whole. */
export const Scratchpad = async ({ directory: cwd }) => {
  const memory = open();
  /** The scratchpad is found from the folder, which may be below it. */
  const tell = (event, about) => memory.tell(event, { cwd, ...about });
  const handlers = {
    async 'chat.message'({ sessionID }, { message, parts }) {
      const words = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic);
      const prompt = words.map(({ text }) => text).join('\n');
      const typed = words.find(({ metadata }) => metadata?.scratchpad)?.metadata.scratchpad.typed;
      const { context: text } = await tell('prompt', { sessionId: sessionID, prompt, typed });
      // Parts are in the order of their ids.
      const id = `${parts.at(-1)?.id ?? 'prt_'}scratchpad`;
      if (text) parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true });
    },
    async 'command.execute.before'({ command, arguments: words }, { parts }) {
      // A command's text is stored as the person's: the mark tells them apart.
      const scratchpad = { typed: `/${command.replace(/\s/g, '-')} ${words}`.trim() };
      for (const part of parts) if (part.type === 'text') part.metadata = { ...part.metadata, scratchpad };
    },
    async 'tool.execute.after'({ tool, sessionID: sessionId, callID: toolCallId, args }, shown) {
      const call = { sessionId, toolCallId, toolName: tool, toolInput: args, toolResult: shown.output };
      const toolResultFile = shown.metadata?.outputPath;
      const { result } = await tell('tool', { ...call, toolResultFile });
      if (result) shown.output = result;
    },
    async 'experimental.session.compacting'({ sessionID: sessionId }, request) {
      const { summaryRequest } = await tell('before-compaction', { sessionId });
      if (summaryRequest) request.context.push(summaryRequest);
    },
    async 'shell.env'({ sessionID }, { env }) {
      if (sessionID) env.SCRATCHPAD_HOST_SESSION = sessionID;
    },
    async event({ event: { type, properties: { info, sessionID: sessionId = info?.id } = {} } }) {
      const about = { sessionId, parentId: info?.parentID, source: 'startup' };
      if (EVENTS[type] && sessionId) await tell(EVENTS[type], about);
    },
    dispose: () => memory.close(),
  };
  return memory?.guard?.(handlers, cwd) ?? {};
};

const EVENTS = {
  'session.created': 'start',
  'session.compacted': 'after-compaction',
  'session.idle': 'stop',
  'session.deleted': 'end',
};

/** Nothing if the package is gone: the host works as without it, and `scratchpad doctor` says so. */
function open() {
  try {
    const { openAgentMemory } = createRequire(`${PACKAGE}/`)('./dist/cli/hosts.agent-memory.cjs');
    return openAgentMemory({ host: HOST });
  } catch {
    return undefined;
  }
}
