import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ResidentHooks } from '../../src/hosts/resident.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { loadMod, ModHost } from './mod-host.ts';

/** A workspace, its server, and Claude Code with our mod. */
async function start(more: Record<string, string> = {}) {
  const [cwd, state] = [testDir(more), testDir()];
  const env = { ...minimalEnv(), XDG_STATE_HOME: state };
  await runWarm(['plan', 'set', '1. Find the leak\n2. Write the test'], { cwd, env });
  const server = new ResidentHooks(env, cwd, []);
  const host = new ModHost({ cwd, session: crypto.randomUUID(), server, env });
  host.load(await loadMod());

  return { cwd, env, server, host };
}

const person = { wait: false, origin: { kind: 'composer' } };

test('the first prompt of a session carries what its start would have said, and its hook then says nothing', async () => {
  const { host, server } = await start();
  await host.begin();
  expect(await host.hook('SessionStart', { source: 'startup' })).toBe('{}');

  const asked = await host.submit('go on with it');
  expect(asked.context).toEqual([expect.stringContaining('Find the leak')]);
  expect(await host.hook('UserPromptSubmit', { prompt: 'go on with it', source: 'user' })).toBe('{}');
  await server.settled();
  expect((await host.submit('and now?')).context).toBeUndefined();
});

test('a prompt that does not go through the mod is answered by its hook, with what the start left out', async () => {
  const { host, server } = await start();
  await host.begin();
  await host.hook('SessionStart', { source: 'startup' });
  await server.settled();
  const said = await host.hook('UserPromptSubmit', { prompt: 'go on with it', source: 'user' });
  expect(said).toContain('Find the leak');
});

test('without the mark of the mod a start says everything by itself', async () => {
  const { host } = await start();
  expect(await host.hook('SessionStart', { source: 'startup' })).toContain('Find the leak');
});

test('a compaction is asked for the words of the person, and what its summary lacks follows unseen, once', async () => {
  const { cwd, host, server } = await start();
  const transcript = join(cwd, 's.jsonl');
  host.transcript = transcript;
  const line = (uuid: string, type: string, content: string, more: object = {}): string =>
    JSON.stringify({
      ...{ type, uuid, cwd, sessionId: host.session, timestamp: new Date().toISOString() },
      ...{ message: { role: type, content }, ...more },
    });
  const before = [
    line('u1', 'user', 'Never touch the file b.py, please.'),
    line('a1', 'assistant', 'Understood.'),
    line('u2', 'user', 'Look at the pool first.'),
    line('a2', 'assistant', 'I looked.'),
  ];
  writeFileSync(transcript, `${before.join('\n')}\n`);
  await host.begin();
  await host.hook('SessionStart', { source: 'startup' });
  await host.submit('go on');
  await server.settled();

  const summary = 'Summary: the person said: Look at the pool first.';
  const done = await host.compact('manual', [{ role: 'user', text: summary, toolUses: [] }], async () => {
    await host.hook('SessionStart', { source: 'compact' });
    await server.settled();
  });
  expect(done.instructions).toContain('word for word');
  const [text] = host.appended;
  expect(text).toContain('Never touch the file b.py');
  expect(text).not.toContain('Look at the pool first');
  expect(text).toContain('Find the leak');

  // The host's file has the summary only now.
  await server.settled();
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c1',
    timestamp: new Date().toISOString(),
  };
  const after = [JSON.stringify(boundary), line('c2', 'user', summary, { isCompactSummary: true })];
  writeFileSync(transcript, `${[...before, ...after].join('\n')}\n`);
  expect((await host.submit('what now?')).context).toBeUndefined();
});

test('text that could not be added after a compaction is in the next prompt', async () => {
  const { host, server } = await start();
  await host.begin();
  host.refusesRows = true;
  await host.compact('auto', [{ role: 'user', text: 'Summary.', toolUses: [] }]);
  expect(host.appended).toEqual([]);
  await server.settled();
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);
});

test('compactions of a subagent and those made ahead are left to the host', async () => {
  const { host } = await start();
  await host.begin();
  for (const more of [{ agentId: 'a1' }, { trigger: 'precompute' }]) {
    const done = await host.raise('session.compact', { trigger: 'auto', messages: [], ...more });
    expect(done).toEqual({ instructions: undefined, messages: [] });
  }
});

test('a compaction is held once where the settings say so', async () => {
  const { host, cwd, env } = await start();
  await runWarm(['config', 'set', 'compaction.hold', 'once'], { cwd, env });
  await runWarm(['config', 'set', 'compaction.window', '200000'], { cwd, env });
  host.transcript = join(cwd, 's.jsonl');
  const usage = { input_tokens: 100_000, cache_read_input_tokens: 0, output_tokens: 5 };
  const answer = {
    role: 'assistant',
    id: 'm1',
    model: 'claude-x',
    content: [{ type: 'text', text: 'ok' }],
    usage,
  };
  const line = (type: string, message: object): string =>
    JSON.stringify({
      ...{ type, uuid: type, sessionId: host.session, timestamp: new Date().toISOString() },
      message: { role: type, ...message },
    });
  const lines = [line('user', { content: 'work through the list please' }), line('assistant', answer)];
  writeFileSync(host.transcript, `${lines.join('\n')}\n`);
  await host.begin();
  expect(await host.raise('session.compact', { trigger: 'auto', messages: [] })).toEqual({
    skip: expect.stringContaining('scratchpad'),
  });
});

test('without a server a process answers, and without both the prompt goes on as it is', async () => {
  const { host } = await start();
  await host.begin();
  host.server = undefined;
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);
  host.hasProgram = false;
  expect(await host.raise('prompt.submit', { text: 'and now?', ...person })).toEqual({
    text: 'and now?',
    context: undefined,
  });
});

test('a prompt of no person is told nothing about one', async () => {
  const { host } = await start({ 'memory/facts.md': '- The staging queue runs on host quokka.\n' });
  await host.begin();
  await host.submit('hello');
  const words = 'where does the staging queue run?';
  const timer = await host.raise('prompt.submit', { text: words, wait: false, origin: { kind: 'task' } });
  expect(JSON.stringify(timer.context ?? [])).not.toContain('quokka');
});

test('what the host says when it ends and begins another session counts for the next prompt', async () => {
  const { host } = await start();
  await host.begin();
  await host.submit('hello');
  await host.raise('session.end', { reason: 'clear' });
  host.session = crypto.randomUUID();
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);
  expect(host.env.SCRATCHPAD_MOD).toBe(host.session);
});
