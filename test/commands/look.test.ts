import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
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

/** The first frame of `top` in a terminal of this size. */
async function screenOf(cwd: string, columns: number, rows: number): Promise<string[]> {
  const program = join(import.meta.dirname, '../../bin/scratchpad.js');
  const line = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' '${program}' top`;
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    '(sleep 2; printf q; sleep 1) | script -qec "$1" /dev/null',
    'sh',
    `cd '${cwd}'; ${line}`,
  ]);
  const [frame = ''] = stdout.split('\u001b[?2026l');
  return stripVTControlCharacters(frame).trimEnd().split(/\r?\n/);
}

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasScript)(
  'top in a terminal: the plan first, all of it within the screen',
  async () => {
    const cwd = testDir();
    await runWarm(
      ['plan', 'set', '1. ~~Coupon type~~ DONE\n2. Apply coupons in the total of the cart\n3. Docs'],
      { cwd },
    );
    for (let k = 1; k <= 6; k++)
      await runWarm(['notes', 'add', `Note ${k}: a percentage coupon is applied after the fixed ones`], {
        cwd,
      });
    const usual = await screenOf(cwd, 80, 24);
    expect(usual.length).toBeLessThan(24);
    expect(usual.slice(0, 6)).toEqual([
      'SCRATCHPAD.md   session main',
      '',
      'Plan: 1 of 3 done',
      'x 1. Coupon type',
      '> 2. Apply coupons in the total of the cart',
      '  3. Docs',
    ]);
    expect(usual).toContain('  Note 6: a percentage coupon is applied after the fixed ones');
    expect(usual).toContain('Changes:');
    expect(usual.at(-1)).toBe('q quits');
    const small = await screenOf(cwd, 30, 6);
    expect(small).toEqual([
      'Plan: 1 of 3 done',
      'x 1. Coupon type',
      '> 2. Apply coupons in the',
      '     total of the cart',
      '  3. Docs',
    ]);
    expect(await screenOf(cwd, 30, 3)).toEqual(['Plan: 1 of 3 done', '> 2. Apply coupons in the']);
  },
  30_000,
);
