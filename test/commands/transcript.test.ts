import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { fixture } from '../transcript/fixture.ts';

describe('transcript show', () => {
  test('--json prints one message per line on stdout, the counts on stderr', async () => {
    const { stdout, stderr, exitCode } = await runWarm(
      ['transcript', 'show', fixture('codex.jsonl'), '--json'],
      { cwd: testDir() },
    );
    expect(exitCode).toBe(0);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(messages).toHaveLength(9);
    expect(messages[0]).toEqual({
      id: expect.stringMatching(/^@\d+$/),
      role: 'user',
      content: 'Why is the build red?',
      timestamp: expect.stringMatching(/^2026-03-01T09:00:01/),
      session: '019a0000-0000-7000-8000-000000000001',
    });
    expect(stderr).toContain('gpt-6-codex: 9 messages');
    expect(stderr).toContain('skipped:');
  });

  test('what is hostile in a message does not reach the terminal', async () => {
    const input = JSON.stringify([
      { role: 'user', content: 'red \u001b[31malert\u001b[0m\u0007\nsecond line' },
    ]);
    const { stdout } = await runWarm(['transcript', 'show', '-'], { cwd: testDir(), input });
    expect(stdout).toContain('red alert\n');
    expect(stdout).toContain('  second line');
    expect(stdout).not.toContain('\u001b');
  });

  test('without a file it takes the session that was active last, with --session the one that is named', async () => {
    const line = (text: string, minute: number): string =>
      `${JSON.stringify({ role: 'user', content: text, timestamp: `2026-02-06T03:0${minute}:00Z` })}\n`;
    const cwd = testDir({
      'SCRATCHPAD.md': '',
      '.scratchpad/config.yaml': 'transcript: {paths: [sessions]}\n',
      'sessions/old.jsonl': line('old', 1),
      'sessions/new.jsonl': line('new', 5),
    });
    const last = await runWarm(['transcript', 'show'], { cwd });
    expect(last.stdout).toBe('2026-02-06 03:05  user: new\n');
    const named = await runWarm(['transcript', 'show', '--session', 'old'], { cwd });
    expect(named.stdout).toBe('2026-02-06 03:01  user: old\n');
    expect((await runWarm(['transcript', 'show', 'old'], { cwd })).stdout).toBe(named.stdout);
    const unknown = await runWarm(['transcript', 'show', 'nobody'], { cwd });
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('nobody')]);
    const missing = await runWarm(['transcript', 'show', '--session', 'nobody'], { cwd });
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('nobody')]);
    const list = await runWarm(['transcript', 'list', '--json'], { cwd });
    expect((JSON.parse(list.stdout) as Array<{ id: string }>).map(({ id }) => id)).toEqual(['new', 'old']);
    expect((await runWarm(['transcript', 'list', '--limit', '1'], { cwd })).stdout).toContain(
      'sessions/new.jsonl',
    );
  });

  test('times are local for people and UTC with --json', async () => {
    const cwd = testDir({
      'SCRATCHPAD.md': '',
      '.scratchpad/config.yaml': 'timezone: Australia/Sydney\ntranscript: {paths: [sessions]}\n',
      'sessions/s.jsonl': `${JSON.stringify({ role: 'user', content: 'hello', timestamp: '2026-02-06T15:05:00Z' })}\n`,
    });
    utimesSync(
      join(cwd, 'sessions/s.jsonl'),
      new Date('2026-02-06T15:05:00Z'),
      new Date('2026-02-06T15:05:00Z'),
    );
    expect((await runWarm(['transcript', 'show'], { cwd })).stdout).toBe('2026-02-07 02:05  user: hello\n');
    expect((await runWarm(['transcript', 'list'], { cwd })).stdout).toMatch(/^2026-02-07 02:05 {2}/);
    const shown = await runWarm(['transcript', 'show', '--json'], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({ timestamp: '2026-02-06T15:05:00.000Z' });
    const listed = await runWarm(['transcript', 'list', '--json'], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ lastActive: '2026-02-06T15:05:00.000Z' }]);
  });

  test('nothing found, bad input, a bad limit', async () => {
    const cwd = testDir({ 'x.txt': 'hello' });
    expect((await runWarm(['transcript', 'show'], { cwd })).exitCode).toBe(1);
    const list = await runWarm(['transcript', 'list'], { cwd });
    expect([list.exitCode, list.stdout, list.stderr]).toEqual([
      0,
      '',
      'no session of this workspace was found\n',
    ]);
    const bad = await runWarm(['transcript', 'show', 'x.txt'], { cwd });
    expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining('found:    hello')]);
    expect((await runWarm(['transcript', 'show', '-', '--limit', '0'], { cwd })).exitCode).toBe(2);
  });
});

describe('session restore and persist', () => {
  test('restore rebuilds the spaces, and undo takes it back', async () => {
    const cwd = testDir({
      's.jsonl': [
        { type: 'session', version: 3, id: 's', cwd: '/w' },
        { type: 'custom', customType: 'openclaw:scratchpad', data: 'from the older key' },
        { type: 'custom', customType: 'openclaw:scratchpad:refs', data: ['a.ts', 'b.ts'] },
      ]
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    });
    await runWarm(['plan', 'set', 'keep me'], { cwd });
    const done = await runWarm(['session', 'restore', '--from', 's.jsonl'], { cwd });
    expect(done.stdout).toBe('notes: 18 of 4,000 characters\nrefs: 2 of 50 items\n');
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('from the older key\n');
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe('keep me\n');
    expect((await runWarm(['refs', 'list'], { cwd })).stdout).toBe('a.ts\nb.ts\n');
    expect((await runWarm(['undo'], { cwd })).exitCode).toBe(0);
    expect((await runWarm(['refs', 'list'], { cwd })).stdout).toBe('');
  });

  test('restore reads a journal of ours, and cuts what is over the limits', async () => {
    const from = testDir();
    await runWarm(['notes', 'set', 'x'.repeat(3000)], { cwd: from });
    const journal = join(from, '.scratchpad/sessions/main/journal.jsonl');
    const cwd = testDir({ '.scratchpad/config.yaml': 'limits: {notes: 100}\n' });
    const done = await runWarm(['session', 'restore', '--from', journal], { cwd });
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringMatching(/^notes: /)]);
  });

  test('restore from a session without entries is refused', async () => {
    const cwd = testDir();
    const done = await runWarm(['session', 'restore', '--from', fixture('pi-v1.jsonl')], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([
      1,
      expect.stringContaining('that session holds no scratchpad'),
    ]);
    expect((await runWarm(['session', 'restore', '--from', 'none'], { cwd })).exitCode).toBe(2);
  });

  test('persist appends to the host’s file and reads back the same', async () => {
    const cwd = testDir();
    const file = join(cwd, 'host.jsonl');
    copyFileSync(fixture('pi-v3-branches.jsonl'), file);
    expect((await runWarm(['session', 'persist', '--to', file], { cwd })).exitCode).toBe(1);
    await runWarm(['notes', 'set', 'mine'], { cwd });
    const done = await runWarm(['session', 'persist', '--to', file, '--json'], { cwd });
    expect(JSON.parse(done.stdout)).toEqual({ written: ['notes'], parentId: 'k2' });
    const last = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '') as object;
    expect(last).toMatchObject({ customType: 'openclaw:scratchpad:notes', data: 'mine', parentId: 'k2' });
    expect((await runWarm(['session', 'persist', '--to', file], { cwd })).stdout).toContain(
      'nothing to write',
    );
    const other = testDir();
    await runWarm(['session', 'restore', '--from', file], { cwd: other });
    expect((await runWarm(['notes', 'show'], { cwd: other })).stdout).toBe('mine\n');
  });
});

test('a line that cannot be read is told of', async () => {
  const chat = [
    '{"role":"user","content":"Fix the quokka"}',
    '{"role":"assi',
    '{"role":"user","content":"Soon"}',
  ];
  const cwd = testDir({ 'chat.jsonl': `${chat.join('\n')}\n` });
  await runWarm(['init'], { cwd });
  const assemble = ['assemble', '--transcript', 'chat.jsonl'];
  const { exitCode, stderr } = await runWarm(assemble, { cwd });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/chat\.jsonl: 1 broken line, ignored\n/);
  writeFileSync(join(cwd, 'chat.jsonl'), `${[...chat, '{{', chat[2]].join('\n')}\n`);
  expect((await runWarm(assemble, { cwd })).stderr).toMatch(/chat\.jsonl: 2 broken lines, ignored\n/);
  expect((await runWarm(['transcript', 'show', 'chat.jsonl'], { cwd })).stderr).toContain('2 broken lines');
});

test('search prints a message of a configured file once', async () => {
  const cwd = testDir({ 'chat.jsonl': '{"role":"user","content":"Fix the quokka"}\n' });
  await runWarm(['init'], { cwd });
  const run = async (...args: string[]) => (await runWarm(args, { cwd })).stdout;
  const found = 'session chat (person): Fix the quokka\n';
  await run('assemble', '--transcript', 'chat.jsonl');
  expect(await run('search', 'quokka')).toBe(found);
  await run('config', 'set', 'transcript.paths', 'chat.jsonl');
  expect(await run('search', 'quokka')).toBe(found);
  await run('config', 'unset', 'transcript.paths');
  expect(await run('search', 'quokka')).toBe(found);
});

test.each([['assemble'], ['status'], ['doctor'], ['transcript', 'list']])(
  '%s %s says in one line that a session of transcript.paths is tracked by git, and not read',
  async (...words) => {
    const cwd = testRepository();
    mkdirSync(join(cwd, 'sessions'));
    const run = (...args: string[]) => runWarm(args, { cwd });
    await run('init');
    await run('config', 'set', 'transcript.paths', 'sessions');
    writeFileSync(join(cwd, 'sessions/a.jsonl'), '{"role":"user","content":"Fix the quokka"}\n');
    const said = async () => {
      const { stdout, stderr } = await run(...words);
      return (stdout + stderr).match(/transcript\.paths: .*/g) ?? [];
    };
    expect(await said()).toEqual([]);
    git(cwd, 'add', 'sessions');
    const line = expect.stringMatching(
      /^transcript.paths: sessions.a.jsonl not read: tracked by git, .*run scratchpad trust$/,
    );
    expect(await said()).toEqual([line]);
    await run('trust');
    expect(await said()).toEqual([]);
  },
);
