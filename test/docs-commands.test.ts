import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { copyExample } from '../scripts/samples.ts';
import { guardDashes, separateRunCommand } from '../src/commands/command.ts';
import { buildProgram } from '../src/commands/program.ts';
import { expandShortWord } from '../src/commands/words.ts';
import { callsInText, callsOn, commandsOn, PAGES, ROOT, wordsOf } from './helpers/docs-calls.ts';
import { minimalEnv, PROGRAM, runCli } from './helpers/run-cli.ts';
import { runWarm } from './helpers/run-warm.ts';
import { StandIns } from './helpers/stand-ins.ts';
import { testDir } from './helpers/test-dir.ts';

/** What is wrong with a call, by the declarations of the commands; nothing is run. */
async function complaint(line: string): Promise<string | undefined> {
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    for (const child of command.commands) quiet(child);
  };
  const program = await buildProgram();
  quiet(program);
  const argv = expandShortWord(wordsOf(line).slice(1), program);
  if (argv[0] === 'completion' || /^[A-Z]+$/.test(argv[0] ?? '')) return undefined;
  try {
    await program.parseAsync(guardDashes(separateRunCommand(argv, program)), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

test.each(PAGES)('every call of the program that %s names is valid', async (page) => {
  const wrong: string[] = [];
  for (const line of callsOn(page)) {
    const found = await complaint(line);
    if (found !== undefined) wrong.push(`${line}: ${found}`);
  }
  expect(wrong).toEqual([]);
});

/** Commands that are not run here, and where they are tested. */
const ELSEWHERE: readonly [command: RegExp, where: string][] = [
  [
    /^npm (?:cit?|start|install -g \.\/scratchpad)\b/,
    'test/package.test.ts packs and installs; test/base/start/example.test.ts',
  ],
  [/^openclaw /, 'a program of its own; test/hosts/install/openclaw.test.ts'],
];

/** These run until they are ended: test/tools/mcp/, test/assembly/triggers/. */
const RUNS_ON = /^scratchpad (?:mcp|watch|schedule)\b(?!.*--dry-run)/;

/** Calls that have nothing to do in an empty folder, and say so. */
const REFUSED_WHEN_EMPTY: readonly [call: RegExp, exitCode: number, why: string][] = [
  [/ plan take\b/, 1, 'there is no other plan'],
  [/ plan set --file\b/, 2, 'there is no such file'],
  [/ (?:mood|audit|context --explain)$/, 1, 'no session was here'],
  [/ store (?:join|migrate)\b/, 1, 'no store is set'],
];

test.each(PAGES.filter((page) => commandsOn(page).length > 0))(
  'every command of %s runs as it is printed, in an empty folder',
  async (page) => {
    const root = testDir({ 'home/': '', 'bin/': '', 'agent/': '' });
    const [cwd, home, bin] = [join(root, 'agent'), join(root, 'home'), join(root, 'bin')];
    // Its own page describes the example, which therefore is the folder.
    if (page.startsWith('workspace-example/')) copyExample(cwd);
    const program = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
    writeFileSync(join(bin, 'scratchpad'), program, { mode: 0o755 });
    const { env } = new StandIns(home);
    const { SCRATCHPAD_INIT: _, ...bare } = minimalEnv();
    const shell = { ...bare, ...env, HOME: home, SHELL: '/bin/bash', PATH: `${bin}:${env.PATH}` };
    for (const command of commandsOn(page)) {
      if (ELSEWHERE.some(([each]) => each.test(command))) continue;
      // Nobody is there to say yes.
      const typed = command.replace(/^(scratchpad (?:un)?install [^#\n]*)/, '$1 --yes ');
      // What needs no shell is run in this process; a remark after a command is nothing but that.
      const isPlain = /^scratchpad [^|<>;&$`\\#*~]*$/.test(typed.replace(/\s+# .*$/, ''));
      const done = isPlain
        ? await runWarm(wordsOf(typed).slice(1), { cwd, env: shell })
        : await execa('sh', ['-c', typed], { cwd, env: shell, extendEnv: false, input: '', reject: false });
      expect([command, done.exitCode, done.stderr]).toEqual([command, 0, expect.any(String)]);
    }
  },
  60_000,
);

const IN_TEXT = [...new Set(PAGES.flatMap(callsInText))].filter((call) => !/\b[A-Z]{2,}\b|…/.test(call));

test.each(IN_TEXT.filter((call) => !RUNS_ON.test(call)))(
  '%s, named in a text, runs in an empty folder',
  async (call) => {
    const root = testDir({ 'home/': '', 'agent/': '' });
    const [cwd, home] = [join(root, 'agent'), join(root, 'home')];
    const env = { ...new StandIns(home).env, HOME: home, SHELL: '/bin/bash', EDITOR: 'true' };
    await runWarm(['init'], { cwd, env });
    await runWarm(['plan', 'set', '1. Fix auth bug'], { cwd, env });
    const words = wordsOf(call).slice(1);
    const yes = /^(?:un)?install$/.test(words[0] ?? '') && !words.includes('--dry-run') ? ['--yes'] : [];
    const done = await runWarm([...words, ...yes], { cwd, env });
    const exitCode = REFUSED_WHEN_EMPTY.find(([each]) => each.test(call))?.[1] ?? 0;
    expect([done.exitCode, done.stderr]).toEqual([exitCode, expect.any(String)]);
    // Where there is nothing yet, it says what to do.
    if (exitCode !== 0) expect(done.stderr).toMatch(/\n {2}(?:next|expected): /);
  },
);

test('the five minutes of the README', async () => {
  const section =
    /## Five minutes\n\n```sh\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
  const script = section.slice(section.indexOf('scratchpad init'));
  const lines = script.replace(/"([^"]*)"/g, (text) => text.replaceAll('\n', '\u0000')).split('\n');
  const cwd = testDir();
  const said: string[] = [];
  for (const line of lines.filter((each) => each.startsWith('scratchpad '))) {
    const words = wordsOf(line)
      .slice(1)
      .map((word) => word.replaceAll('\u0000', '\n'));
    const { exitCode, stdout, stderr } = await runCli(words, { cwd });
    expect([words.join(' '), exitCode, exitCode === 0 ? '' : stderr]).toEqual([words.join(' '), 0, '']);
    const promised = /# (1\. .*)$/.exec(line)?.[1];
    if (promised !== undefined) expect(stdout).toContain(promised);
    said.push(stdout);
  }
  expect(said.at(-1)).toMatch(
    /1\. ~~Fix auth bug~~ DONE\n2\. Add test[\s\S]*Root cause: timezone mismatch[\s\S]*- src\/auth\/login\.ts/,
  );
});

test('the program of the README runs as it is printed, in an empty folder', async () => {
  const program = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
  const cwd = testDir({ 'example.mjs': program, 'node_modules/': '' });
  symlinkSync(ROOT, join(cwd, 'node_modules/scratchpad'));
  const { SCRATCHPAD_INIT: _, ...env } = minimalEnv();
  const done = await execa(process.execPath, ['example.mjs'], { cwd, env, extendEnv: false, reject: false });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toContain('Never touch the coupon code');
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('Root cause: timezone mismatch');
});
