import { spawn } from 'node:child_process';
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';

/** How `scratchpad` is started; `scratchpad install openclaw` writes it here. */
const PROGRAM = ['scratchpad'];
/** OpenClaw's own Node reads OpenClaw's database; the one that `scratchpad` was installed with may be too old for it. */
const OWN_NODE = process.versions.bun || process.versions.electron ? undefined : process.execPath;
const TIMEOUT_MS = 5000;
/** Messages handed over for the state; the scratchpad looks at the last twenty. */
const MESSAGES = 40;
const MESSAGE_CHARACTERS = 20_000;
/** Outputs of commands over this many characters are kept as entries. */
const OUTPUT_CHARACTERS = 28_000;
const COMMANDS = ['exec'];

/** OpenClaw loads this file anew for some of its hooks: what they share belongs to the process. */
const SHARED = Symbol.for('scratchpad');
globalThis[SHARED] ??= { seen: new Set(), workspaces: new Map() };
/**
 * `seen`: sessions since the gateway's start; hints are counted from there, or from the session's
 * own start. `workspaces`: that of each session, which the hook for tool results is not told.
 */
const { seen, workspaces } = globalThis[SHARED];

export default definePluginEntry({
  id: 'scratchpad',
  name: 'Scratchpad',
  register(api) {
    api.on('before_prompt_build', async (event, ctx) => {
      const key = keyOf(ctx);
      if (ctx?.workspaceDir) workspaces.set(key, ctx.workspaceDir);
      const source = seen.has(key) ? undefined : 'startup';
      seen.add(key);
      const answer = await ask('before_prompt_build', ctx, {
        source,
        trigger: ctx?.trigger,
        input_provenance: ctx?.inputProvenance,
        prompt: event.prompt,
        messages: plain(event.messages),
      });
      return answer?.context ? { prependContext: answer.context } : undefined;
    });
    api.on('session_start', (_event, ctx) => {
      seen.delete(keyOf(ctx));
    });
    // OpenClaw before 2026 has no such thing: outputs stay as they are there.
    api.registerAgentToolResultMiddleware?.(shorten, { runtimes: ['openclaw'], matcher: COMMANDS });
    api.on('before_compaction', async (_event, ctx) => {
      await ask('before_compaction', ctx, {});
    });
    api.on('after_compaction', async (_event, ctx) => {
      await ask('after_compaction', ctx, {});
    });
  },
});

/** A long output of a command becomes a preview; the whole is kept as an entry. */
async function shorten(event, ctx) {
  const { content } = event.result ?? {};
  if (!Array.isArray(content) || content.some((block) => block?.type !== 'text')) return undefined;
  const text = content.map((block) => block.text).join('\n');
  if (text.length <= OUTPUT_CHARACTERS) return undefined;
  const workspaceDir = workspaces.get(keyOf(ctx)) ?? event.cwd;
  const answer = await ask(
    'tool_result',
    { ...ctx, workspaceDir },
    {
      tool_name: event.toolName,
      tool_input: event.args,
      tool_response: text,
    },
  );
  if (!answer?.output) return undefined;
  return { result: { ...event.result, content: [{ type: 'text', text: answer.output }] } };
}

function keyOf(ctx) {
  return ctx?.sessionKey ?? ctx?.sessionId;
}

/** One run of the hook. Whatever goes wrong there, the turn goes on without it. */
function ask(event, ctx, more) {
  return new Promise((resolve) => {
    const cwd = ctx?.workspaceDir ?? workspaces.get(keyOf(ctx));
    if (!cwd) return resolve(undefined);
    const [named, ...args] = PROGRAM;
    const command = /(?:^|[/\\])node(?:\.exe)?$/.test(named) ? (OWN_NODE ?? named) : named;
    const child = spawn(command, [...args, 'hook', 'openclaw', event], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.on('error', () => resolve(undefined));
    child.on('close', () => {
      try {
        resolve(JSON.parse(out));
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ session_id: keyOf(ctx), cwd, ...more }));
  });
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
