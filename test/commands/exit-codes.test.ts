import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** The contract of docs/commands.md: code, and the words that tell what to do. */
const CASES: {
  name: string;
  args: string[];
  code: number;
  says: RegExp;
  files?: Record<string, string>;
  input?: string;
}[] = [
  { name: 'unknown command', args: ['nots'], code: 2, says: /unknown command 'nots'/ },
  { name: 'unknown subcommand', args: ['notes', 'bogus'], code: 2, says: /notes has no command 'bogus'/ },
  { name: 'unknown option', args: ['notes', 'show', '--nope'], code: 2, says: /unknown option '--nope'/ },
  { name: 'missing argument', args: ['plan', 'current'], code: 2, says: /missing required argument/ },
  { name: 'workspace that is not there', args: ['show', '-w', 'nope'], code: 2, says: /not a directory/ },
  { name: 'show without a pad', args: ['show'], code: 1, says: /scratchpad init/ },
  { name: 'check without a pad', args: ['check'], code: 1, says: /scratchpad init/ },
  {
    name: 'messages that are not JSON',
    args: ['assemble', '-m', '-'],
    input: '{bad',
    code: 2,
    says: /found: +\{bad/,
  },
  { name: 'no messages', args: ['assemble', '-m', '-'], input: '[]', code: 2, says: /no messages/ },
  {
    name: 'an empty transcript',
    args: ['assemble', '-t', 't.jsonl'],
    files: { 't.jsonl': '' },
    code: 2,
    says: /no messages/,
  },
  {
    name: 'a transcript that is not there',
    args: ['assemble', '-t', 't.jsonl'],
    code: 2,
    says: /no such transcript/,
  },
  { name: 'a directory as transcript', args: ['assemble', '-t', '.'], code: 2, says: /must be a file/ },
  { name: 'a bad TTL', args: ['assemble', '-m', '-', '--ttl', 'soon'], input: '[]', code: 2, says: /30m/ },
  { name: 'a bad --now', args: ['show', '--now', 'later'], code: 2, says: /ISO 8601/ },
  { name: 'an unknown setting', args: ['config', 'get', 'timezon'], code: 2, says: /timezone/ },
  {
    name: 'an impossible session id',
    args: ['notes', 'show', '-s', 'a\u0007b'],
    code: 2,
    says: /not a session id/,
  },
  { name: 'nothing to undo', args: ['undo'], code: 1, says: /nothing to undo/ },
];

describe('exit codes', () => {
  test('next: 1 and nothing on stdout once no step is left, so that a loop of a script ends', async () => {
    const cwd = testDir();
    const next = (...args: string[]) => runWarm(['next', ...args], { cwd });
    expect(await next()).toMatchObject({ exitCode: 1, stdout: '' });
    await runWarm(['plan', 'set', '1. One'], { cwd });
    expect(await next()).toEqual({ exitCode: 0, stdout: '1. One\n', stderr: '' });

    await runWarm(['done', '1'], { cwd });
    expect(await next()).toEqual({ exitCode: 1, stdout: '', stderr: 'the plan is done\n' });
    expect(await next('--quiet')).toEqual({ exitCode: 1, stdout: '', stderr: '' });
    expect(await next('--json')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('null') });
    await runWarm(['plan', 'clear'], { cwd });
    expect(await next()).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^no plan yet/),
    });
  });

  test.each(CASES)('$name: $code', async ({ name, args, code, says, files, input }) => {
    const cwd = testDir(files ?? {});
    // A process of its own for the first case of each code.
    const run = CASES.find((other) => other.code === code)?.name === name ? runCli : runWarm;
    const done = await run(args, { cwd, ...(input === undefined ? {} : { input }) });
    expect(done.stderr).toMatch(says);
    expect([done.exitCode, done.stdout]).toEqual([code, '']);
  });

  test('a directory in place of the pad: 3, and it stays', async () => {
    const cwd = testDir();
    mkdirSync(join(cwd, 'SCRATCHPAD.md'));
    const done = await runWarm(['notes', 'append', 'x'], { cwd });
    expect([done.exitCode, done.stderr]).toEqual([
      3,
      expect.stringContaining('expected: a file, or nothing'),
    ]);
  });

  test('an input that fails leaves the pad as it was', async () => {
    const cwd = testDir();
    await runWarm(['notes', 'set', 'keep me'], { cwd });
    const before = readFileSync(join(cwd, 'SCRATCHPAD.md'));
    // With a pad, these two have something to do.
    const failing = CASES.filter(({ args }) => args[0] !== 'undo' && args.join() !== 'assemble');
    for (const { args, input } of failing)
      await runWarm(args, { cwd, ...(input === undefined ? {} : { input }) });
    expect(readFileSync(join(cwd, 'SCRATCHPAD.md')).equals(before)).toBe(true);
  });

  test('check: 4 when stale, 0 when fresh', async () => {
    const cwd = testDir({ 'AGENTS.md': '' });
    const at = (time: string): string[] => ['--now', `2026-02-06T${time}:00Z`];
    await runWarm(['assemble', ...at('10:00')], { cwd });
    const fresh = await runWarm(['check', ...at('10:29')], { cwd });
    expect([fresh.exitCode, fresh.stdout]).toEqual([0, expect.stringMatching(/^fresh: .* 29 min old/)]);
    const stale = await runWarm(['check', ...at('10:31')], { cwd });
    expect([stale.exitCode, stale.stdout]).toEqual([4, expect.stringMatching(/^stale: .* 31 min old/)]);
  });

  test('help goes to stdout with 0 and has examples', async () => {
    const cwd = testDir();
    const [verb, same] = [
      await runWarm(['help', 'plan', 'add'], { cwd }),
      await runWarm(['plan', 'add', '-h'], { cwd }),
    ];
    expect(verb).toEqual(same);
    expect(verb.stdout).toMatch(/^Usage: scratchpad plan add /);
    const help = await runWarm(['notes', '--help'], { cwd });
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('Examples:');
    expect(help.stderr).toBe('');
    const version = await runWarm(['--version'], { cwd });
    const { version: wanted } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(version.stdout).toBe(`${wanted}\n`);
  });
});

test('a clone that has not been built says so; a host is not disturbed by it', async () => {
  const cwd = testDir({ 'bin/': '' });
  const program = join(cwd, 'bin/scratchpad.js');
  copyFileSync(PROGRAM, program);
  expect(await runCli(['plan'], { cwd, program })).toEqual({
    stdout: '',
    stderr: `scratchpad: the program has not been built\n  where:    ${cwd}\n  next:     run there: npm ci && npm run build\n`,
    exitCode: 3,
  });
  expect((await runCli(['hook', 'codex', 'Stop'], { cwd, program })).exitCode).toBe(0);
});
