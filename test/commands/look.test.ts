import { execa } from 'execa';
import { expect, test } from 'vitest';
import { asFailure } from '../../src/commands/print.ts';
import { minimalEnv, PROGRAM, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('line: the step and how far, nothing where there is no pad, the directory that a host names', async () => {
  const cwd = testDir();
  const elsewhere = testDir();
  expect(await runWarm(['line'], { cwd })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  await runWarm(['plan', 'set', '1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Ship'], { cwd });
  expect((await runWarm(['line'], { cwd })).stdout).toBe('1/3 · Add test\n');
  await runWarm(['notes', 'set', 'n'.repeat(3800)], { cwd });
  expect((await runWarm(['line'], { cwd })).stdout).toBe('1/3 · Add test · notes 95 %\n');
  const input = JSON.stringify({ session_id: 's', cwd: elsewhere, workspace: { current_dir: cwd } });
  expect((await runWarm(['line', '--stdin'], { cwd: elsewhere, input })).stdout).toContain('1/3 · Add test');
  expect((await runWarm(['line', '--stdin'], { cwd: elsewhere, input: 'no JSON' })).stdout).toBe('');
  const coloured = await runCli(['line'], { cwd, env: { FORCE_COLOR: '1' } });
  expect(coloured.stdout).toContain('\u001b[1m1/3\u001b[22m');
});

test('line does not wait for a host that sends nothing', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. a'], { cwd });
  const child = execa(process.execPath, [PROGRAM, 'line', '--stdin'], {
    cwd,
    env: minimalEnv(),
    extendEnv: false,
    stdin: 'pipe',
    timeout: 15_000,
    reject: false,
  });
  const { stdout, timedOut } = await child;
  expect([timedOut, stdout]).toEqual([false, expect.stringContaining('0/1')]);
});

test('memory that the system does not give is said in words', () => {
  for (const message of ['WebAssembly.instantiate(): Out of memory', 'Array buffer allocation failed'])
    expect(asFailure(new RangeError(message), {}).explain()).toContain('not enough memory');
});
