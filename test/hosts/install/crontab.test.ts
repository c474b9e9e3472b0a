import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../../helpers/run-warm.ts';
import { StandIns } from '../../helpers/stand-ins.ts';
import { testDir } from '../../helpers/test-dir.ts';

const HARD = 'we ird %d $x \'q\' "z" \\b <&>';

/** A workspace in a folder whose name has every sign that means something to somebody. */
function workspace(name = HARD) {
  const home = testDir();
  const cwd = join(home, name);
  mkdirSync(cwd);
  mkdirSync(join(cwd, 'memory'));
  const stand = new StandIns(home);
  const run = (...args: string[]) => runWarm(args, { cwd, env: stand.env });
  return { home, cwd, stand, run };
}

describe('cron', () => {
  test('a block among other lines; installing twice changes nothing; uninstall restores the crontab', async () => {
    const { run, stand } = workspace();
    const theirs = 'MAILTO=me\n# mine\n0 5 * * 1\ttar c /home # 100\\%';
    stand.crontab = `${theirs}\n`;
    const done = await run('install', 'cron', '--every', '15m', '--yes');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    const [before, block] = [
      stand.crontab.slice(0, theirs.length + 1),
      stand.crontab.slice(theirs.length + 1),
    ];
    expect(before).toBe(`${theirs}\n`);
    expect(block.split('\n')).toEqual([
      expect.stringMatching(/^# >>> scratchpad-we-ird-d-x-q-z-b-\w{8}: keeps the scratchpad of /),
      expect.stringMatching(/^\*\/15 \* \* \* \* .*assemble --quiet --trigger cron .* >\/dev\/null$/),
      expect.stringMatching(/^# <<< scratchpad-we-ird-/),
      '',
    ]);
    const text = stand.crontab;
    expect((await run('install', 'cron', '--every', '15m', '--yes')).stdout).toContain('already installed');
    expect(stand.crontab).toBe(text);
    await run('install', 'cron', '--every', '2h', '--yes');
    expect(stand.crontab).toContain('\n0 */2 * * * ');
    expect(stand.crontab.match(/>>> scratchpad/g)).toHaveLength(1);
    expect((await run('uninstall', 'cron', '--yes')).stdout).toMatch(/^cron: removed from crontab\n/);
    expect(stand.crontab).toBe(`${theirs}\n`);
  });

  test('times of cron, such as active hours; a line that is none is refused', async () => {
    const { run, stand } = workspace();
    const times = '*/10 7-22 * * *';
    await run('install', 'cron', '--cron', times, '--yes');
    expect(stand.crontab).toContain(`\n${times} `);
    for (const wrong of [
      ['install', 'cron', '--cron', 'every 10 minutes'],
      ['install', 'cron', '--cron', '*/10 7-99 * * *'],
      ['install', 'cron', '--cron', '* * * * * *'],
      ['install', 'cron', '--cron', times, '--every', '10m'],
      ['schedule', '--cron', 'often'],
    ]) {
      const { exitCode, stderr } = await run(...wrong, ...(wrong[0] === 'install' ? ['--yes'] : []));
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/cron/)]);
    }
    expect(stand.crontab).toContain(`\n${times} `);
  });

  test('without the program crontab a dry run shows the lines, and nothing is made', async () => {
    const { cwd, stand } = workspace();
    const run = (...args: string[]) => runWarm(args, { cwd, env: { ...stand.env, PATH: testDir() } });
    const shown = await run('install', 'cron', '--dry-run');
    expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(
      /^crontab \(that program was not found: install cron, or use scratchpad schedule\)$/m,
    );
    expect(shown.stdout).toContain(' assemble --quiet --trigger cron ');
    const refused = await run('install', 'cron', '--yes');
    expect([refused.exitCode, refused.stdout]).toEqual([3, '']);
    expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(false);
    expect((await run('uninstall', 'cron')).stdout).toContain('not installed here');
  });

  test('no crontab before, none after', async () => {
    const { run, stand } = workspace();
    await run('install', 'cron', '--yes');
    expect(stand.crontab).toContain('*/10 * * * * ');
    await run('uninstall', 'cron', '--yes');
    expect(stand.crontab).toBeUndefined();
    expect((await run('uninstall', 'cron', '--yes')).stdout).toContain('not installed here');
  });

  test.each([
    ['first', 0],
    ['second', 1],
  ])('two workspaces share a crontab; the %s one goes before the other', async (_, first) => {
    const { home, stand } = workspace();
    const roots = ['a', 'b'].map((name) => join(home, name));
    for (const cwd of roots) {
      mkdirSync(join(cwd, 'memory'), { recursive: true });
      await runWarm(['install', 'cron', '--yes'], { cwd, env: stand.env });
    }
    const order = first === 0 ? roots : [...roots].reverse();
    const [left = '', right = ''] = order;
    await runWarm(['uninstall', 'cron', '--yes'], { cwd: left, env: stand.env });
    expect(stand.crontab).not.toContain(`--workspace ${left} `);
    expect(stand.crontab).toContain(`--workspace ${right} `);
    await runWarm(['uninstall', 'cron', '--yes'], { cwd: right, env: stand.env });
    expect(stand.crontab).toBeUndefined();
  });

  test('the line does what it says when cron passes it to a shell', async () => {
    const { run, stand, cwd, home } = workspace();
    const codex = join(home, 'co dex %');
    await runWarm(['install', 'cron', '--yes'], {
      cwd,
      env: { ...stand.env, CODEX_HOME: codex },
    });
    const line = (stand.crontab ?? '').split('\n')[1] ?? '';
    // crontab(5): the command ends at a percent sign that no backslash protects; the backslash goes.
    const command = line.split(' ').slice(5).join(' ');
    expect(command).not.toMatch(/(?<!\\)%/);
    const shown = command.replaceAll('\\%', '%');
    expect(shown).toContain(`'CODEX_HOME=${codex}'`);
    const bare = { PATH: '/usr/bin:/bin', HOME: home };
    execFileSync('/bin/sh', ['-c', shown], { cwd: home, env: bare });
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('<!-- Updated: ');
    expect((await run('status')).stdout).toMatch(/^trigger: +cron, \d+ s ago: \d+ tokens/m);
    // Neither the folder nor the scratchpad that are gone are made anew by the timer that is left.
    const again = () => execFileSync('/bin/sh', ['-c', shown], { cwd: home, env: bare, stdio: 'pipe' });
    rmSync(cwd, { recursive: true });
    mkdirSync(cwd);
    expect(again).toThrow(/no scratchpad here/);
    expect(readdirSync(cwd)).toEqual([]);
    rmSync(cwd, { recursive: true });
    expect(again).toThrow(/not a directory/);
    expect(existsSync(cwd)).toBe(false);
  });

  test.each([
    [['--every', '7m'], 'expected: 1m, 2m, 3m'],
    [['--every', '90s'], '5m, 6m, 10m'],
    [['--every', '30s'], 'expected: 1m, 2m, 3m'],
    [['--every', '36h'], '24h'],
    [['--scope', 'user'], 'no --scope'],
  ])('%j is refused', async (args, told) => {
    const { run, stand, cwd } = workspace();
    const done = await run('install', 'cron', '--yes', ...args);
    expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining(told)]);
    expect(stand.crontab).toBeUndefined();
    expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(false);
  });

  test('a name with a line break, a place that is no workspace', async () => {
    const broken = workspace('a\nb');
    expect((await broken.run('install', 'cron', '--yes')).stderr).toContain('line breaks');
    const { home, stand } = workspace();
    const bare = { ...stand.env, SCRATCHPAD_INIT: '' };
    const nowhere = await runWarm(['install', 'cron', '--yes'], { cwd: home, env: bare });
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining('no scratchpad here')]);
  });

  test('without crontab on the machine, or when it refuses, nothing is changed', async () => {
    const { run, stand, cwd } = workspace();
    stand.fail('-');
    const refused = await run('install', 'cron', '--yes');
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('cannot do that')]);
    expect(stand.crontab).toBeUndefined();
    const none = await runWarm(['install', 'cron', '--yes'], { cwd, env: { PATH: testDir() } });
    expect([none.exitCode, none.stderr]).toEqual([
      3,
      expect.stringContaining('the program crontab was not found'),
    ]);
  });
});
