import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runUserCommand } from '../../../src/config/runner.ts';
import { testDir } from '../../helpers/test-dir.ts';

const cwd = testDir();
const sh = (line: string, more: { timeoutMs?: number; maxOutput?: number; input?: string } = {}) =>
  runUserCommand({ command: 'sh', args: ['-c', line], cwd, input: '', timeoutMs: 20_000, ...more });

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+Z/m.test(readStatus(pid));
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

describe('a command of the user', () => {
  test('reads its input and gives its output', async () => {
    const input = JSON.stringify({ words: 'ü'.repeat(200_000) });
    const result = await runUserCommand({
      command: 'cat',
      cwd,
      input,
      timeoutMs: 20_000,
      maxOutput: 1_000_000,
    });
    expect(result).toEqual({ stdout: input, stderr: '', exitCode: 0, timedOut: false, flooded: false });
  });

  test('need not read its input', async () => {
    expect(await sh('exit 0', { input: 'x'.repeat(2_000_000) })).toMatchObject({ exitCode: 0 });
  });

  test('is given its arguments as they are, by no shell', async () => {
    const args = ['%s|', 'a b', '$HOME', '`id`', '"', "'", '--', ''];
    const { stdout } = await runUserCommand({ command: 'printf', args, cwd, input: '', timeoutMs: 20_000 });
    expect(stdout).toBe('a b|$HOME|`id`|"|\'|--||');
  });

  test('reports its exit code, and the end of its stderr', async () => {
    expect(await sh('echo first; echo broken >&2; exit 3')).toMatchObject({
      stdout: 'first\n',
      stderr: 'broken',
      exitCode: 3,
    });
  });

  test('that is missing or not executable gives an exit code as in a shell', async () => {
    const missing = { cwd, args: [], input: '', timeoutMs: 20_000 };
    expect(await runUserCommand({ ...missing, command: 'no-such-program' })).toMatchObject({ exitCode: 127 });
    expect(
      await runUserCommand({ ...missing, command: join(import.meta.dirname, 'user-command.test.ts') }),
    ).toMatchObject({ exitCode: 126 });
  });

  test('that hangs is ended with all that it has started', async () => {
    const { stdout, timedOut, exitCode } = await sh('sleep 300 & echo $!; echo $$; trap "" TERM; sleep 300', {
      timeoutMs: 400,
    });
    expect({ timedOut, exitCode }).toEqual({ timedOut: true, exitCode: null });
    const pids = stdout.trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
  });

  test('leaves nothing running behind it', async () => {
    const { stdout, exitCode } = await sh('sleep 300 & echo $!');
    expect(exitCode).toBe(0);
    await expect.poll(() => isRunning(Number(stdout)), { timeout: 5000 }).toBe(false);
  });

  test('that prints too much is cut and killed', async () => {
    const { stdout, flooded, exitCode } = await sh('yes', { maxOutput: 1000 });
    expect({ length: stdout.length, flooded, exitCode }).toEqual({
      length: 1000,
      flooded: true,
      exitCode: null,
    });
  });

  test('can be cancelled', async () => {
    const stop = new AbortController();
    const run = runUserCommand({
      command: 'sleep',
      args: ['300'],
      cwd,
      input: '',
      timeoutMs: 60_000,
      signal: stop.signal,
    });
    stop.abort();
    expect(await run).toMatchObject({ exitCode: null, timedOut: false });
  });

  test('in a missing folder fails without throwing', async () => {
    const gone = { command: 'ls', cwd: join(cwd, 'gone'), input: '', timeoutMs: 20_000 };
    expect(await runUserCommand(gone)).toMatchObject({ exitCode: 127, stdout: '' });
  });
});
