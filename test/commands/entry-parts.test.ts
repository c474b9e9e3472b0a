import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test.each([
  [['--tail', '1'], '€ three'],
  [['--tail', '2'], 'two\n€ three'],
  [['--tail', '9'], 'one\ntwo\n€ three'],
  [['--offset', '8'], '€ three'],
  [['--tail', '1', '--regex', 'o'], ''],
])('entry read %j', async (options, expected) => {
  const cwd = testDir();
  await runWarm(['--init', 'entry', 'write', 'log', 'one\ntwo\n€ three'], { cwd });
  expect((await runWarm(['entry', 'read', 'log', ...options], { cwd })).stdout).toBe(expected);
  const ended = await runWarm(['entry', 'write', 'log', '-'], { cwd, input: 'a\n\n' });
  expect(ended.exitCode).toBe(0);
  expect((await runWarm(['entry', 'read', 'log', '--tail', '1'], { cwd })).stdout).toBe('\n');
  expect((await runWarm(['entry', 'read', 'log', '--tail', '2'], { cwd })).stdout).toBe('a\n\n');
  expect((await runWarm(['entry', 'read', 'log', '--tail', '0'], { cwd })).exitCode).toBe(2);
});

test('undo is for the spaces, and its help names what brings an entry back', async () => {
  const cwd = testDir();
  const run = (...args: string[]) => runWarm(args, { cwd });
  await run('--init', 'notes', 'add', 'x');
  await run('entry', 'write', 'build log', 'one');
  await run('rm', 'build log');
  const undone = await run('undo');
  expect(undone.stdout).toMatch(/^undid revision 1/);
  expect((await run('undo', '--help')).stdout).toContain('entry undelete');
});

test('an entry that is named twice is deleted once', async () => {
  const cwd = testDir();
  await runWarm(['--init', 'entry', 'write', 'log', 'one'], { cwd });
  const { exitCode, stdout, stderr } = await runWarm(['rm', 'log', 'log'], { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe('deleted: log\nrestore with: scratchpad entry undelete log\n');
});

test('none of several entries is deleted if one of them is lent', async () => {
  const cwd = testDir();
  const run = (...args: string[]) => runWarm(args, { cwd });
  await run('--init', 'entry', 'write', 'log', 'one');
  await run('session', 'spawn', 'main', 'kid', '--inherit', 'log');
  await run('entry', 'write', 'mine', 'two', '-s', 'kid');
  const refused = await run('-s', 'kid', 'entry', 'delete', 'mine', 'log');
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('nothing was changed')]);
  expect((await run('entry', 'read', 'mine', '-s', 'kid')).stdout).toBe('two');
});

test.each(['z$HOME', 'a`id`', "it's", '-x', 'my log'])(
  'what restores the entry %s is a line that a shell passes on as it is',
  async (name) => {
    const cwd = testDir();
    await runWarm(['--init', '-s', 'kid', 'entry', 'write', 'other', 'x'], { cwd });
    await runWarm(['-s', 'kid', 'entry', 'write', '--', name, 'one'], { cwd });
    const { stdout } = await runWarm(['-s', 'kid', 'entry', 'delete', '--', name], { cwd });
    const line = /^restore with: scratchpad (.*)$/m.exec(stdout)?.[1] ?? '';
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' }).trimEnd();
    expect((await runWarm(words.split('\n'), { cwd })).exitCode).toBe(0);
    expect((await runWarm(['entry', 'read', '-s', 'kid', '--', name], { cwd })).stdout).toBe('one');
  },
);

test.each([
  [['read', 'log', '--offset', '1', '--tail', '1'], '--offset and --tail'],
  [['read', 'log', '-C', '2'], '--context'],
  [['edit', 'log', '--content', 'x', '--all'], 'an edit takes'],
])('entry %j is refused: one of its options has no effect', async (args, message) => {
  const cwd = testDir();
  await runWarm(['--init', 'entry', 'write', 'log', 'one\ntwo'], { cwd });
  const { exitCode, stdout, stderr } = await runWarm(['entry', ...args], { cwd });
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

test.each([[['--offset', '5']], [['--limit', '2']], [['--regex', 'o']], [['--tail', '1']]])(
  'entry read --raw %j is refused, since it prints all',
  async (part) => {
    const cwd = testDir();
    await runWarm(['--init', 'entry', 'write', 'log', 'one\ntwo'], { cwd });
    const { exitCode, stdout, stderr } = await runWarm(['entry', 'read', 'log', '--raw', ...part], { cwd });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--raw prints all of an entry');
    expect((await runWarm(['entry', 'read', 'log', '--raw'], { cwd })).stdout).toBe('one\ntwo');
  },
);
