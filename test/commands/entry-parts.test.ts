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
  expect(stdout).toBe('deleted: log\nrestore with: scratchpad entry undelete "log"\n');
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
