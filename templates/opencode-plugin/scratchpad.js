import { createRequire } from 'node:module';

/** The host, and the folder of the package whose code answers here; `scratchpad install` writes both. */
const HOST = 'opencode';
const PACKAGE = '';

/** Tells the model what SCRATCHPAD.md holds, again after a compaction, and keeps long outputs whole. */
export const Scratchpad = async ({ directory }) => {
  const memory = open(directory);
  if (memory === undefined) return {};
  /** Sessions that an agent has started for a task. */
  const children = new Set();
  const own = new Set();
  const tell = (event, sessionId, more) => memory.tell(event, { sessionId, cwd: directory, ...more });
  return {
    async 'chat.message'({ sessionID }, { message, parts }) {
      const words = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic);
      const prompt = words.map(({ text }) => text).join('\n');
      const speaker = children.has(sessionID) ? 'parent' : undefined;
      if (speaker === undefined) own.add(sessionID);
      const { context: text } = await tell('prompt', sessionID, { prompt, speaker });
      // Parts are in the order of their ids.
      const id = `${parts.at(-1)?.id ?? 'prt_'}scratchpad`;
      if (text) parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true });
    },
    async 'tool.execute.after'({ tool, sessionID, callID, args }, result) {
      const { output: toolResult, metadata } = result;
      const call = { toolName: tool, toolInput: args, toolResult, toolCallId: callID };
      const toolResultFile = metadata?.outputPath;
      const { context, output = toolResult } = await tell('tool', sessionID, { ...call, toolResultFile });
      if (typeof output === 'string') result.output = context ? `${output}\n\n${context}` : output;
    },
    async 'experimental.session.compacting'({ sessionID }, request) {
      const { summaryRequest } = await tell('before-compaction', sessionID);
      if (summaryRequest) request.context.push(summaryRequest);
    },
    async 'shell.env'({ sessionID }, { env }) {
      if (sessionID) env.SCRATCHPAD_HOST_SESSION = sessionID;
    },
    async dispose() {
      for (const sessionID of own) await tell('end', sessionID);
      await memory.settled();
    },
    async event({ event: { type, properties } }) {
      const { sessionID = properties?.info?.id, info } = properties ?? {};
      if (type === 'session.created' && info?.parentID) children.add(sessionID);
      const event = EVENTS[type];
      if (event && sessionID && !children.has(sessionID)) await tell(event, sessionID, { source: 'startup' });
    },
  };
};

const EVENTS = {
  'session.created': 'start',
  'session.compacted': 'after-compaction',
  'session.idle': 'stop',
  'session.deleted': 'end',
};

/** Nothing if the package is gone: the host works as without it, and `scratchpad doctor` says so. */
function open(workspace) {
  try {
    const { openAgentMemory } = createRequire(`${PACKAGE}/`)('./dist/cli/hosts.agent-memory.cjs');
    return openAgentMemory({ host: HOST, workspace });
  } catch {
    return undefined;
  }
}
