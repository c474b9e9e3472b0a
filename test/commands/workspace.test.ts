import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { testRepository } from '../helpers/git.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('--init says that it creates nothing below a scratchpad; a folder that is named has its own', async () => {
  const root = testDir({ 'sub/x.txt': '' });
  const cwd = join(root, 'sub');
  await runWarm(['init'], { cwd: root });
  const message =
    '--init created nothing: ../SCRATCHPAD.md is used; for one in this folder: scratchpad init\n';
  expect((await runWarm(['notes', 'add', 'x', '--init'], { cwd })).stderr).toBe(
    `${message}in ../SCRATCHPAD.md\n`,
  );
  expect((await runCli(['mcp', '--init'], { cwd, input: '' })).stderr).toBe(message);
  expect((await runWarm(['plan', '-w', 'sub'], { cwd: root })).stderr).toContain(`no scratchpad in ${cwd};`);
  expect((await runWarm(['-w', 'sub', '--init', 'todo', 'y'], { cwd: root })).stderr).toBe('');
  expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(true);
});

describe('init', () => {
  test('creates an empty pad that nobody else can read the data of', async () => {
    const cwd = testDir();
    const done = await runWarm(['init'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toMatch(
      /^---\nscratchpad: 1\nsession: main\nrevision: 0\n---\n/,
    );
    expect(statSync(join(cwd, '.scratchpad')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(cwd, '.scratchpad/.gitignore'), 'utf8')).toBe('*\n');
    const again = await runWarm(['init', '--json'], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({ created: false });
  });

  test('in a git work tree the pad is never seen by git, in a folder of it either', async () => {
    const cwd = testDir({ 'app [1]/x.txt': '' });
    await execa('git', ['init', '-q'], { cwd });
    await runWarm(['init', '-w', 'app [1]'], { cwd });
    await runWarm(['init', '-w', 'app [1]'], { cwd });
    const { stdout } = await execa('git', ['status', '--porcelain', '-uall'], { cwd });
    expect(stdout).toBe('?? "app [1]/x.txt"');
    const exclude = readFileSync(join(cwd, '.git/info/exclude'), 'utf8');
    expect(exclude.match(/SCRATCHPAD\.md/g)).toHaveLength(1);
  });

  test('in a folder of a repository says so', async () => {
    const root = testRepository();
    mkdirSync(join(root, 'src'), { recursive: true });
    const first = await runWarm(['init'], { cwd: join(root, 'src') });
    expect(first.stderr).toBe(
      `warning: this folder is inside a repository, ${root}: its scratchpad is for this folder alone\n`,
    );
    expect((await runWarm(['init'], { cwd: join(root, 'src') })).stderr).toBe('');
    expect((await runWarm(['init'], { cwd: root })).stderr).toBe('');
  });

  test('after the file was removed says that it is written anew', async () => {
    const cwd = testDir();
    await runWarm(['init'], { cwd });
    await runWarm(['notes', 'add', 'kept'], { cwd });
    expect((await runWarm(['init'], { cwd })).stdout).toMatch(/^exists already: /);
    rmSync(join(cwd, 'SCRATCHPAD.md'));
    expect((await runWarm(['init'], { cwd })).stdout).toMatch(/^written anew from its history: /);
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('\nkept\n');
  });

  test('is needed in a directory that was named, as in any other', async () => {
    const cwd = testDir({ 'other/': '' });
    const env = { SCRATCHPAD_INIT: '' };
    for (const [args, where] of [
      [['-w', 'other', 'notes', 'add', 'x'], {}],
      [['notes', 'add', 'x'], { SCRATCHPAD_WORKSPACE: join(cwd, 'other') }],
    ] as const) {
      const refused = await runWarm([...args], { cwd, env: { ...env, ...where } });
      expect([refused.exitCode, refused.stderr]).toEqual([
        1,
        expect.stringContaining('no scratchpad here: nothing was written'),
      ]);
      expect(refused.stderr).toContain('add --init to this command, or name another workspace');
      expect(existsSync(join(cwd, 'other/SCRATCHPAD.md'))).toBe(false);
    }
    await runWarm(['-w', 'other', '--init', 'notes', 'add', 'x'], { cwd, env });
    expect(existsSync(join(cwd, 'other/SCRATCHPAD.md'))).toBe(true);
  });

  test('--tracked leaves it to the person', async () => {
    const cwd = testDir();
    await execa('git', ['init', '-q'], { cwd });
    await runWarm(['init', '--tracked'], { cwd });
    const { stdout } = await execa('git', ['status', '--porcelain'], { cwd });
    expect(stdout).toBe('?? .gitattributes\n?? SCRATCHPAD.md');
  });
});

describe('which workspace', () => {
  test('the nearest directory above that holds a pad, unless told otherwise', async () => {
    const cwd = testDir({ 'a/b/x': '', 'c/x': '' });
    await runWarm(['init', '-w', 'a'], { cwd });
    await runWarm(['notes', 'set', 'deep'], { cwd: join(cwd, 'a/b') });
    expect(existsSync(join(cwd, 'a/b/SCRATCHPAD.md'))).toBe(false);
    const fromEnv = await runWarm(['notes', 'show'], {
      cwd: join(cwd, 'c'),
      env: { SCRATCHPAD_WORKSPACE: '../a' },
    });
    expect(fromEnv.stdout).toBe('deep\n');
    const named = await runWarm(['notes', 'show', '-w', '.'], {
      cwd: join(cwd, 'c'),
      env: { SCRATCHPAD_WORKSPACE: '../a' },
    });
    expect(named.stdout).toBe('');
  });
});

describe('show and status', () => {
  test('show is the file in a pipe and a model with --json', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. a'], { cwd });
    await runWarm(['refs', 'add', 'x.ts'], { cwd });
    expect((await runWarm(['show'], { cwd })).stdout).toBe(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8'));
    expect(JSON.parse((await runWarm(['show', '--json'], { cwd })).stdout)).toMatchObject({
      session: 'main',
      spaces: { plan: '1. a', notes: '', refs: ['x.ts'] },
      state: { status: 'missing', sections: [] },
    });
  });

  test('status names what the state was made from', async () => {
    const cwd = testDir({
      's.jsonl': '{"role":"user","content":"hello there, can you look at this"}\nnot json\n',
    });
    await runWarm(['assemble', '-t', 's.jsonl'], { cwd });
    const { stdout } = await runWarm(['status'], { cwd });
    expect(stdout).toMatch(/from: +1 message of .*s\.jsonl/);
    expect(stdout).toMatch(/notes: +0 of 4,000 characters/);
  });
});

describe('config', () => {
  test('set keeps comments, takes effect, and unset goes back', async () => {
    const cwd = testDir({ '.scratchpad/config.yaml': '# mine\nttl: 1h # long\nlimits:\n  notes: 20\n' });
    await runWarm(['config', 'set', 'timezone', 'Asia/Kolkata'], { cwd });
    expect(readFileSync(join(cwd, '.scratchpad/config.yaml'), 'utf8')).toBe(
      '# mine\nttl: 1h # long\nlimits:\n  notes: 20\ntimezone: Asia/Kolkata\n',
    );
    expect((await runWarm(['notes', 'set', 'x'.repeat(30)], { cwd })).stdout).toBe(
      'set: 1 line\nnotes: 20 of 20 characters\n',
    );
    expect((await runWarm(['config', 'get', 'ttl'], { cwd })).stdout).toBe('1h\n');
    await runWarm(['config', 'unset', 'limits.notes'], { cwd });
    expect((await runWarm(['notes', 'append', 'x'.repeat(30)], { cwd })).stdout).toBe(
      `added: ${'x'.repeat(30)}\nnotes: 51 of 4,000 characters\n`,
    );
  });

  test('a broken file is named with its line, and the rest works', async () => {
    const cwd = testDir({ '.scratchpad/config.yaml': 'ttl: 45m\nlimits:\n  note: 5\ntimezone: Mars/Base\n' });
    const checked = await runWarm(['config', 'check'], { cwd });
    expect(checked.exitCode).toBe(2);
    expect(checked.stdout).toMatch(/config\.yaml:3: no setting is called limits\.note/);
    expect(checked.stdout).toMatch(/config\.yaml:4: timezone: expected an IANA time zone/);
    const done = await runWarm(['notes', 'append', 'still works'], { cwd });
    expect([done.exitCode, done.stdout]).toEqual([0, 'added: still works\nnotes: 11 of 4,000 characters\n']);
    expect(done.stderr).toContain('limits.note');
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'ttl: [\n');
    expect((await runWarm(['config', 'check'], { cwd })).stdout).toMatch(/config\.yaml:\d: /);
  });

  test('an edit is seen at once', async () => {
    const cwd = testDir({ '.scratchpad/config.yaml': 'limits:\n  notes: 11\n' });
    mkdirSync(join(cwd, 'sub'));
    await runWarm(['notes', 'set', 'y'], { cwd });
    for (const limit of [11, 12, 13]) {
      writeFileSync(join(cwd, '.scratchpad/config.yaml'), `limits:\n  notes: ${limit}\n`);
      const { stdout } = await runWarm(['notes', 'set', 'y'.repeat(40)], { cwd });
      expect(stdout).toBe(`set: 1 line\nnotes: ${limit} of ${limit} characters\n`);
    }
  });

  test('a bad value is refused before anything is written', async () => {
    const cwd = testDir();
    const done = await runWarm(['config', 'set', 'timezone', 'Nowhere'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining('IANA')]);
    expect(existsSync(join(cwd, '.scratchpad/config.yaml'))).toBe(false);
  });
});

describe('a setting that would do nothing', () => {
  const config = (cwd: string): string => join(cwd, '.scratchpad/config.yaml');

  test('unset without a config file writes none, and set works after it', async () => {
    const cwd = testDir({ '.scratchpad/': '' });
    expect((await runWarm(['config', 'unset', 'ttl'], { cwd })).exitCode).toBe(0);
    expect(existsSync(config(cwd))).toBe(false);
    expect((await runWarm(['config', 'set', 'ttl', '1h'], { cwd })).exitCode).toBe(0);
    expect(readFileSync(config(cwd), 'utf8')).toBe('ttl: 1h\n');
  });

  test('the `null` that an earlier version wrote is an empty file', async () => {
    const cwd = testDir({ '.scratchpad/config.yaml': 'null\n' });
    expect((await runWarm(['config', 'check'], { cwd })).exitCode).toBe(0);
    expect((await runWarm(['config', 'set', 'ttl', '1h'], { cwd })).exitCode).toBe(0);
    expect(readFileSync(config(cwd), 'utf8')).toBe('ttl: 1h\n');
  });

  test('a section that is none is refused when it is set', async () => {
    const cwd = testDir({ '.scratchpad/': '' });
    for (const names of ['[weather]', '[time', 'time, weather']) {
      const { exitCode, stderr } = await runWarm(['config', 'set', 'stages.off', names], { cwd });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('sections, separated by commas')]);
    }
    expect(existsSync(config(cwd))).toBe(false);
  });

  test('sections of its own can be left out, and unknown settings in a file are said and ignored', async () => {
    const cwd = testDir({ '.scratchpad/': '' });
    await runWarm(['config', 'set', 'stages.today', 'date'], { cwd });
    expect((await runWarm(['config', 'set', 'stages.off', 'today, time'], { cwd })).exitCode).toBe(0);
    writeFileSync(config(cwd), 'stages:\n  off: [time]\n  of: [1]\n');
    const { exitCode, stdout } = await runWarm(['config', 'check'], { cwd });
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/:3: stages\.of: expected a command/);
    expect((await runWarm(['config', 'get', 'stages.off'], { cwd })).stdout).toBe('time\n');
  });
});

describe('your own config', () => {
  test('is changed with --user, for this user alone, and the workspace wins over it', async () => {
    const cwd = testDir({ 'home/': '', 'work/.scratchpad/': '' });
    const [work, home] = [join(cwd, 'work'), join(cwd, 'home')];
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const run = async (...args: string[]) => (await runWarm(['config', ...args], { cwd: work, env })).stdout;
    await run('set', '--user', 'ttl', '45m');
    const file = join(home, '.config/scratchpad/config.yaml');
    expect(readFileSync(file, 'utf8')).toBe('ttl: 45m\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run('get', 'ttl')).toBe('45m\n');
    await run('set', 'ttl', '20m');
    expect(await run('get', 'ttl')).toBe('20m\n');
    await run('unset', 'ttl');
    await run('unset', '--user', 'ttl');
    expect(await run('get', 'ttl')).toBe('30m\n');
  });

  test('changed by eight processes at once keeps all eight changes', async () => {
    const cwd = testDir({ '.scratchpad/': '' });
    const keys = ['limits.notes', 'limits.plan', 'limits.refs', 'state.maxTokens', 'scratchpad.maxTokens'];
    const more = ['window.messages', 'memory.results', 'nudgeAfterTurns'];
    await Promise.all([...keys, ...more].map((key) => runWarm(['config', 'set', key, '7'], { cwd })));
    const { stdout } = await runWarm(['config', 'list', '--json'], { cwd });
    const set = JSON.parse(stdout).filter(({ source }: { source: string }) => source !== 'default');
    expect(set.map(({ key }: { key: string }) => key).sort()).toEqual([...keys, ...more].sort());
  });

  test('a misspelt name is answered with the one that was meant', async () => {
    const { stderr, exitCode } = await runWarm(['config', 'get', 'limit.notes'], { cwd: testDir() });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('expected: perhaps limits.notes');
  });
});
