import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { copyExample } from '../scripts/samples.ts';
import { guardDashes } from '../src/commands/declare/family.ts';
import { endOfOptions } from '../src/commands/declare/operands.ts';
import { checkWords } from '../src/commands/declare/words.ts';
import { buildProgram } from '../src/commands/program.ts';
import { callsOn, commandsOn, PAGES, ROOT, wordsOf } from './helpers/docs-calls.ts';
import { minimalEnv, PROGRAM, runCli } from './helpers/run-cli.ts';
import { StandIns } from './helpers/stand-ins.ts';
import { testDir } from './helpers/test-dir.ts';

/** What is wrong with a call, by the declarations of the commands; nothing is run. */
async function complaint(line: string): Promise<string | undefined> {
  const argv = wordsOf(line).slice(1);
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    for (const child of command.commands) quiet(child);
  };
  const program = buildProgram(() => async () => undefined);
  quiet(program);
  if (argv[0] === 'completion' || /^[A-Z]+$/.test(argv[0] ?? '')) return undefined;
  try {
    checkWords(argv, program);
    await program.parseAsync(guardDashes(endOfOptions(argv, program)), { from: 'user' });
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
  [/^npm (?:cit?|start)\b/, 'test/package.test.ts packs and installs; test/start/example.test.ts'],
  [/^openclaw /, 'a program of its own; test/install/timers/'],
];

/** Commands that do not end with exit code 0 in an empty folder, and why. */
const OTHERWISE: readonly [command: RegExp, exitCode: number, why: string][] = [];

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
      const done = await execa('sh', ['-c', typed], {
        cwd,
        env: shell,
        extendEnv: false,
        input: '',
        reject: false,
      });
      const exitCode = OTHERWISE.find(([each]) => each.test(command))?.[1] ?? 0;
      expect([command, done.exitCode, done.stderr]).toEqual([command, exitCode, expect.any(String)]);
    }
  },
  60_000,
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
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('Root cause: timezone mismatch');
});
