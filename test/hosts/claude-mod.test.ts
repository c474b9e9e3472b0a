import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findSocketFolder, getSocketPath } from '../../src/hosts/ask-server.ts';
import { wrapUnlessAnswered } from '../../src/hosts/install/hook-command.ts';
import { ResidentHooks, serveHooks } from '../../src/hosts/resident.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { loadMod, ModHost } from './mod-host.ts';

/** A workspace, its server, and Claude Code with our mod. */
async function start(more: Record<string, string> = {}, state = testDir()) {
  const cwd = testDir(more);
  const env = { ...minimalEnv(), XDG_STATE_HOME: state };
  await runWarm(['plan', 'set', '1. Find the leak\n2. Write the test'], { cwd, env });
  const server = new ResidentHooks(env, cwd, []);
  const host = new ModHost({ cwd, session: crypto.randomUUID(), server, env });
  host.load(await loadMod());

  return { cwd, env, server, host };
}

test('the first prompt of a session carries what its start would have said, and its hook then says nothing', async () => {
  const { host, server } = await start();
  await host.begin();
  expect(await host.hook('SessionStart', { source: 'startup' })).toBe('{}');

  const hooked: string[] = [];
  const asked = await host.submit('go on with it', async () => {
    hooked.push(await host.hook('UserPromptSubmit', { prompt: 'go on with it', source: 'user' }));
    for (const CLAUDE_PID of ['1', '2']) {
      const env = { ...host.env, CLAUDE_PID };
      hooked.push(execFileSync('sh', ['-c', wrapUnlessAnswered('echo asked')], { env, encoding: 'utf8' }));
    }
  });
  expect(asked.context).toEqual([expect.stringContaining('Find the leak')]);
  expect(hooked).toEqual(['{}', '', 'asked\n']);
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
  // An older host names no process, and a repository may set what no mod has set.
  for (const env of [{}, { SCRATCHPAD_ANSWERED: 'by ' }])
    expect(execFileSync('sh', ['-c', wrapUnlessAnswered('echo asked')], { env, encoding: 'utf8' })).toBe(
      'asked\n',
    );
});

test('without the mark of the mod a start says everything by itself', async () => {
  const { host } = await start();
  expect(await host.hook('SessionStart', { source: 'startup' })).toContain('Find the leak');
});

test.each([
  ['auto', 'at once, since the turn goes on'],
  ['manual', 'with the next prompt, which a resumed session has, too'],
])(
  'a compaction (%s) is asked for the words of the person, and what its summary lacks follows unseen, %s',
  async (trigger) => {
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
    const done = await host.compact(trigger, [{ role: 'user', text: summary, toolUses: [] }], async () => {
      await host.hook('SessionStart', { source: 'compact' });
      await server.settled();
    });
    expect(done.instructions).toContain('word for word');
    const told = [...host.appended];
    expect(told).toHaveLength(trigger === 'auto' ? 1 : 0);

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
    told.push(...((await host.submit('what now?')).context ?? []));
    expect(told).toEqual([expect.stringContaining('Never touch the file b.py')]);
    expect(told[0]).not.toContain('Look at the pool first');
    expect(told[0]).toContain('Find the leak');
  },
);

test('a host that ends after a compaction, before a prompt: the resumed session is told again', async () => {
  const { cwd, host, server } = await start();
  host.transcript = join(cwd, 's.jsonl');
  const message = { role: 'user', content: 'Look at the pool first.' };
  const ids = { uuid: 'u1', cwd, sessionId: host.session, timestamp: new Date().toISOString() };
  writeFileSync(host.transcript, `${JSON.stringify({ type: 'user', ...ids, message })}\n`);
  await host.begin();
  await host.hook('SessionStart', { source: 'startup' });
  await host.submit('go on');
  await server.settled();
  await host.compact('auto', [{ role: 'user', text: 'Summary.', toolUses: [] }], async () => {
    await host.hook('SessionStart', { source: 'compact' });
  });
  await server.settled();
  expect(host.appended).toHaveLength(1);

  const about = { session_id: host.session, transcript_path: host.transcript, cwd };
  const resume = (): Promise<string> => server.answer({ event: 'SessionStart', source: 'resume', ...about });
  await resume();
  await server.settled();
  expect((await host.submit('what now?')).context).toEqual([expect.stringContaining('Find the leak')]);
  await server.settled();
  await resume();
  await server.settled();
  expect((await host.submit('and on')).context).toBeUndefined();
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
  const { host, cwd, env } = await start();
  await host.begin();
  host.server = undefined;
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);

  // The command that stands in for the server is started for the same prompt.
  const { stdout } = await runWarm(['hook', 'claude-code', 'UserPromptSubmit', '--tools'], {
    cwd,
    env: { ...env, SCRATCHPAD_MOD: host.session },
    input: JSON.stringify({ session_id: host.session, cwd, prompt: 'go on', source: 'user' }),
  });
  expect(stdout.trim()).toBe('');
  host.hasProgram = false;
  let mark: string | undefined = 'none';
  const asked = await host.submit('and now?', async () => {
    mark = host.env.SCRATCHPAD_ANSWERED;
  });
  expect(asked).toEqual({ text: 'and now?', context: undefined });
  // So the hook answers.
  expect(mark).toBe('');
});

test('a mod that is loaded anew takes away the mark of the one before, where it has no answer', async () => {
  const { host } = await start();
  await host.begin();
  host.env.SCRATCHPAD_ANSWERED = 'by 1';
  host.server = undefined;
  host.hasProgram = false;
  await host.submit('go on');
  expect(host.env.SCRATCHPAD_ANSWERED).toBe('');
});

test('what the mod was told reaches the model, also where the mark cannot be set', async () => {
  const { host } = await start();
  await host.begin();
  Object.freeze(host.env);
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);
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

test('over its socket: a mod that gives up, a silent client and a broken request do not end the server', async () => {
  const { cwd, env } = await start();
  const server = new ResidentHooks(env, cwd, []);
  const { gone } = serveHooks({ ...env, SCRATCHPAD_KEPT_BY: '' }, server);
  const socketPath = getSocketPath(findSocketFolder(env) ?? '', process.ppid);
  const post = (body: string, path: string): Promise<string> =>
    new Promise((answered) => {
      const asked = request({ socketPath, path, method: 'POST' }, async (response) => {
        answered(Buffer.concat(await response.toArray()).toString());
      });
      asked.on('error', ({ message }) => answered(message)).end(body);
    });

  const silent = connect(socketPath);
  silent.end();
  await once(silent, 'close');

  const cut = connect(socketPath, () => cut.end('POST /hook HTTP/1.1\r\nContent-Length: 100\r\n\r\n{'));
  cut.resume();
  await once(cut, 'close');

  expect(await post('no JSON', '/hook')).toBe('{}');
  const pane = JSON.parse(await post(JSON.stringify({ session_id: 's1', cwd }), '/pane')) as {
    steps: unknown[];
  };
  expect(pane.steps).toHaveLength(2);
  gone();
});

test('where the path of the state folder is too long for a socket, the server listens below /tmp and tells the mod', async () => {
  const { env, host, server } = await start({}, join(testDir(), 'a'.repeat(100)));
  const { note, gone } = serveHooks({ ...env, SCRATCHPAD_KEPT_BY: `${process.pid} 1` }, server);
  await host.begin();
  // Without the note a process answers.
  expect((await host.submit('go on')).context).toEqual([expect.stringContaining('Find the leak')]);
  expect(host.sockets).toEqual([]);
  note();
  await host.submit('and now?');
  const [path = ''] = host.sockets;
  expect(path).toMatch(/^\/tmp\/scratchpad-\w+\/1\.sock$/);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  const client = connect(path);
  await once(client, 'connect');
  client.destroy();
  gone();
  rmSync(dirname(path), { recursive: true });
});

test('in the pane a step is ticked and taken back, a note is written, an entry opened, a change undone', async () => {
  const { cwd, env } = await start();
  await runWarm(['entry', 'write', 'log', '-'], { cwd, env, input: 'all of it' });
  const server = new ResidentHooks(env, cwd, []);
  const pane = (act: object = {}) => server.answerPane({ session_id: 's1', cwd, ...act });
  const done = async () => (await pane()).steps.map((step) => step.done);

  await pane({ act: 'tick', step: 1 });
  expect(await done()).toEqual([true, false]);
  await pane({ act: 'tick', step: 1 });
  expect(await done()).toEqual([false, false]);
  expect((await pane({ act: 'tick', step: 9 })).message).toContain('no step 9');
  expect((await pane({ act: 'tick' })).message).toContain('no step was named');
  expect((await pane({ act: 'note', text: 'found in the pool' })).notes).toEqual(['found in the pool']);
  expect((await pane({ act: 'undo' })).notes).toEqual([]);
  expect((await runWarm(['history'], { cwd, env })).stdout).toMatch(
    /notes +append .*the pane .*\n.* plan +undone .*the pane /,
  );
  // Whoever posts to the socket may take back no more than the session's own changes and a person's.
  const other = { ...env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's2' };
  await runWarm(['notes', 'add', 'of another session'], { cwd, env: other });
  expect((await pane({ act: 'undo' })).notes).toEqual(['of another session']);
  expect((await pane({ act: 'entry', name: 'log' })).entry).toEqual({ name: 'log', text: 'all of it' });
  expect((await pane({ act: 'entry', name: 'nope' })).message).toContain('no entry has that name');
});
