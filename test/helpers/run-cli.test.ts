import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';
import { testDir } from './test-dir.ts';

test('a first write makes the pad, a second process reads it', async () => {
  const cwd = testDir();
  const first = await runCli(['notes', 'append', '-'], { cwd, input: 'from stdin\n' });
  expect(first).toEqual({
    stdout: 'added: from stdin\nnotes: 10 of 4,000 characters\n',
    stderr: '',
    exitCode: 0,
  });
  const second = await runCli(['notes', 'show'], { cwd });
  expect(second).toEqual({ stdout: 'from stdin\n', stderr: '', exitCode: 0 });
});

test('a refusal is exit code 1 and says so on stderr only', async () => {
  const { stdout, stderr, exitCode } = await runCli(['refs', 'remove', 'nowhere'], { cwd: testDir() });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain('refs is empty');
});
