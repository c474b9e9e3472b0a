import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';

/** Folder of the package whose code answers here; `scratchpad install openclaw` writes it here. */
const PACKAGE = '';
/** Messages handed over for the state; the scratchpad looks at the last twenty. */
const MESSAGES = 40;
const MESSAGE_CHARACTERS = 20_000;
/** Outputs of tools over this many characters are kept as entries. */
const OUTPUT_CHARACTERS = 28_000;
/** As the manifest lists them; OpenClaw has a memory_search of its own. */
const TOOL_NAMES = [
  'session_scratchpad',
  ...['write', 'read', 'edit', 'list', 'delete'].map((action) => `scratchpad_${action}`),
];

/** OpenClaw loads this file anew for some of its hooks: what they share belongs to the process. */
const NAME = Symbol.for('scratchpad');
globalThis[NAME] ??= {
  seen: new Set(),
  begun: new Set(),
  workspaces: new Map(),
  windows: new Map(),
  said: new Map(),
};
const SHARED = globalThis[NAME];
/**
 * `seen`: sessions since the gateway's start; hints are counted from there, or from the session's
 * own start, which `begun` has. `workspaces`: that of each session, which the hook for tool results is not told. `windows`: tokens that the
 * context of each session's model holds. `said`: what the system prompt of each session has of ours, for a turn without
 * an answer.
 */
const { seen, begun, workspaces, windows, said = new Map() } = SHARED;
let log = () => undefined;

export default definePluginEntry({
  id: 'scratchpad',
  name: 'Scratchpad',
  register(api) {
    log = (text) => api.logger?.warn?.(text);
    const on = (name, handler) => api.on(name, guarded(name, handler));
    on('before_prompt_build', async (event, ctx) => {
      const key = keyOf(ctx);
      if (ctx?.workspaceDir) workspaces.set(key, ctx.workspaceDir);
      const isKnown = seen.has(key);
      const begins = !isKnown && begun.delete(key) ? 'startup' : 'resume';
      const source = isKnown ? undefined : begins;
      seen.add(key);
      const answer = await tell('prompt', ctx, {
        source,
        trigger: ctx?.trigger,
        inputProvenance: ctx?.inputProvenance,
        prompt: event.prompt,
        messages: plain(event.messages),
        contextUse: contextUse(event.messages, windows.get(key) ?? windowIn(api.config, ctx)),
        standing: true,
      });
      const workspace = ctx?.workspaceDir ?? workspaces.get(key);
      const guidance = holdsPad(workspace) && offerIn(workspace).guidance;
      // Turned off by a setting.
      if (!guidance) return undefined;
      if (answer) said.set(key, [guidance, answer.standing || '(nothing yet)'].join('\n'));
      const appendSystemContext = said.get(key);
      return appendSystemContext && { prependContext: answer?.context, appendSystemContext };
    });
    // What the model's context really holds is known once it has answered.
    on('llm_output', (event, ctx) => {
      if (event.contextTokenBudget) windows.set(keyOf(ctx), event.contextTokenBudget);
    });
    on('session_start', (_event, ctx) => {
      seen.delete(keyOf(ctx));
      begun.add(keyOf(ctx));
    });
    // Our command in a shell is told whose it is: OpenClaw does not say it there.
    on('before_tool_call', ({ toolName, params }, ctx) => {
      const key = keyOf(ctx);
      if (toolName !== 'exec' || !key || !/scratchpad/.test(params?.command)) return undefined;
      return { params: { ...params, env: { ...params.env, SCRATCHPAD_HOST_SESSION: key } } };
    });
    on('subagent_spawned', async (event, ctx) => {
      const { childSessionKey: agentId } = event;
      if (ctx?.requesterSessionKey && agentId)
        await tell('subagent', { ...ctx, sessionKey: ctx.requesterSessionKey }, { agentId });
    });
    // The turn's records are complete: a chat that begins anew after it has no other event that reads them.
    on('agent_end', async (_event, ctx) => {
      await tell('stop', ctx, {});
    });
    // OpenClaw before 2026 has no such thing: outputs stay as they are there.
    api.registerAgentToolResultMiddleware?.(guarded('tool_result', shorten), {
      runtimes: ['openclaw', 'codex'],
    });
    api.registerTool?.((ctx) => toolsFor(ctx), { names: TOOL_NAMES });
    on('before_compaction', async (_event, ctx) => {
      await tell('before-compaction', ctx, {});
    });
    on('after_compaction', async (_event, ctx) => {
      await tell('after-compaction', ctx, {});
    });
  },
});

/** The handler, which says nothing where it would throw: of a host that has changed `scratchpad doctor` tells. */
function guarded(name, handler) {
  return (event, ctx) => {
    const safe = tried(() =>
      load().guard({ [name]: handler }, ctx?.workspaceDir ?? workspaces.get(keyOf(ctx))),
    );
    return (safe?.[name] ?? handler)(event, ctx);
  };
}

/** What the package offers in a workspace; nothing if it is gone. */
function offerIn(workspace) {
  return tried(() => load().offer(workspace)) ?? { tools: [], guidance: '' };
}

/** The tools of one session. */
function toolsFor(ctx) {
  const workspace = ctx?.workspaceDir ?? workspaces.get(keyOf(ctx));
  return workspace ? offerIn(workspace).tools.map((tool) => toolFor(tool, workspace, keyOf(ctx))) : [];
}

function toolFor({ name, description, parameters }, cwd, sessionId) {
  return {
    name,
    // Else it is behind a search for tools, and a call by its name is told that there is none (2026.9).
    catalogMode: 'direct-only',
    description,
    parameters,
    async execute(_id, params) {
      const failed = { text: 'the scratchpad did not answer: nothing was changed', details: {} };
      const call = tried(() => load().call(name, params, { sessionId, cwd }));
      const { text, details } = (await call) || failed;
      return { content: [{ type: 'text', text }], details };
    },
  };
}

function tried(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A long output becomes a preview; the whole is kept as an entry. Of its own calls the model needs no news. */
async function shorten(event, ctx) {
  const { content } = event.result ?? {};
  if (!Array.isArray(content) || content.some((block) => block?.type !== 'text')) return undefined;
  const text = content.map((block) => block.text).join('\n');
  const isOurs = /scratchpad/i.test(`${event.toolName} ${JSON.stringify(event.args ?? '')}`);
  if (text.length <= OUTPUT_CHARACTERS && !isOurs) return undefined;
  const call = { toolName: event.toolName, toolInput: event.args, toolResult: text };
  const answer = await tell('tool', ctx, call);
  if (!answer?.output) return undefined;
  return { result: { ...event.result, content: [{ type: 'text', text: answer.output }] } };
}

function holdsPad(workspace) {
  return !!workspace && ['SCRATCHPAD.md', '.scratchpad'].some((name) => existsSync(join(workspace, name)));
}

function keyOf(ctx) {
  return ctx?.sessionKey ?? ctx?.sessionId;
}

/** One event. Whatever goes wrong with it, the turn goes on without it. */
async function tell(event, ctx, more) {
  const cwd = ctx?.workspaceDir ?? workspaces.get(keyOf(ctx));
  if (!cwd) return undefined;
  try {
    return await load().tell(event, { sessionId: keyOf(ctx), cwd, ...more });
  } catch {
    if (!SHARED.told && !existsSync(join(PACKAGE, 'package.json'))) {
      SHARED.told = true;
      log(
        `scratchpad: its package is gone from ${PACKAGE}; install it again, or remove the plugin scratchpad`,
      );
    }
    return undefined;
  }
}

/** The package's code, in this process; read anew when another version has taken its place. */
function load() {
  const version = statSync(join(PACKAGE, 'package.json')).mtimeMs;
  if (SHARED.version === version) return SHARED.memory;
  const folder = join(realpathSync(PACKAGE), 'dist/cli') + sep;
  const require = createRequire(folder);
  for (const file of Object.keys(require.cache)) if (file.startsWith(folder)) delete require.cache[file];
  SHARED.memory = require('./hosts.agent-memory.cjs').openAgentMemory({ host: 'openclaw' });
  SHARED.version = version;
  return SHARED.memory;
}

/** The same by the configuration, for the first prompt of a process. */
function windowIn(config, ctx) {
  const models = config?.models?.providers?.[ctx?.modelProviderId]?.models;
  const model = Array.isArray(models) ? models.find(({ id }) => id === ctx.modelId) : undefined;
  return model?.contextTokens ?? model?.contextWindow;
}

/** How full the model's context was at its last answer since the last compaction. */
function contextUse(messages, window) {
  const list = Array.isArray(messages) ? messages : [];
  const compacted = list.findLast(({ role }) => role === 'compactionSummary')?.timestamp ?? 0;
  const last = list.findLast(({ role, usage }) => role === 'assistant' && usage);
  if (!window || !last || !(last.timestamp > compacted)) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = last.usage;
  return { used: input + output + cacheRead + cacheWrite, window };
}

/** Role and words of the last messages. */
function plain(messages) {
  return (Array.isArray(messages) ? messages : []).slice(-MESSAGES).flatMap((message) => {
    const { role, content, timestamp } = message ?? {};
    const words =
      typeof content === 'string'
        ? content
        : (Array.isArray(content) ? content : [])
            .filter((block) => block?.type === 'text')
            .map((block) => block.text)
            .join('\n');
    if (!words || (role !== 'user' && role !== 'assistant')) return [];
    return [{ role, content: words.slice(0, MESSAGE_CHARACTERS), ...(timestamp ? { timestamp } : {}) }];
  });
}
