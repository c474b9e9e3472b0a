import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { copyExample } from '../scripts/samples.ts';
import { guardDashes } from '../src/commands/declare/family.ts';
import { endOfOptions } from '../src/commands/declare/operands.ts';
import { checkWords } from '../src/commands/declare/words.ts';
import { buildProgram } from '../src/commands/program.ts';
import { callsOn, PAGES, ROOT, wordsOf } from './helpers/docs-calls.ts';
import { runCli } from './helpers/run-cli.ts';
import { runWarm } from './helpers/run-warm.ts';
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
  if (argv[0] === 'completion' || argv[0] === 'COMMAND') return undefined;
  try {
    checkWords(argv, program);
    await program.parseAsync(guardDashes(endOfOptions(argv, program)), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

test.each(PAGES)('every call of the program in %s is valid', async (page) => {
  const wrong: string[] = [];
  for (const line of callsOn(page)) {
    const found = await complaint(line);
    if (found !== undefined) wrong.push(`${line}: ${found}`);
  }
  expect(wrong).toEqual([]);
});

/** The session of the example, which pages name in the home directory, too. */
const SESSION = '7c1f0a52-3b6e-4d19-9a84-51e0c7d2b6f3.jsonl';

/** Calls that do not end with exit code 0 in the example, and why. */
const OTHERWISE: readonly [call: RegExp, exitCode: number | 'not run', why: string][] = [
  [/ (?:mcp|watch|schedule)\b(?!.*--dry-run)/, 'not run', 'runs until it is ended: test/mcp, test/triggers'],
  [/ memory index$/, 'not run', 'asks the service that the line before has set'],
  [/ store (?:join|pull|push)\b/, 1, 'no store is set'],
  [/ (?:plan|refs) adopt\b/, 1, 'the session of the example has neither tasks nor files'],
];

test.each(PAGES.filter((page) => callsOn(page, 'by hand').length > 0))(
  'every call of the program in %s runs in the example, in order',
  async (page) => {
    const root = testDir({ 'home/': '' });
    const [cwd, home] = [join(root, 'agent'), join(root, 'home')];
    copyExample(cwd);
    writeFileSync(join(cwd, 'package.json'), '{"scripts": {"test": "seq 20000; echo FAIL"}}');
    cpSync(join(cwd, 'sessions', SESSION), join(home, 'old/session.jsonl'));
    const env = { ...new StandIns(home).env, HOME: home, SHELL: '/bin/bash', EDITOR: 'true' };
    await runWarm(['init'], { cwd, env });
    for (const line of callsOn(page, 'by hand')) {
      const words = wordsOf(line)
        .slice(1)
        .map((word) => word.replace(/^~\//, `${home}/`));
      const exitCode = OTHERWISE.find(([call]) => call.test(line))?.[1] ?? 0;
      if (exitCode === 'not run') continue;
      // Without a yes of a person, and pages show several ways to install.
      const dry = words[0] === 'install' && !words.includes('--dry-run') ? ['--dry-run'] : [];
      const done = await runWarm([...words, ...dry], { cwd, env });
      expect([line, done.exitCode, done.stderr]).toEqual([
        line,
        exitCode,
        exitCode === 0 ? expect.any(String) : expect.stringMatching(/\n {2}(?:next|expected): /),
      ]);
    }
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
