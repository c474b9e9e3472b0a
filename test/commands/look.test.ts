import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
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

test('top, where stdout is no terminal: once, with the last changes', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Fix auth bug\n2. Add test'], { cwd });
  await runWarm(['notes', 'add', 'Root cause: timezone'], { cwd });
  const { stdout, exitCode } = await runCli(['top'], { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^SCRATCHPAD\.md {3}session main\n\nPlan: 0 of 2 done\n> 1\. Fix auth bug\n/);
  expect(stdout).toMatch(/\nChanges:\n {2}\S+ \S+ {2}notes append \(command\) {2}\+ Root cause: timezone\n/);
  const none = await runCli(['top', '-w', testDir()], { cwd: join(cwd) });
  expect([none.exitCode, none.stdout]).toEqual([1, '']);
});
