import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
type Handler = (input: object, output?: object) => Promise<unknown>;

/** The plugin as it is installed, loaded. */
async function installed(host: string, cwd: string, file: string, breaks = false): Promise<object> {
  const done = await runWarm(['install', host, '--yes'], { cwd });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  const path = join(cwd, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(JSON.stringify(ROOT));
  // A module of its own for each test.
  const copy = join(testDir({ 'package.json': '{"type": "module"}' }), 'scratchpad.mjs');
  writeFileSync(copy, breaks ? text.replace(JSON.stringify(ROOT), '"/nowhere"') : text);
  return (await import(/* @vite-ignore */ pathToFileURL(copy).href)) as object;
}

const part = (text: string) => ({ id: 'prt_1', type: 'text', text });

test.each([
  ['opencode', '.opencode/plugins/scratchpad.js'],
  ['kilo', '.kilo/plugins/scratchpad.js'],
])(
  '%s: pad with the first prompt, once; a long output is kept; uninstalled, nothing is left',
  async (host, file) => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
    const { Scratchpad } = (await installed(host, cwd, file)) as {
      Scratchpad(context: object): Promise<Record<string, Handler>>;
    };
    const hooks = await Scratchpad({ directory: cwd });
    const say = async (sessionID: string, text: string): Promise<string> => {
      const parts = [part(text)];
      await hooks['chat.message']?.({ sessionID }, { message: { id: 'msg_1' }, parts });
      return parts
        .slice(1)
        .map((one) => one.text)
        .join();
    };
    await hooks.event?.({ event: { type: 'session.created', properties: { info: { id: 's1' } } } });
    expect(await say('s1', 'look at the pool')).toContain('1. Find the leak');
    expect(await say('s1', 'go on')).not.toContain('Find the leak');
    const result = { output: 'a line of output\n'.repeat(4000) };
    await hooks['tool.execute.after']?.({ tool: 'bash', sessionID: 's1', callID: 'c', args: {} }, result);
    expect(result.output).toContain('kept as');
    expect(result.output.length).toBeLessThan(10_000);
    const request = { context: [] };
    await hooks['experimental.session.compacting']?.({ sessionID: 's1' }, request);
    expect(request.context).toHaveLength(1);
    await hooks.event?.({ event: { type: 'session.compacted', properties: { sessionID: 's1' } } });
    expect(await say('s1', 'and on')).toContain('1. Find the leak');
    const child = { id: 's2', parentID: 's1' };
    await hooks.event?.({ event: { type: 'session.created', properties: { info: child } } });
    expect(await say('s2', 'a task of an agent')).toContain('session that started this agent');
    await runWarm(['uninstall', host, '--yes'], { cwd });
    expect(() => readFileSync(join(cwd, file))).toThrow('ENOENT');
  },
);

test('the text of a command is marked with what was typed: OpenCode', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const { Scratchpad } = (await installed('opencode', cwd, '.opencode/plugins/scratchpad.js')) as {
    Scratchpad(context: object): Promise<Record<string, Handler>>;
  };
  const hooks = await Scratchpad({ directory: cwd });
  const parts = [part('Never write tests.'), { type: 'file', url: 'file:///a' }];
  const called = { command: 'ship it', sessionID: 's1', arguments: 'the cart first' };
  await hooks['command.execute.before']?.(called, { parts });
  // A file's name is not what was typed.
  const scratchpad = { typed: '/ship-it the cart first' };
  expect(parts).toEqual([{ ...part('Never write tests.'), metadata: { scratchpad } }, parts[1]]);
  await hooks['chat.message']?.({ sessionID: 's1' }, { message: { id: 'msg_1' }, parts });
  expect(parts.at(-1)).toMatchObject({ synthetic: true });
});

test('the text of a command is marked with what was typed: pi', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const module = (await installed('pi', cwd, '.pi/extensions/scratchpad.js')) as {
    default(pi: object): void;
  };
  const events = new Map<string, Handler>();
  module.default({ on: (name: string, handler: Handler) => events.set(name, handler), registerTool() {} });
  const end = async (content: unknown, role = 'user') =>
    (await events.get('message_end')?.({ message: { role, content } })) as { message: object } | undefined;
  const type = (text: string, source = 'interactive') => events.get('input')?.({ text, source });
  const text = (words: string) => [{ type: 'text', text: words }];
  await type('hello');
  expect(await end(text('hello'))).toBeUndefined();
  // The second waits for the end of the turn, in which a message of an extension is sent.
  await type('/ship the cart first');
  await type('typed beside it');
  expect(await end(text('typed beside it'))).toBeUndefined();
  expect(await end(text('Understood.'), 'assistant')).toBeUndefined();
  const message = { role: 'user', content: text('Never write tests.') };
  const scratchpad = { typed: '/ship the cart first' };
  expect(await end(message.content)).toEqual({ message: { ...message, scratchpad } });
  await type('Sent by a program.', 'extension');
  expect((await end('Sent by a program.'))?.message).toMatchObject({ scratchpad: { typed: '/' } });
  expect(await end(text('never announced'))).toBeUndefined();
});

test.each([true, false])(
  'an output that the host has cut, with a file of its own: there %s',
  async (isThere) => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    const whole = Array.from({ length: 7000 }, (_, k) => `line ${k}\n`).join('');
    const outputPath = join(testDir(isThere ? { output: whole } : {}), 'output');
    const output = `...output truncated...\n\nFull output saved to: ${outputPath}\n\n${whole.slice(-30_000)}`;
    const { Scratchpad } = (await installed('opencode', cwd, '.opencode/plugins/scratchpad.js')) as {
      Scratchpad(context: object): Promise<Record<string, Handler>>;
    };
    const hooks = await Scratchpad({ directory: cwd });
    const result = { output, metadata: { outputPath } };
    await hooks['tool.execute.after']?.({ tool: 'bash', sessionID: 's1', callID: 'c', args: {} }, result);
    const read = ['entry', 'read', 'execute_command_1', '--session', 's1', '--raw'];
    expect((await runWarm(read, { cwd })).stdout).toBe(isThere ? whole : output);
    if (isThere) expect(result.output).toContain('kept as execute_command_1, whole in ');
    else {
      expect(result.output).not.toContain('whole in');
      expect(result.output).toContain(`The host has cut this output, and keeps all of it in ${outputPath}]`);
    }
  },
);

test('pi: the same, with our tools', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const { default: extension } = (await installed('pi', cwd, '.pi/extensions/scratchpad.js')) as {
    default(pi: object): void;
  };
  const events = new Map<string, Handler>();
  const tools: { name: string; execute: (...args: unknown[]) => Promise<{ content: { text: string }[] }> }[] =
    [];
  extension({
    on: (name: string, handler: Handler) => events.set(name, handler),
    registerTool: (tool: (typeof tools)[0]) => tools.push(tool),
  });
  const ctx = { cwd, sessionManager: { getSessionId: () => 's1', getSessionFile: () => undefined } };
  const ask = async (name: string, event: object): Promise<string> =>
    JSON.stringify((await events.get(name)?.(event, ctx)) ?? '');
  await ask('session_start', { reason: 'startup' });
  expect(await ask('before_agent_start', { prompt: 'look at the pool' })).toContain('1. Find the leak');
  expect(await ask('before_agent_start', { prompt: 'go on' })).not.toContain('Find the leak');
  const content = [{ type: 'text', text: 'a line of output\n'.repeat(4000) }];
  expect(await ask('tool_result', { toolName: 'bash', input: {}, content })).toContain('kept as');
  const details = { fullOutputPath: join(testDir({ output: `first\n${'x'.repeat(90_000)}` }), 'output') };
  expect(await ask('tool_result', { toolName: 'bash', input: {}, content, details })).toContain('first');
  const params = { action: 'append_notes', content: 'the pool leaks' };
  const [tool] = tools;
  expect(tool?.name).toBe('session_scratchpad');
  expect((await tool?.execute('c', params, undefined, undefined, ctx))?.content[0]?.text).toContain('notes');
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('the pool leaks');
  await ask('session_shutdown', {});
});

test.each([
  ['opencode', '.opencode/plugins/scratchpad.js'],
  ['pi', '.pi/extensions/scratchpad.js'],
])('%s: with the package gone the host works as without us', async (host, file) => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const module = (await installed(host, cwd, file, true)) as Record<string, (given: object) => unknown>;
  const load = module.Scratchpad ?? module.default;
  expect((await load?.({ directory: cwd })) ?? {}).toEqual({});
});

test('a file of that name which is not ours stays', async () => {
  const cwd = testDir({ '.opencode/plugins/scratchpad.js': 'export const Mine = 1;\n' });
  const done = await runWarm(['install', 'opencode', '--yes'], { cwd });
  expect(done.stderr).toContain('the file is not ours');
  await runWarm(['uninstall', '--all', '--yes'], { cwd });
  expect(readFileSync(join(cwd, '.opencode/plugins/scratchpad.js'), 'utf8')).toContain('Mine');
});

test('a compaction in the middle of a turn: the next result of a tool brings the pad again, once', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const { Scratchpad } = (await installed('opencode', cwd, '.opencode/plugins/scratchpad.js')) as {
    Scratchpad(context: object): Promise<Record<string, Handler>>;
  };
  const hooks = await Scratchpad({ directory: cwd });
  await hooks['chat.message']?.({ sessionID: 's1' }, { message: { id: 'm' }, parts: [part('look')] });
  const call = async (): Promise<string> => {
    const result = { output: 'ok' };
    await hooks['tool.execute.after']?.({ tool: 'bash', sessionID: 's1', callID: 'c', args: {} }, result);
    return result.output;
  };
  expect(await call()).toBe('ok');
  await hooks.event?.({ event: { type: 'session.compacted', properties: { sessionID: 's1' } } });
  expect(await call()).toContain('1. Find the leak');
  expect(await call()).toBe('ok');
});
