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

test('memory that the system does not give is said in words', () => {
  for (const message of ['WebAssembly.instantiate(): Out of memory', 'Array buffer allocation failed'])
    expect(wrapError(new RangeError(message), {}).explain()).toContain('not enough memory');
});
