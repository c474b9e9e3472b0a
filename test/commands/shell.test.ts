import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('a bare `todo` in a loop prints the plan and leaves the lines to the loop', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Collect the figures'], { cwd });
  for (const word of ['todo', 'note', 'ref']) {
    const done = await runWarm([word], { cwd, input: 'a line of the loop\n' });
    expect(done.stdout).not.toContain('a line');
    expect(done.exitCode).toBe(0);
  }
  expect((await runWarm(['todo', '-'], { cwd, input: 'from stdin\n' })).stdout).toMatch(
    /^added: 2\. from stdin\n/,
  );
});

test('history and diff say which changes are those of another plan', async () => {
  const cwd = testRepository();
  await runWarm(['init'], { cwd });
  await runWarm(['plan', 'set', '1. Of the first branch'], { cwd });
  git(cwd, 'checkout', '-q', '-b', 'early');
  await runWarm(['plan', 'set', '1. Of the second'], { cwd });
  await runWarm(['note', 'of both'], { cwd });
  const history = await runWarm(['history'], { cwd });
  expect(history.stderr).toMatch(/not shown: 1 change of other plans/);
  git(cwd, 'checkout', '-q', '-');
  const first = await runWarm(['diff', '1', '2'], { cwd });
  expect(`${first.stdout}${first.stderr}`).toMatch(/revision 2 changed plan 2 of .*early/);
});

test('cat gives a pipe the whole entry, and takes the options of `entry read`', async () => {
  const cwd = testDir();
  const long = `${'x'.repeat(99)}\n`.repeat(400);
  await runWarm(['entry', 'write', 'long', '-'], { cwd, input: long });
  expect(await runWarm(['cat', 'long'], { cwd })).toMatchObject({ stdout: long, stderr: '' });
  expect((await runWarm(['cat', 'long', '--limit', '9'], { cwd })).stdout).toBe('xxxxxxxxx');
  // What an agent reads goes into its context window.
  const agent = await runWarm(['show', 'long'], { cwd, env: { CLAUDECODE: '1' } });
  expect(agent.stdout).toHaveLength(30_000);
});

test('run keeps the exit code of its command where the output cannot be kept', async () => {
  const cwd = testDir();
  const spoil = 'mkdir -p .scratchpad/sessions/main/entries/index.json; seq 1 20000; exit 5';
  const done = await runWarm(['run', 'sh', '-c', spoil], { cwd });
  expect(done.exitCode).toBe(5);
  expect(done.stderr).toContain('the command has run (exit 5), but its output could not be stored');
  expect(done.stderr).not.toContain('free space');
});

test('without an editor nothing is left behind', async () => {
  const cwd = testDir();
  await runWarm(['note', 'x'], { cwd });
  const done = await runWarm(['edit', 'notes'], { cwd, env: { EDITOR: '', VISUAL: '' } });
  expect(done.stderr).toMatch(/no editor is configured/);
  expect(done.stderr).not.toContain('your text is still');
  expect(existsSync(join(cwd, '.scratchpad/sessions/main/drafts'))).toBe(false);
});

test('ls marks the step that is next, in JSON as in text', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. a\n2. b'], { cwd });
  await runWarm(['done', '1'], { cwd });
  expect(JSON.parse((await runWarm(['ls', '--json'], { cwd })).stdout).next).toBe(2);
  expect((await runWarm(['ls'], { cwd })).stdout).toMatch(/^> 2\. b/m);
});

test('check --quiet prints nothing', async () => {
  const cwd = testDir();
  await runWarm(['note', 'x'], { cwd });
  expect(await runWarm(['check', '--quiet'], { cwd })).toEqual({ stdout: '', stderr: '', exitCode: 4 });
});

test('a session that was made before is not said to start', async () => {
  const cwd = testDir();
  await runWarm(['note', 'x'], { cwd });
  await runWarm(['session', 'spawn', 'main', 'sub-1'], { cwd });
  expect((await runWarm(['-s', 'sub-1', 'note', 'y'], { cwd })).stderr).not.toContain('starts');
  expect((await runWarm(['-s', 'sub-2', '--init', 'note', 'y'], { cwd })).stderr).toContain(
    'this starts session sub-2',
  );
});

test('a step that comes struck through is said to be done', async () => {
  const cwd = testDir();
  const done = await runWarm(['todo', '~~Call the bank~~ DONE'], { cwd });
  expect(done.stdout).toMatch(/^added: 1\. ~~Call the bank~~ DONE\n/);
});

test.each([
  [['show', ''], 'notes'],
  [['cat', 'lo'], 'long'],
  [['todo', ''], 'done'],
  [['help', 'pl'], 'plan'],
  [['-s', ''], 'main'],
  [['config', 'set', 'time'], 'timezone'],
])('completion of %j offers %s', async (words, offered) => {
  const cwd = testDir();
  await runWarm(['entry', 'write', 'long', 'x'], { cwd });
  const done = await runWarm(['complete', '--', ...words], { cwd });
  expect(done.stdout.split('\n').map((line) => line.split('\t')[0])).toContain(offered);
});

test('a file is found again that was named in a folder below the workspace', async () => {
  const cwd = testRepository();
  await runWarm(['init'], { cwd });
  const below = join(cwd, 'src/deep');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, 'a.ts'), '');
  writeFileSync(join(cwd, 'top.ts'), '');
  for (const ref of [
    'a.ts',
    './a.ts:12',
    '../deep/a.ts - the parser',
    'top.ts',
    'JIRA-12',
    'https://x.org/a',
  ])
    await runWarm(['refs', 'add', ref], { cwd: below });
  expect((await runWarm(['refs'], { cwd })).stdout.split('\n')).toEqual([
    'src/deep/a.ts',
    'src/deep/a.ts:12',
    'src/deep/a.ts - the parser',
    'top.ts',
    'JIRA-12',
    'https://x.org/a',
    '',
  ]);
});

test('undo names the newer change of another plan that it passes over', async () => {
  const cwd = testRepository();
  await runWarm(['init'], { cwd });
  await runWarm(['plan', 'set', '1. Of the first branch'], { cwd });
  git(cwd, 'checkout', '-q', '-b', 'early');
  await runWarm(['plan', 'set', '1. Of the second'], { cwd });
  git(cwd, 'checkout', '-q', '-');
  const { stdout, stderr } = await runWarm(['undo'], { cwd });
  expect(stdout).toMatch(/^undid revision 1: plan set/);
  expect(stderr).toContain('revision 2, of plan 2 of early, is newer and stays as it is');
  git(cwd, 'checkout', '-q', 'early');
  expect((await runWarm(['plan'], { cwd })).stdout).toBe('1. Of the second\n');
});

test('a script that reads a folder without a pad is told so', async () => {
  const { stdout, stderr, exitCode } = await runWarm(['notes', '--json'], { cwd: testDir() });
  expect(JSON.parse(stdout).content).toBe('');
  expect(stderr).toContain('there is no scratchpad here');
  expect(exitCode).toBe(0);
});
