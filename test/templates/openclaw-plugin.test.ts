import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { TOOLS, USUAL_TOOLS } from '../../src/tools/registry.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = readFileSync(join(ROOT, 'templates/openclaw-plugin/index.js'), 'utf8');

type Handler = (event: object, context: object) => Promise<unknown>;

/** What the plugin registers, as OpenClaw 2026.9 hands it an interface. */
interface Registered {
  hooks: Map<string, Handler>;
  middleware: Handler;
  tools: (context: object) => OpenClawTool[];
  names: string[];
  tool: (context: object) => OpenClawTool;
}

interface OpenClawTool {
  name: string;
  parameters: { properties: Record<string, { enum?: string[] }> };
  execute(
    id: string,
    params: object,
  ): Promise<{ content: [{ text: string }]; details: Record<string, unknown> }>;
}

/** OpenClaw loads a plugin anew for its middleware: every call of this is a load of its own. */
function plugin(): () => Promise<Registered> {
  const dir = testDir({
    'package.json': '{"type": "module"}',
    'node_modules/openclaw/package.json':
      '{"type": "module", "exports": {"./plugin-sdk/plugin-entry": "./entry.js"}}',
    'node_modules/openclaw/entry.js': 'export const definePluginEntry = (entry) => entry;\n',
  });
  const path = join(dir, 'index.js');
  writeFileSync(path, PLUGIN.replace("const PACKAGE = '';", `const PACKAGE = ${JSON.stringify(ROOT)};`));
  let loads = 0;
  return async () => {
    const url = `${pathToFileURL(path).href}?load=${++loads}`;
    const { default: entry } = (await import(/* @vite-ignore */ url)) as {
      default: { register(api: object): void };
    };
    const hooks = new Map<string, Handler>();
    let middleware: Handler | undefined;
    let tools: Registered['tools'] = () => [];
    let names: string[] = [];
    entry.register({
      on: (name: string, handler: Handler) => hooks.set(name, handler),
      registerAgentToolResultMiddleware: (handler: Handler) => {
        middleware = handler;
      },
      registerTool: (made: Registered['tools'], options: { names: string[] }) => {
        tools = made;
        names = options.names;
      },
    });
    const tool = (context: object): OpenClawTool => tools(context)[0] as OpenClawTool;
    return { hooks, middleware: middleware as Handler, tools, names, tool };
  };
}

test('a turn gets the block, and a long output a preview, though it is another load that sees it', async () => {
  const load = plugin();
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const [first, second] = [await load(), await load()];
  const context = { sessionKey: 'agent:main:main', sessionId: 'x', workspaceDir: cwd };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'the pool leaks' }] }];
  const said = (await first.hooks.get('before_prompt_build')?.(
    { prompt: 'go on please', messages },
    context,
  )) as {
    prependContext?: string;
    appendSystemContext: string;
  };
  expect(said.appendSystemContext).toContain('persistent scratchpad tool');
  expect(said.appendSystemContext).toContain('1. Find the leak');
  expect(said.appendSystemContext).toContain('[Session Scratchpad - your persistent working memory]');
  expect(said.prependContext ?? '').not.toContain('Find the leak');
  const output = 'a line of output\n'.repeat(4000);
  const event = {
    toolName: 'exec',
    args: { command: 'make all' },
    cwd: '/',
    result: { content: [{ type: 'text', text: output }], details: { exitCode: 0 } },
  };
  const shown = (await second.middleware(event, { sessionKey: context.sessionKey })) as {
    result: { content: [{ text: string }]; details: object };
  };
  expect(shown.result.content[0].text).toMatch(
    /^a line of output\n[\s\S]*kept as execute_command_1, whole in /,
  );
  expect(shown.result.details).toEqual({ exitCode: 0 });
  const entry = await runWarm(
    ['entry', 'read', 'execute_command_1', '--session', 'agent:main:main', '--limit', '1000000'],
    { cwd },
  );
  expect(entry.stdout).toBe(output);
  const reader = first.tools(context).find(({ name }) => name === 'scratchpad_read');
  const piece = await reader?.execute('1', { name: 'execute_command_1', limit: 17 });
  expect(piece?.content[0].text).toContain('a line of output\n');
});

test('the system prompt stays the same, byte for byte, until somebody else changes the pad', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const { hooks, middleware, tool: make } = await plugin()();
  const context = { sessionKey: 'agent:main:main', workspaceDir: cwd };
  const tool = make(context);
  const ask = async (prompt: string): Promise<{ prependContext?: string; appendSystemContext: string }> =>
    (await hooks.get('before_prompt_build')?.({ prompt, messages: [] }, context)) as never;
  const call = async (args: object): Promise<void> => {
    const result = await tool.execute('1', args);
    await middleware({ toolName: tool.name, args, result }, context);
  };
  const empty = await ask('hello');
  expect(empty.appendSystemContext).toContain('(nothing yet)');
  expect(`${empty.appendSystemContext}${empty.prependContext}`).not.toContain('is empty');
  expect((await ask('and now?')).appendSystemContext).toBe(empty.appendSystemContext);
  await call({ action: 'set_plan', content: '1. Find the leak\n2. Test it' });
  const first = await ask('go on');
  expect(first.appendSystemContext).toBe(empty.appendSystemContext);
  await call({ action: 'plan.done' });
  await call({ action: 'append_notes', content: 'release() is skipped' });
  const own = await ask('next');
  expect(own.appendSystemContext).toBe(first.appendSystemContext);
  expect(own.prependContext ?? '').not.toMatch(/leak|skipped/);
  await runWarm(['notes', 'append', 'by somebody else'], { cwd });
  const news = await ask('and?');
  expect(news.appendSystemContext).toContain('by somebody else');
  expect(news.appendSystemContext).toContain('2. Test it');
  expect((await ask('ok')).appendSystemContext).toBe(news.appendSystemContext);
  await hooks.get('after_compaction')?.({}, context);
  expect((await ask('go on')).appendSystemContext).toBe(news.appendSystemContext);
});

test('what it has nothing to say to is left alone: short outputs, images, a workspace without a pad', async () => {
  const { hooks, middleware } = await plugin()();
  const result = (content: object[]): object => ({ toolName: 'exec', args: {}, result: { content } });
  expect(await middleware(result([{ type: 'text', text: 'ok' }]), {})).toBeUndefined();
  expect(await middleware(result([{ type: 'image', data: 'x'.repeat(40_000) }]), {})).toBeUndefined();
  expect(await middleware({ toolName: 'exec' }, {})).toBeUndefined();
  const bare = { sessionKey: 'k', workspaceDir: testDir() };
  expect(await hooks.get('before_prompt_build')?.({ prompt: 'hi', messages: null }, bare)).toBeUndefined();
  expect(await hooks.get('before_prompt_build')?.({ prompt: 'hi' }, {})).toBeUndefined();
});

test('our tool and our commands know the session that calls them, other commands are left alone', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const { hooks, tool: make } = await plugin()();
  const context = { sessionKey: 'agent:main:one', workspaceDir: cwd };
  await make(context).execute('1', { action: 'set_plan', content: '1. Find the leak' });
  const other = { ...context, sessionKey: 'agent:main:two' };
  const ask = async (of: object): Promise<string> =>
    JSON.stringify(await hooks.get('before_prompt_build')?.({ prompt: 'hi', messages: [] }, of));
  expect(await ask(context)).toContain('## Plan');
  expect(await ask(other)).not.toContain('## Plan');
  const before = async (command: string, of = context): Promise<unknown> =>
    hooks.get('before_tool_call')?.({ toolName: 'exec', params: { command, env: { A: 'b' } } }, of);
  expect(await before('scratchpad plan done 1')).toEqual({
    params: {
      command: 'scratchpad plan done 1',
      env: { A: 'b', SCRATCHPAD_HOST_SESSION: 'agent:main:one' },
    },
  });
  expect(await before('make test')).toBeUndefined();
});

test('session.scratchpad is a tool of OpenClaw, in both shapes, and a refusal says why', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const { tool: make, tools, names } = await plugin()();
  const context = { workspaceDir: cwd, sessionKey: 'agent:main:main' };
  const tool = make(context);
  const [ours] = TOOLS;
  const manifest = readFileSync(join(ROOT, 'templates/openclaw-plugin/openclaw.plugin.json'), 'utf8');
  expect((JSON.parse(manifest) as { contracts: { tools: string[] } }).contracts.tools).toEqual(names);
  // OpenClaw has a memory_search of its own.
  expect(tools(context).map(({ name }) => name)).toEqual(names);
  expect([...names, 'memory_search']).toEqual(USUAL_TOOLS.map((name) => name.replace('.', '_')));
  const known = JSON.parse(JSON.stringify(ours?.inputSchema.properties)) as typeof tool.parameters.properties;
  expect(tool.parameters.properties).toEqual(known);
  const text = async (params: object): Promise<string> => (await tool.execute('1', params)).content[0].text;
  expect(await text({ action: 'set_plan', content: '1. Find the leak' })).toContain('plan: 16 of 2,000');
  expect(await text({ content: 'one', mode: 'append' })).toMatch(/^Scratchpad updated \(\d+ tokens/);
  expect(await text({ action: 'refs.remove', ref: 'nothing' })).toContain(
    'add something with: session_scratchpad with action refs.add',
  );
  const pad = readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
  expect(pad).toContain('1. Find the leak');
  expect(pad).toContain('one');
  expect(tools({})).toEqual([]);
});

test('scratchpad.enabled off: no tool, no guidance, nothing told; the entries stay, and on again it is as before', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  await runWarm(['notes', 'add', 'release() is skipped'], { cwd });
  await runWarm(['config', 'set', 'scratchpad.enabled', 'off'], { cwd });
  const { hooks, tools, names } = await plugin()();
  const context = { sessionKey: 'agent:main:off', workspaceDir: cwd };
  const ask = async (): Promise<unknown> =>
    hooks.get('before_prompt_build')?.({ prompt: 'what is skipped?', messages: [] }, context);
  expect(await ask()).toBeUndefined();
  expect(tools(context).map(({ name }) => name)).toEqual(names.slice(1));
  await runWarm(['config', 'set', 'scratchpad.enabled', 'on'], { cwd });
  expect(tools(context).map(({ name }) => name)).toEqual(names);
  const said = (await ask()) as { appendSystemContext: string };
  expect(said.appendSystemContext).toContain('Budget: ~2000 tokens');
  expect(said.appendSystemContext).toContain('release() is skipped');
  await runWarm(['config', 'set', 'scratchpad.enabled', 'off'], { cwd });
  expect(await ask()).toBeUndefined();
});

test('a context near its limit is warned of once, by the figures of its last answer since a compaction', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const { hooks } = await plugin()();
  const context = { sessionKey: 'agent:main:warned', workspaceDir: cwd };
  const usage = (input: number): object => ({ input, output: 10, cacheRead: 1000, cacheWrite: 0 });
  const said = async (messages: object[]): Promise<string> => {
    const answer = await hooks.get('before_prompt_build')?.({ prompt: 'go on', messages }, context);
    return (answer as { prependContext?: string }).prependContext ?? '';
  };
  const full = { role: 'assistant', content: 'On it.', timestamp: 2000, usage: usage(85_000) };
  // How much the model's context holds is not known yet.
  expect(await said([full])).not.toContain('token limit');
  hooks.get('llm_output')?.({ contextTokenBudget: 100_000 }, context);
  expect(await said([{ role: 'compactionSummary', timestamp: 3000 }, full])).not.toContain('token limit');
  expect(await said([full])).toContain('token limit (86,010 of 100,000 tokens, 86 %)');
  expect(await said([full])).not.toContain('token limit');
});

test('the notes of a subagent are reported to the session that started it', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
  const { hooks, tools } = await plugin()();
  const parent = { sessionKey: 'agent:main:main', workspaceDir: cwd };
  const child = { sessionKey: 'agent:main:subagent:77aa', workspaceDir: cwd };
  const ask = (prompt: string, context: object): Promise<unknown> =>
    hooks.get('before_prompt_build')?.({ prompt, messages: [] }, context) ?? Promise.resolve();
  await ask('sort the photos', parent);
  await hooks.get('subagent_spawned')?.(
    { childSessionKey: child.sessionKey, agentId: 'main', mode: 'run' },
    { childSessionKey: child.sessionKey, requesterSessionKey: parent.sessionKey },
  );
  await ask('count the photos', child);
  const [tool] = tools(child);
  await tool?.execute('1', { action: 'append_notes', content: '312 photos have no date' });
  expect(JSON.stringify(await ask('and?', parent))).toContain('noted: 312 photos have no date');
});
