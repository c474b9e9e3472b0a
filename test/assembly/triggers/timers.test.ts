import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
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

  test.each([
    'calendar.ics',
    'TODO.md',
    'USER.md',
    'memory/2026-02-06.md',
    '.scratchpad/config.yaml',
    'moved.ics',
  ])('--if-stale: a newer %s makes the block stale', async (name) => {
    const config = 'alerts: {calendars: [calendar.ics, moved.ics]}\n';
    const cwd = testDir({ 'MEMORY.md': '- one\n', 'memory/': '', '.scratchpad/config.yaml': config });
    const assemble = async () =>
      JSON.parse((await runWarm(['assemble', '--if-stale', '--json'], { cwd })).stdout).written;
    expect(await assemble()).toBe(true);
    expect(await assemble()).toBe(false);
    writeFileSync(join(cwd, 'src.md'), 'nobody waits for it');
    expect(await assemble()).toBe(false);
    if (name === 'moved.ics') {
      const old = join(cwd, 'old.ics');
      writeFileSync(old, '');
      utimesSync(old, 1, 1);
      renameSync(old, join(cwd, name));
    } else writeFileSync(join(cwd, name), config);
    expect(await assemble()).toBe(true);
    expect(await assemble()).toBe(false);
  });

  test('without a conversation, keeps what the last assembly read from one until that is stale', async () => {
    const cwd = testDir({ 'MEMORY.md': '- one\n' });
    const pad = (): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
    const assemble = (minute: string, ...args: string[]) =>
      runWarm(['assemble', ...args, '--now', `2026-02-06T01:${minute}:00Z`], { cwd });
    const messages = [{ role: 'user', content: 'this is the third time the cart export is broken, ffs' }];
    writeFileSync(join(cwd, 'messages.json'), JSON.stringify(messages));
    await assemble('00', '-m', 'messages.json');
    const read = /frustrated[\s\S]*Response Strategy[\s\S]*(?:Last topic|Working on): .*cart export/;
    expect(pad()).toMatch(read);
    await runWarm(['plan', 'set', '1. Ship it'], { cwd });

    for (const minute of ['10', '20', '29']) {
      await assemble(minute, '--quiet', '--trigger', 'cron');
      expect(pad()).toMatch(read);
      expect(pad()).toContain('- Working on: Ship it');
      expect(pad().match(/Last topic/g)).toHaveLength(1);
    }
    await assemble('31');
    expect(pad()).not.toMatch(/frustrated|Response Strategy|cart export/);
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
