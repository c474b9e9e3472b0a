import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** What timers ask of `assemble`. */
describe('assemble for a timer', () => {
  test('--if-stale leaves a fresh block as it is', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const args = ['assemble', '--if-stale', '--now'];
    expect((await runWarm([...args, '2026-02-06T01:00:00Z'], { cwd })).stdout).toContain('fresh until');
    const before = readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
    const again = await runWarm([...args, '2026-02-06T01:29:00Z'], { cwd });
    expect(again.stdout).toContain('fresh, 29 min old: left as it is');
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toBe(before);
    const { stdout } = await runWarm([...args, '2026-02-06T01:29:00Z', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ written: false, ageMs: 29 * 60_000 });
    await runWarm([...args, '2026-02-06T01:31:00Z'], { cwd });
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('Updated: 2026-02-06T01:31:00');
  });

  test('--no-reply prints the one word, whatever else is asked for', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    for (const more of [[], ['--json'], ['--if-stale'], ['--explain']]) {
      const done = await runWarm(['assemble', '--no-reply', '--quiet', ...more], { cwd });
      expect(done).toEqual({ stdout: 'NO_REPLY\n', stderr: '', exitCode: 0 });
    }
  });

  test('--trigger: status names the timer, and its last run', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n', '.scratchpad/': '' });
    const run = ['assemble', '--quiet', '--trigger', 'cron'];
    await runWarm(run, { cwd });
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/^trigger: +cron, \d+ s ago: \d+ tokens/m);
    rmSync(join(cwd, 'SCRATCHPAD.md'));
    mkdirSync(join(cwd, 'SCRATCHPAD.md'));
    expect((await runWarm(run, { cwd })).exitCode).toBe(3);
    rmSync(join(cwd, 'SCRATCHPAD.md'), { recursive: true });
    expect((await runWarm(['status'], { cwd })).stdout).toMatch(/^trigger: .*a directory/m);
  });
});
