import { expect, test } from 'vitest';
import { wrapError } from '../../src/commands/print.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('line: the step and how far, nothing where there is no pad', async () => {
  const cwd = testDir();
  expect(await runWarm(['line'], { cwd })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  await runWarm(['plan', 'set', '1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Ship'], { cwd });
  expect((await runWarm(['line'], { cwd })).stdout).toBe('1/3 · Add test\n');
  await runWarm(['notes', 'set', 'n'.repeat(3800)], { cwd });
  expect((await runWarm(['line'], { cwd })).stdout).toBe('1/3 · Add test · notes 95 %\n');
  const coloured = await runCli(['line'], { cwd, env: { FORCE_COLOR: '1' } });
  expect(coloured.stdout).toContain('\u001b[1m1/3\u001b[22m');
});

test('check: a block from before a change of the plan is not fresh', async () => {
  const cwd = testDir({ 'talk.jsonl': '{"role":"user","content":"hello there"}\n' });
  const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
  await runWarm(['plan', 'set', '1. Ship', '--now', ago(60)], { cwd });
  await runWarm(['assemble', '-t', 'talk.jsonl', '--now', ago(30)], { cwd });
  await runWarm(['notes', 'add', 'no task'], { cwd });
  expect(await runWarm(['check'], { cwd })).toMatchObject({ exitCode: 0 });
  await runWarm(['plan', 'add', 'send stats, due 2026-11-30'], { cwd });
  const { stdout, exitCode } = await runWarm(['check'], { cwd });
  expect(stdout).toMatch(/^stale: .*, the plan is newer; run: scratchpad assemble/);
  expect(exitCode).toBe(4);
});

test('memory that the system does not give is said in words', () => {
  for (const message of ['WebAssembly.instantiate(): Out of memory', 'Array buffer allocation failed'])
    expect(wrapError(new RangeError(message), {}).explain()).toContain('not enough memory');
});
