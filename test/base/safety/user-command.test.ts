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
    const run = runUserCommand({ command: 'cat', cwd, input, timeoutMs: 20_000, maxOutput: 1_000_000 });
    expect(await run).toBe(input);
  });

  test('need not read its input', async () => {
    expect(await sh('exit 0', { input: 'x'.repeat(2_000_000) })).toBe('');
  });

  test('is given its arguments as they are, by no shell', async () => {
    const args = ['%s|', 'a b', '$HOME', '`id`', '"', "'", '--', ''];
    const run = runUserCommand({ command: 'printf', args, cwd, input: '', timeoutMs: 20_000 });
    expect(await run).toBe('a b|$HOME|`id`|"|\'|--||');
  });

  test('reports its exit code, and the end of its stderr', async () => {
    await expect(sh('echo first; echo broken >&2; exit 3')).rejects.toThrow('exit code 3: broken');
  });

  test('that is missing or not executable gives an exit code as in a shell', async () => {
    const missing = { cwd, args: [], input: '', timeoutMs: 20_000 };
    await expect(runUserCommand({ ...missing, command: 'no-such-program' })).rejects.toThrow('code 127');
    const command = join(import.meta.dirname, 'user-command.test.ts');
    await expect(runUserCommand({ ...missing, command })).rejects.toThrow('exit code 126');
  });

  test('that hangs is ended with all that it has started', async () => {
    const line = 'sleep 300 & echo $! > pids; echo $$ >> pids; trap "" TERM; sleep 300';
    await expect(sh(line, { timeoutMs: 1000 })).rejects.toThrow('no answer within 1000 ms');
    const pids = readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
  });

  test('leaves nothing running behind it', async () => {
    const pid = Number(await sh('sleep 300 & echo $!'));
    await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
  });

  test('that prints too much is killed', async () => {
    await expect(sh('yes', { maxOutput: 1000 })).rejects.toThrow('printed too much');
  });

  test('can be cancelled', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const run = runUserCommand({
      command: 'sleep',
      args: ['300'],
      cwd,
      input: '',
      timeoutMs: 60_000,
      signal,
    });
    stop.abort();
    await expect(run).rejects.toThrow('killed');
  });

  test('in a missing folder fails', async () => {
    const gone = { command: 'ls', cwd: join(cwd, 'gone'), input: '', timeoutMs: 20_000 };
    await expect(runUserCommand(gone)).rejects.toThrow('exit code 127');
  });
});
