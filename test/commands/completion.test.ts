import { execa } from 'execa';
import { expect, test } from 'vitest';
import { minimalEnv, runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

/** The words that a shell is offered after a line. */
async function offered(cwd: string, ...line: string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await runCli(['complete', '--', ...line], { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((each) => each.split('\t')[0] ?? '');
}

test('commands, subcommands and options come from the declarations', async () => {
  const cwd = testDir();
  expect(await offered(cwd, 'pl')).toEqual(['plan']);
  expect(await offered(cwd, 'plan', 'do')).toEqual(['done']);
  expect(await offered(cwd, 'entry', 'read', '--re')).toEqual(['--regex']);
});

test('names come from the workspace, and none of a broken one is an error', async () => {
  const cwd = testDir();
  await runCli(['plan', 'set', '1. Find the leak\n2. Test'], { cwd });
  await runCli(['entry', 'write', 'build log', 'text'], { cwd });
  await runCli(['refs', 'add', 'src/a.ts'], { cwd });
  expect(await offered(cwd, 'plan', 'done', '')).toEqual(['1', '2']);
  expect(await offered(cwd, 'entry', 'read', 'bu')).toEqual(['build log']);
  expect(await offered(cwd, 'refs', 'remove', '')).toEqual(['src/a.ts']);
  expect(await offered(cwd, 'session', 'fork', '')).toEqual(['main']);
  expect(await offered(cwd, 'tool', 'read_n')).toEqual(['read_notepad']);
  expect(await offered(testDir(), 'entry', 'read', '')).toEqual([]);
});

test('the script for bash is one that bash can read', async () => {
  const { stdout } = await runCli(['completion', 'bash'], { cwd: testDir() });
  expect(stdout).toContain('complete -F __scratchpad_complete scratchpad');
  const { exitCode, stderr } = await execa('bash', ['-n'], {
    input: stdout,
    reject: false,
    env: minimalEnv(),
  });
  expect([exitCode, stderr]).toEqual([0, '']);
});

test('an unknown shell is wrong usage', async () => {
  const { exitCode, stderr } = await runCli(['completion', 'csh'], { cwd: testDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('zsh, bash, fish');
});
