import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentMemory } from '../../src/hosts/agent-memory.ts';
import { minimalEnv, PROGRAM } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const LIBRARY = join(PROGRAM, '../../dist/agent-memory.js');

/** A host whose session makes a plan, and that is killed then. */
function runKilledHost(workspace: string, env: NodeJS.ProcessEnv): void {
  const program = `
    const { openAgentMemory } = await import(${JSON.stringify(LIBRARY)});
    const memory = openAgentMemory({ host: 'opencode', workspace: ${JSON.stringify(workspace)} });
    await memory.tell('prompt', { sessionId: 'killed', prompt: 'find the leak' });
    await memory.call('session_scratchpad', { action: 'set_plan', content: '1. Find the leak' }, { sessionId: 'killed' });
    await memory.settled();
    process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  });
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
}

test('a session ends with the process of a host that our code runs in: its plan is handed over at once', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  runKilledHost(workspace, env);
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const { context } = await memory.tell('prompt', { sessionId: 'next', prompt: 'hello' });
  await memory.settled();
  expect(context).toContain('left within the hour by an earlier session');
  expect(context).toContain('1. Find the leak');
  expect(context).not.toContain('may be running');
});

test('the session of a host that still runs keeps its plan', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  await memory.tell('prompt', { sessionId: 'first', prompt: 'find the leak' });
  const set = { action: 'set_plan', content: '1. Find the leak' };
  await memory.call('session_scratchpad', set, { sessionId: 'first' });
  const { context } = await memory.tell('prompt', { sessionId: 'second', prompt: 'hello' });
  await memory.settled();
  expect(context).toContain('Find the leak, 0 of 1 done; it may be running');
  expect(context).not.toContain('1. Find the leak');
});

test('a refused call says what was expected, what was found and what to do, as over MCP', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const call = (name: string, params: unknown) => memory.call(name, params, { sessionId: 'one' });

  const limit = await call('memory_search', { query: 'port', limit: 0 });
  expect(limit.failed).toBe(true);
  expect(limit.text).toMatch(/limit[\s\S]*expected: [\s\S]*found: +0/);
  expect(limit.details).toMatchObject({ error: { kind: 'usage', found: expect.stringContaining('0') } });

  const missing = await call('session_scratchpad', { action: 'refs.remove', ref: 'src/a.ts' });
  expect(missing.text).toContain('next:');

  const unknown = await call('session_scratchpad', { action: 'no_such_action' });
  expect(unknown.text).toMatch(/expected: .*set_notes/);
  expect(unknown.text).toMatch(/found: +.*no_such_action/);
});

const LINES = 'a line of output\n'.repeat(6000);

test.each([
  [{ stdout: LINES, stderr: 'FATAL: disk quota', exitCode: 2 }, ['FATAL: disk quota', 'exitCode: 2']],
  [{ output: LINES, error: { code: 'EDQUOT' }, ok: false }, ['error: {"code":"EDQUOT"}', 'ok: false']],
  [
    {
      content: [
        { type: 'text', text: LINES },
        { type: 'text', text: 'FATAL' },
      ],
    },
    ['FATAL'],
  ],
  [
    [LINES, 'FATAL', { retries: 0 }],
    ['FATAL', '2: {"retries":0}'],
  ],
  [{ stdout: LINES, stderr: `${LINES}FATAL` }, [`${LINES}FATAL`]],
  [Array(40).fill(LINES.slice(0, 1700)), [LINES.slice(0, 1700).repeat(40)]],
])('all of a long result is kept, and the answer has its shape: %#', async (toolResult, parts) => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const call = { sessionId: 'q', toolName: 'bash', toolInput: { command: 'make' }, toolResult };
  const { output, result } = await memory.tell('tool', call);
  await memory.settled();

  const text = JSON.stringify(output);
  expect([Object.keys(output as object), result]).toEqual([Object.keys(toolResult), undefined]);
  expect(text.length).toBeLessThan(31_000);
  expect(text).toMatch(/kept as execute_command_1, whole in /);
  const read = ['entry', 'read', 'execute_command_1', '--session', 'q', '--raw'];
  const { stdout } = await runWarm(read, { cwd: workspace, env });
  for (const part of [LINES.slice(0, 1700), ...parts]) expect(stdout).toContain(part);
});

test('what an agent wrote by a call is no news to it; what a person wrote is', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const prompt = async (): Promise<string> => {
    const { context = '' } = await memory.tell('prompt', { sessionId: 's', prompt: 'hello' });
    return context;
  };
  await memory.tell('start', { sessionId: 's' });
  await prompt();
  const note = { action: 'append_notes', content: 'the agent found it' };
  expect((await memory.call('session_scratchpad', note, { sessionId: 's' })).failed).toBe(false);
  const edit = { operation: 'append', content: 'the agent fixed it' };
  await memory.call('update_notepad', edit, { sessionId: 's' });
  expect(await prompt()).not.toContain('the agent');
  await runWarm(['notes', 'append', 'the person knows it'], { cwd: workspace, env });
  const news = await prompt();
  expect(news).toContain('the person knows it');
  expect(news).not.toContain('the agent');
  await memory.settled();
});

test.each([
  [
    'a session with a parent',
    'pi',
    'kid',
    ['start', { sessionId: 'kid', parentId: 'par' }],
    { sessionId: 'kid' },
  ],
  [
    'a subagent of its session',
    'pi',
    'kid',
    ['subagent', { sessionId: 'par', agentId: 'kid' }],
    { sessionId: 'par', agentId: 'kid' },
  ],
  [
    'a subagent by its id',
    'opencode',
    'kid',
    ['subagent', { sessionId: 'par', agentId: 'kid' }],
    { sessionId: 'kid' },
  ],
  [
    'a session that an agent prompts',
    'kilo',
    'kid',
    ['prompt', { sessionId: 'kid', prompt: 'count', speaker: 'parent' }],
    { sessionId: 'kid' },
  ],
  [
    'a subagent of OpenClaw',
    'openclaw',
    'agent:main:subagent:1f',
    ['prompt', { sessionId: 'agent:main:subagent:1f', prompt: 'count' }],
    { sessionId: 'agent:main:subagent:1f' },
  ],
] as const)('the calls of %s work on its own notepad', async (_, host, id, [event, about], caller) => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  await runWarm(['config', 'set', 'subagent.copyNotepad', 'on'], { cwd: workspace, env });
  await runWarm(['notes', 'set', 'shared: keep me'], { cwd: workspace, env });
  const memory = openAgentMemory({ host, workspace, env });
  const call = (params: object, about: Parameters<typeof memory.call>[2]) =>
    memory.call('session_scratchpad', params, about);
  await memory.tell('prompt', { sessionId: 'par', prompt: 'find it' });
  await call({ action: 'set_plan', content: '1. Find the leak' }, { sessionId: 'par' });
  await memory.tell(event, about);
  await memory.settled();

  // A host that starts anew knows it, too.
  for (const { call } of [memory, openAgentMemory({ host, workspace, env })]) {
    await call('session_scratchpad', { action: 'set_notes', content: 'kid: 3 tests fail' }, caller);
    await call('session_scratchpad', { action: 'set_plan', content: '1. Count' }, caller);
    const { text } = await call('session_scratchpad', { action: 'show' }, { sessionId: 'par' });
    expect(text).toMatch(/1\. Find the leak[\s\S]*shared: keep me/);
    expect(text).not.toMatch(/kid:|1\. Count/);
  }
  const { stdout } = await runWarm(['notes', '-s', id], { cwd: workspace, env });
  expect(stdout).toBe('kid: 3 tests fail\n');
  const { context } = await memory.tell('prompt', { sessionId: 'par', prompt: 'go on' });
  if (event !== 'prompt') expect(context).toContain('Subagent kid noted: kid: 3 tests fail');
  await memory.settled();
});

test('a child is told at its first prompt what it has been lent', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  await runWarm(['config', 'set', 'subagent.copyNotepad', 'on'], { cwd: workspace, env });
  await runWarm(['notes', 'set', 'shared: keep me'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  await memory.tell('start', { sessionId: 'kid', parentId: 'par' });
  const { context } = await memory.tell('prompt', { sessionId: 'kid', prompt: 'count' });
  expect(context).toContain('its notepad is its own: `session_scratchpad` writes there.');
  expect(context).not.toContain('--session kid');
  expect(context).toContain('shared: keep me');
  await memory.settled();
});

test('a program that keeps role and content passes the summary, and is told what it lacks', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'pi', workspace, env });
  const about = { sessionId: 's', transcriptPath: join(workspace, 'chat.jsonl') };
  for (const prompt of ['Export the invoices as CSV.', 'Never use a semicolon as the separator.']) {
    await memory.tell('prompt', { ...about, prompt });
    const messages = [prompt, 'Done.'].map((content, k) => ({
      role: k === 0 ? 'user' : 'assistant',
      content,
    }));
    appendFileSync(about.transcriptPath, messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await memory.tell('stop', about);
  }
  await memory.tell('before-compaction', about);
  const summary = 'Export the invoices as CSV: done.';
  const { context } = await memory.tell('after-compaction', { ...about, summary });
  expect(context).toContain('“Never use a semicolon as the separator.”');
  expect(context).not.toContain('“Export');
  await memory.settled();
});

async function makePad(folder: string, note: string, env: Readonly<Record<string, string>>): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await runWarm(['init', '--workspace', folder], { cwd: folder, env });
  await runWarm(['notes', 'append', note, '--workspace', folder], { cwd: folder, env });
  return folder;
}

const LONG = { toolName: 'bash', toolInput: { command: 'make' }, toolResult: 'a line\n'.repeat(15_000) };

test.each(['workspace', 'cwd'])(
  'a session id that another workspace has used works on the one that is named as %s',
  async (way) => {
    const env = minimalEnv();
    const [p, q] = [
      await makePad(testDir(), 'note of p', env),
      await makePad(testDir(), 'note of q', env),
    ] as const;
    const open = (workspace: string) => {
      const memory = openAgentMemory({ host: 'pi', env, ...(way === 'workspace' && { workspace }) });
      return { memory, about: { sessionId: 'chat-1', ...(way === 'cwd' && { cwd: workspace }) } };
    };

    // By turns, as a program does that serves two projects.
    for (const [folder, note] of [p, q, p, q].map((folder) => [folder, folder === p ? 'p' : 'q'] as const)) {
      const { memory, about } = open(folder);
      const { standing, context = standing } = await memory.tell('prompt', { ...about, prompt: 'fix it' });
      if (context !== undefined) expect(context).toContain(`note of ${note}`);
      const { result } = await memory.tell('tool', { ...about, ...LONG });
      expect(result).toContain(`whole in ${folder}`);
      const name = /kept as (\w+)/.exec(result ?? '')?.[1];
      const read = { name, session: 'chat-1', limit: 7 };
      expect((await memory.call('scratchpad_read', read, about)).text).toContain('a line');
      expect((await memory.call('session_scratchpad', { action: 'show' }, about)).text).toContain(
        `note of ${note}`,
      );
      await memory.settled();
    }
  },
);

test('commands of an agent work on the workspace of its session, which no other session may name', async () => {
  const env = minimalEnv();
  const [p, q] = [await makePad(testDir(), 'one', env), await makePad(testDir(), 'two', env)] as const;
  for (const workspace of [p, q]) {
    const memory = openAgentMemory({ host: 'opencode', workspace, env });
    await memory.tell('prompt', { sessionId: 'chat-1', prompt: 'fix it' });
    await memory.settled();
  }

  const agent = { ...env, OPENCODE: '1', SCRATCHPAD_HOST_SESSION: 'chat-1' };
  const own = await runWarm(['show'], { cwd: p, env: agent });
  expect(own.stdout).toContain('two');
  const named = await runWarm(['show', '--workspace', p], { cwd: p, env: agent });
  expect([named.stdout, named.stderr]).toEqual([
    '',
    expect.stringContaining('an agent works in the workspace'),
  ]);
  const other = { ...agent, SCRATCHPAD_HOST_SESSION: 'chat-2', SCRATCHPAD_WORKSPACE: q };
  const refused = await runWarm(['notes', 'append', 'three'], { cwd: p, env: other });
  expect(refused.stderr).toContain('an agent works in the workspace');
});

test('a named folder without a pad below one that has one: events and tools work on the named one', async () => {
  const env = minimalEnv();
  const parent = await makePad(testDir(), 'of the parent', env);
  const [child, below] = [join(parent, 'child'), join(parent, 'below')];
  for (const folder of [child, below]) mkdirSync(folder);
  const show = { action: 'show' };
  const append = { action: 'append_notes', content: 'added' };

  const named = openAgentMemory({ host: 'pi', workspace: child, env });
  const one = { sessionId: 'one' };
  expect(await named.tell('prompt', { ...one, cwd: child, prompt: 'fix it' })).toEqual({});
  expect((await named.call('session_scratchpad', show, one)).text).not.toContain('parent');
  await named.call('session_scratchpad', append, one);
  const { context } = await named.tell('prompt', { ...one, prompt: 'go on' });
  expect(context).toContain('added');
  expect(context).not.toContain('parent');

  // Where only the session's folder is known, both find the pad above it.
  const found = openAgentMemory({ host: 'pi', env });
  const two = { sessionId: 'two', cwd: below };
  expect((await found.tell('prompt', { ...two, prompt: 'fix it' })).context).toContain('of the parent');
  expect((await found.call('session_scratchpad', show, two)).text).toContain('of the parent');
  await found.call('session_scratchpad', append, two);
  expect(existsSync(join(below, 'SCRATCHPAD.md'))).toBe(false);
  await Promise.all([named.settled(), found.settled()]);
});

test.each(['claude-code', 'claude-code-mod', 'codex', 'gemini', 'emacs'])(
  '%s is no host for a program that runs in it',
  (host) => {
    expect(() => openAgentMemory({ host })).toThrow(
      `no host that runs JavaScript is called ${host}; known: openclaw, opencode, kilo, pi`,
    );
  },
);

test.each([undefined, null, 7, { sessionId: 7, cwd: 7 }])(
  'nothing throws on an event of %j',
  async (about) => {
    const memory = openAgentMemory({ host: 'pi', workspace: testDir(), env: minimalEnv() });
    expect(await memory.tell('prompt', about as never)).toEqual({});
    expect(await memory.call('session_scratchpad', { action: 'show' }, about as never)).toBeDefined();
    expect(memory.offer(about as never).tools).not.toEqual([]);
    await memory.close();
  },
);

test('guarded handlers resolve, as their types say', async () => {
  const memory = openAgentMemory({ host: 'pi', workspace: testDir(), env: minimalEnv() });
  const handlers = memory.guard({
    five: () => 5,
    fail: async (word: string): Promise<string> => Promise.reject(new Error(word)),
  });
  const five: Promise<number | undefined> = handlers.five();
  const failed: Promise<string | undefined> = handlers.fail('no');
  expect([await five, await failed]).toEqual([5, undefined]);
});
