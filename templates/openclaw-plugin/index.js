import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';

/** How `scratchpad` is started; `scratchpad install openclaw` writes it here. */
const PROGRAM = ['scratchpad'];
/** OpenClaw's own Node reads OpenClaw's database; the one that `scratchpad` was installed with may be too old for it. */
const OWN_NODE = process.versions.bun || process.versions.electron ? undefined : process.execPath;
const TIMEOUT_MS = 5000;
/** Messages handed over for the state; the scratchpad looks at the last twenty. */
const MESSAGES = 40;
const MESSAGE_CHARACTERS = 20_000;
/** Outputs of tools over this many characters are kept as entries. */
const OUTPUT_CHARACTERS = 28_000;

/** Put into the system prompt, whose bytes stay the same. */
const GUIDANCE = `## Session Scratchpad
You have a persistent scratchpad tool (session_scratchpad) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
It has three spaces: plan (2,000 characters) by set_plan, notes (4,000) by set_notes and append_notes, refs (50 items) by refs.add, refs.remove and refs.set. Or call it with content and mode "replace" to overwrite the notes, "append" to add to them.
What it holds is put before each message you receive. Update it after significant findings or completed steps; not for whole files, the history of the conversation or the request itself.`;

/** Names of tools have no dot here: this is `session.scratchpad`, in both of its shapes. */
const TOOL = 'session_scratchpad';
const PARAMETERS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    action: {
      type: 'string',
      enum: ['set_notes', 'append_notes', 'set_plan', 'refs.add', 'refs.remove', 'refs.set'],
      description:
        'set_notes, append_notes and set_plan take content; refs.add and refs.remove take ref; refs.set takes items',
    },
    content: { type: 'string', description: 'The text to save' },
    mode: {
      type: 'string',
      enum: ['replace', 'append'],
      description: 'Without action. replace: overwrite the entire scratchpad (default). append: add to it.',
    },
    ref: { type: 'string', description: 'A file path, URL or identifier' },
    items: { type: 'array', items: { type: 'string' }, description: 'All refs, oldest first' },
  },
};

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
      if (answer === undefined || !holdsPad(ctx.workspaceDir ?? workspaces.get(key))) return undefined;
      const said = answer.context ? { prependContext: answer.context } : {};
      return { ...said, appendSystemContext: GUIDANCE };
    });
    api.on('session_start', (_event, ctx) => {
      seen.delete(keyOf(ctx));
    });
    // OpenClaw before 2026 has no such thing: outputs stay as they are there.
    api.registerAgentToolResultMiddleware?.(shorten, { runtimes: ['openclaw', 'codex'] });
    api.registerTool?.(scratchpadTool, { name: TOOL });
    api.on('before_compaction', async (_event, ctx) => {
      await ask('before_compaction', ctx, {});
    });
    api.on('after_compaction', async (_event, ctx) => {
      await ask('after_compaction', ctx, {});
    });
  },
});

/** The tool for one session; a workspace without a scratchpad has none. */
function scratchpadTool(ctx) {
  return {
    name: TOOL,
    description:
      'Persist important working state (plans, findings, decisions) that survives context compaction. It is put before each message you receive.',
    parameters: PARAMETERS,
    async execute(_id, params) {
      const workspace = ctx?.workspaceDir ?? workspaces.get(keyOf(ctx));
      const out = workspace
        ? await run(['tool', 'session.scratchpad', '--workspace', workspace], workspace, params)
        : undefined;
      const value = parsed(out) ?? {
        error: { message: 'the scratchpad did not answer: nothing was changed' },
      };
      const text = value.error
        ? [value.error.message, value.error.next].filter(Boolean).join('\n')
        : [value.message, ...(value.warnings ?? [])].join('\n');
      return { content: [{ type: 'text', text }], details: value };
    },
  };
}

/** A long output becomes a preview; the whole is kept as an entry. */
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

function holdsPad(workspace) {
  return ['SCRATCHPAD.md', '.scratchpad'].some((name) => existsSync(join(workspace, name)));
}

function keyOf(ctx) {
  return ctx?.sessionKey ?? ctx?.sessionId;
}

/** One run of the hook. Whatever goes wrong there, the turn goes on without it. */
async function ask(event, ctx, more) {
  const cwd = ctx?.workspaceDir ?? workspaces.get(keyOf(ctx));
  if (!cwd) return undefined;
  const words = ['hook', 'openclaw', event, '--tools'];
  return parsed(await run(words, cwd, { session_id: keyOf(ctx), cwd, ...more }));
}

/** What the program prints; nothing where it cannot be started or takes too long. */
function run(words, cwd, input) {
  return new Promise((resolve) => {
    const [named, ...args] = PROGRAM;
    const command = /(?:^|[/\\])node(?:\.exe)?$/.test(named) ? (OWN_NODE ?? named) : named;
    const child = spawn(command, [...args, ...words], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(out));
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
