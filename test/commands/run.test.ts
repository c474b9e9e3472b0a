import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { minimalEnv, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { canMount, fillDisk, smallDisk } from '../helpers/small-disk.ts';
import { testDir } from '../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const INTERLEAVED = 'i=0; while [ $i -lt 200 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done; exit 7';
const interleaved = Array.from({ length: 200 }, (_, n) => `out${n}\nerr${n}\n`).join('');

describe('run', () => {
  test('short output is shown as it is, both streams in order, with the exit code; nothing is kept', async () => {
    const cwd = testDir();
    expect(await runWarm(['run', '--', 'sh', '-c', INTERLEAVED], { cwd })).toEqual({
      stdout: interleaved,
      // Said at a terminal only.
      stderr: '',
      exitCode: 7,
    });
    expect(existsSync(join(cwd, '.scratchpad'))).toBe(false);
  });

  test('--scratchpad keeps a short output too, of a command that fails too', async () => {
    const cwd = testDir();
    const done = await runWarm(['run', '--scratchpad', 'my run', '--', 'sh', '-c', INTERLEAVED], { cwd });
    expect([done.stdout, done.exitCode]).toEqual([interleaved, 7]);
    expect((await runWarm(['entry', 'read', 'my run'], { cwd })).stdout).toBe(interleaved);
  });

  test('what was kept is read in part unless asked for whole, which --quiet does not hide', async () => {
    const cwd = testDir();
    await runWarm(['run', '--', 'seq', '1', '9000'], { cwd });
    const read = (...args: string[]) => runWarm(['entry', 'read', 'execute_command_1', ...args], { cwd });
    const part = await read('-q');
    expect([part.stdout.length, part.stderr]).toEqual([
      30_000,
      '\nwarning: 30,000 of 43,893 characters; continue with --offset 30000, or print all of it with --raw\n',
    ]);
    expect((await read('-q', '--limit', '10')).stderr).toBe('');
    expect((await read('-q', '--raw')).stderr).toBe('');
  });

  test('a long output in a file is said to be shortened, where nobody reads the file', async () => {
    const cwd = testDir();
    const { stderr, exitCode } = await runWarm(['run', '-q', '--', 'seq', '1', '20000'], { cwd });
    expect([stderr, exitCode]).toEqual([
      'warning: the output was shortened; all of it: scratchpad entry read execute_command_1 --raw\n',
      0,
    ]);
    expect((await runWarm(['run', '--', 'seq', '1', '20'], { cwd })).stderr).toBe('');
  });

  test('over the limit: the start, what is left out, the end, and where the whole is', async () => {
    const cwd = testDir();
    const command = ['run', '--limit', '1000', '--preview', '100', '--', 'seq', '1', '5000'];
    const { stdout, exitCode } = await runWarm(command, { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^1\n2\n3\n/);
    expect(stdout).toMatch(/\n5000\n\[23,893 characters \(23.9 kB\) kept as execute_command_1\]\n/);
    const next = Number(/--offset (\d+)/.exec(stdout)?.[1]);
    const left = Number(/\[… ([\d,]+) characters left out …\]/.exec(stdout)?.[1]?.replace(',', ''));
    // Head, what is left out, and tail are the whole.
    const whole = (await runWarm(['entry', 'read', 'execute_command_1'], { cwd })).stdout;
    const tail = stdout.slice(stdout.indexOf('…]\n') + 3, stdout.indexOf('\n[23,893') + 1);
    expect(whole.slice(0, next)).toBe(stdout.slice(0, next));
    expect(whole.slice(next + left)).toBe(tail);
    expect((await runWarm(command, { cwd })).stdout).toContain('kept as execute_command_2');
    // A preview that holds all of it is no preview with nothing left out.
    const all = await runWarm(['run', '--limit', '5', '--preview', '12', '--', 'echo', 'all of it'], { cwd });
    expect(all.stdout).toMatch(/^all of it\n\[10 characters \(10 bytes\) kept as execute_command_3\]\n/);
  });

  test('in a pipe a slow command is seen while it runs; past the limit comes what is left out, and the end', async () => {
    const cwd = testDir();
    const script = 'echo é; while [ ! -e go ]; do sleep 0.05; done; seq 1 5000; exit 4';
    const command = ['run', '--limit', '1000', '--preview', '40', '--', 'sh', '-c', script];
    const child = spawn(process.execPath, [PROGRAM, ...command], { cwd, env: minimalEnv() });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await expect.poll(() => stdout, { timeout: 10_000 }).toBe('é\n');
    writeFileSync(join(cwd, 'go'), '');
    expect(await ended).toBe(4);
    expect(stdout).toMatch(/\n\[… [\d,]+ characters left out …\]\n4998\n4999\n5000\n\[23,895 characters/);
    const next = Number(/--offset (\d+)/.exec(stdout)?.[1]);
    const whole = (await runWarm(['entry', 'read', 'execute_command_1'], { cwd })).stdout;
    expect([next > 0, whole.slice(0, next)]).toEqual([true, stdout.slice(0, next)]);
  });

  test('characters are counted, not bytes, and none is cut', async () => {
    const cwd = testDir();
    const text = '日本語🦀\n'.repeat(40);
    const short = await runWarm(['run', '--limit', '200', '--', 'printf', '%s', text], { cwd });
    expect(short.stdout).toBe(text);
    const long = await runWarm(['run', '--limit', '199', '--preview', '14', '--', 'printf', '%s', text], {
      cwd,
    });
    expect(long.stdout).toMatch(/^日本語🦀\n\[… 190 characters left out …\]\n日本語🦀\n\[200 characters/);
  });

  test('a long output that arrives at once is stored whole, and counted when first read', async () => {
    const cwd = testDir();
    const command = ['run', '--preview', '10', '--json', '--', 'head', '-c', '50000000', '/dev/zero'];
    const { entry, output } = JSON.parse((await runWarm(command, { cwd })).stdout) as {
      entry: { bytes: number };
      output: string;
    };
    expect(entry.bytes).toBe(50_000_000);
    expect(output).toMatch(/^\0{5}\n\[… .* left out …\]\n\0{5}\n\[.*50\.0 MB.* kept as execute_command_1\]/);
    const listed = await runWarm(['entry', 'list', '--json'], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ bytes: 50_000_000, characters: 50_000_000 }]);
    const end = await runWarm(['entry', 'read', 'execute_command_1', '--offset', '49999990'], { cwd });
    expect(end.stdout).toBe('\0'.repeat(10));
  });

  test('of an output that an entry cannot hold, the first and the last 32 MB are kept', async () => {
    const cwd = testDir();
    const script = 'echo first; head -c 70000000 /dev/zero; echo; echo last';
    const done = await runWarm(['run', '--preview', '20', '--', 'sh', '-c', script], { cwd });
    expect(done.stdout).toMatch(
      /^first\n\[… .* left out …\]\n[^[]*last\n\[.* \(67\.1 MB\) kept as execute_command_1\]/s,
    );
    const line = await runWarm(['entry', 'read', 'execute_command_1', '-e', 'left out'], { cwd });
    expect(line.stdout).toBe('3: [… 2.9 MB left out: an entry holds 64 MB …]\n');
    const refused = await runWarm(['entry', 'write', 'execute_command_1', '--append', 'x'.repeat(300)], {
      cwd,
    });
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('too large for an entry'),
    ]);
  });

  test('--json: one value, nothing before it', async () => {
    const cwd = testDir();
    const { stdout } = await runWarm(['run', '--json', '--', 'sh', '-c', 'echo hi; exit 2'], { cwd });
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 2,
      signal: null,
      bytes: 3,
      characters: 3,
      entry: null,
      output: 'hi\n',
    });
  });

  test.each([
    ['that is missing ends with 127', 'no-such-command-here', 127],
    ['whose path is missing', './no-such-file', 127],
    ['that is not executable ends with 126', './plain', 126],
    ['that is a folder', './folder', 126],
  ])('a command %s, as in a shell', async (_, command, code) => {
    const cwd = testDir({ plain: 'echo hi\n', 'folder/a': '' });
    const done = await runWarm(['run', '--', command], { cwd });
    expect([done.exitCode, done.stdout]).toEqual([code, '']);
    expect(done.stderr).toContain('the command cannot be run');
  });

  test('everything after the command’s name belongs to it, with and without --', async () => {
    const cwd = testDir({ a: '' });
    expect((await runWarm(['run', 'ls', '-1', '--quote-name'], { cwd })).stdout).toBe('"a"\n');
    const { stdout } = await runWarm(
      ['-w', cwd, 'run', '--json', '--limit', '99', 'echo', '--json', '--', '-q'],
      {
        cwd,
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({ output: '--json -- -q\n', entry: null });
    expect((await runWarm(['run', 'echo', '--', '-q'], { cwd })).stdout).toBe('-- -q\n');
    expect((await runWarm(['run', '--nope', 'ls'], { cwd })).stderr).toContain("unknown option '--nope'");
    expect((await runWarm(['run', '--limit', '9'], { cwd })).stderr).toContain('missing required argument');
  });

  test('a name that the output cannot be kept under is refused before the command runs', async () => {
    const cwd = testDir();
    await runWarm(['entry', 'write', 'schema', 'a'], { cwd });
    await runWarm(['session', 'spawn', 'main', 'sub', '--inherit', 'schema'], { cwd });
    for (const [name, code, says] of [
      ['', 2, 'not an entry name: it is empty'],
      ['x'.repeat(201), 2, 'it is too long'],
      ['a\nb', 2, 'control characters'],
      ['schema', 1, 'the entry is lent'],
    ] as const) {
      const done = await runWarm(['run', '-s', 'sub', '--scratchpad', name, 'touch', 'ran'], { cwd });
      expect([done.exitCode, done.stderr]).toEqual([code, expect.stringContaining(says)]);
    }
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  test('an output that cannot be kept is shown as far as a preview goes, with the reason', async () => {
    const cwd = testDir();
    const spoil = 'mkdir -p .scratchpad/sessions/main/entries/index.json; seq 1 20000';
    const done = await runWarm(['run', '--preview', '20', 'sh', '-c', spoil], { cwd });
    expect(done.exitCode).toBe(3);
    expect(done.stdout).toMatch(
      /^1\n2\n3\n4\n5\n\[… .* left out …\]\n20000\n\[the output could not be stored\]\n$/,
    );
    expect(done.stderr).toContain('cannot read');
  });

  test('a background process that outlives the command cannot change the stored content', async () => {
    const cwd = testDir();
    const script = '(while [ ! -e go ]; do sleep 0.05; done; echo late; touch gone) & echo now';
    await runWarm(['run', '--scratchpad', 'x', 'sh', '-c', script], { cwd });
    await runWarm(['run', 'sh', '-c', 'touch go; while [ ! -e gone ]; do sleep 0.05; done'], { cwd });
    expect((await runWarm(['entry', 'read', 'x'], { cwd })).stdout).toBe('now\n');
    expect((await runWarm(['entry', 'read', 'x', '--raw'], { cwd })).stdout).toBe('now\n');
  });

  test('the command that continues reading works for any name', async () => {
    const cwd = testDir();
    for (const name of ["it's a name", '-n', '--json', '$HOME `x`']) {
      const { stdout } = await runWarm(
        ['run', '--limit', '5', '--preview', '4', '--scratchpad', name, 'seq', '9'],
        {
          cwd,
        },
      );
      const line = /read on: scratchpad (.*) ·/.exec(stdout)?.[1] ?? '';
      const args = `set -- ${line}; for a; do printf '%s\\0' "$a"; done`;
      const words = (await runWarm(['run', 'sh', '-c', args], { cwd })).stdout.split('\0').slice(0, -1);
      expect((await runWarm(words, { cwd })).stdout).toBe('2\n3\n4\n5\n6\n7\n8\n9\n');
    }
  });

  test('the command gets stdin, and its end by a signal is reported as in a shell', async () => {
    const cwd = testDir();
    expect((await runCli(['run', '--', 'cat'], { cwd, input: 'from me' })).stdout).toBe('from me');
    const killed = await runWarm(['run', '--', 'sh', '-c', 'echo last words; kill -9 $$'], { cwd });
    expect([killed.exitCode, killed.stdout]).toEqual([137, 'last words\n']);
  });

  test('a command that ignores SIGTERM is killed before its output fills the disk', async () => {
    const cwd = testDir();
    const script =
      "process.on('SIGTERM', () => {}); fs.ftruncateSync(1, 2.2e9); setTimeout(() => fs.writeFileSync('survived', ''), 30_000)";
    const killed = await runWarm(['run', '--', process.execPath, '-e', script], { cwd });
    expect([killed.exitCode, killed.stderr]).toEqual([
      137,
      expect.stringContaining('would have filled the disk'),
    ]);
    expect(existsSync(join(cwd, 'survived'))).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the command and what it started; what came is kept',
    async (signal) => {
      const cwd = testDir();
      // A shell that is about to start its next child waits for it, whatever signal it has got.
      const script = 'echo started; (touch started; sleep 30; touch survived); touch survived';
      const child = spawn(
        process.execPath,
        [PROGRAM, 'run', '--scratchpad', 'cut', '--', 'sh', '-c', script],
        {
          cwd,
          env: minimalEnv(),
        },
      );
      const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
      await expect.poll(() => existsSync(join(cwd, 'started')), { timeout: 10_000 }).toBe(true);
      child.kill(signal);
      expect(await ended).toBe(signal === 'SIGINT' ? 130 : 143);
      expect((await runWarm(['entry', 'read', 'cut'], { cwd })).stdout).toBe('started\n');
      expect(existsSync(join(cwd, 'survived'))).toBe(false);
    },
  );
});

describe.runIf(canMount)('run on a full disk', () => {
  const fullDisk = async (): Promise<string> => {
    const cwd = smallDisk('512k');
    await runWarm(['init'], { cwd });
    fillDisk(cwd);
    return cwd;
  };

  test('a short output is shown whole, with the exit code of the command', async () => {
    const done = await runWarm(['run', 'sh', '-c', 'echo before; ls /dev/null/nowhere; exit 7'], {
      cwd: await fullDisk(),
    });
    expect([done.exitCode, done.stdout]).toEqual([7, expect.stringMatching(/^before\n.*\/nowhere.*\n$/)]);
  });

  test("of a long output the preview is shown, with the command's exit code", async () => {
    const done = await runWarm(['run', 'sh', '-c', 'seq 1 20000; exit 5'], {
      cwd: await fullDisk(),
    });
    expect(done.stdout).toMatch(/^1\n2\n[\s\S]*\n20000\n\[the output could not be stored\]\n$/);
    expect(done.exitCode).toBe(5);
    expect(done.stderr).toContain('the command has run (exit 5)');
    expect(done.stderr).toContain('free space on that disk');
    expect(done.stderr).not.toContain('nothing was changed');
  });
});

test('what a killed process left of an entry is gone after the next change', async () => {
  const cwd = testDir();
  await runWarm(['entry', 'write', 'a', 'x'], { cwd });
  const entries = join(cwd, '.scratchpad/sessions/main/entries');
  const { pid } = spawnSync('true');
  writeFileSync(join(entries, `.draft.${pid}-abcdefgh.tmp`), 'x'.repeat(1000));
  writeFileSync(join(entries, `.draft.${process.pid}-abcdefgh.tmp`), 'of a living process');
  await runWarm(['entry', 'write', 'a', 'y'], { cwd });
  expect(readdirSync(entries).filter((name) => name.startsWith('.draft'))).toEqual([
    `.draft.${process.pid}-abcdefgh.tmp`,
  ]);
});

test('many concurrent appends to one entry: none is refused, none is lost', async () => {
  const cwd = testDir();
  const words = Array.from({ length: 12 }, (_, n) => `word-${n}\n`);
  const done = await Promise.all(
    words.map((word) => runCli(['entry', 'write', 'log', '--append', word], { cwd })),
  );
  expect(done.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(words.map(() => [0, '']));
  const { stdout } = await runWarm(['entry', 'read', 'log'], { cwd });
  expect(stdout.trimEnd().split('\n').sort()).toEqual(words.map((word) => word.trimEnd()).sort());
});

describe('entry', () => {
  test('bytes from stdin and files are returned unchanged, and errors say what is wrong', async () => {
    const cwd = testDir({ 'in.bin': Buffer.from([0, 255, 10, 13, 200]) });
    await runWarm(['entry', 'write', '../x', '--file', 'in.bin'], { cwd });
    const bin = join(import.meta.dirname, '../../bin/scratchpad.js');
    const raw = spawnSync(process.execPath, [bin, 'entry', 'read', '../x', '--raw'], { cwd });
    expect([...raw.stdout]).toEqual([0, 255, 10, 13, 200]);
    const written = await runWarm(['entry', 'write', 'piped', '-'], { cwd, input: 'a\nb\n' });
    expect(written.stdout).toBe('piped: 4 characters (4 bytes)\n');
    expect((await runWarm(['entry', 'edit', 'piped', '--old', 'b', '--new', 'c'], { cwd })).stdout).toContain(
      '1 replaced',
    );
    expect((await runWarm(['entry', 'read', 'piped', '-e', 'c$'], { cwd })).stdout).toBe('2: c\n');
    for (const half of [
      ['--old', 'c'],
      ['--new', 'c'],
    ]) {
      const refused = await runWarm(['entry', 'edit', 'piped', ...half], { cwd });
      expect(refused.exitCode).toBe(2);
    }
    expect((await runWarm(['entry', 'read', 'piped'], { cwd })).stdout).toBe('a\nc\n');
    const bad = await runWarm(['entry', 'read', 'piped', '-e', '('], { cwd });
    expect([bad.exitCode, bad.stderr]).toEqual([
      2,
      expect.stringContaining('not a valid regular expression'),
    ]);
    const missing = await runWarm(['entry', 'read', 'nope'], { cwd });
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('one of ../x, piped')]);
    const listed = JSON.parse((await runWarm(['entry', 'list', '--json'], { cwd })).stdout) as {
      name: string;
    }[];
    expect(listed.map(({ name }) => name)).toEqual(['../x', 'piped']);
  });
});

test('outside a workspace the command is not run, which the refusal says', async () => {
  const cwd = testDir();
  const { exitCode, stdout, stderr } = await runWarm(['run', 'touch', 'made'], {
    cwd,
    env: { SCRATCHPAD_INIT: '' },
  });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('there is no scratchpad here: the command was not run');
  expect(existsSync(join(cwd, 'made'))).toBe(false);
});

test('run without a folder for temporary files says so, and starts nothing', async () => {
  const cwd = testDir({ 'missing/': '' });
  const tmp = join(cwd, 'missing/none');
  const { exitCode, stderr } = await runCli(['--init', 'run', '--', 'touch', 'ran'], {
    cwd,
    env: { TMPDIR: tmp },
  });
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/temporary file[\s\S]*TMPDIR/)]);
  expect(stderr).not.toContain('SCRATCHPAD_DEBUG');
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});
