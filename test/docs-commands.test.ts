import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { guardDashes } from '../src/commands/declare/dashes.ts';
import { endOfOptions } from '../src/commands/declare/operands.ts';
import { checkWords } from '../src/commands/declare/words.ts';
import { buildProgram } from '../src/commands/program.ts';
import { runCli } from './helpers/run-cli.ts';
import { testDir } from './helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'workspace-example/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((page) => existsSync(join(ROOT, page)));

/** Words of a line for a shell, as far as documentation needs it; what follows a pipe, a comment or a redirection goes. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [whole, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)) {
    if (plain !== undefined && /^(?:#|\||>|<|&&|\|\||;|2>)/.test(plain)) break;
    words.push(double ?? single ?? plain ?? whole);
  }
  return words.map((word) => word.replace(/;$/, ''));
}

/** The lines of a page's code blocks that call the program. */
function callsOn(page: string): string[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:sh|console|bash)\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block = '']) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      // Where commands stand behind a prompt, the other lines are what they print.
      .filter((line) => !/^\$ /m.test(block) || line.startsWith('$ '))
      .flatMap((line) => /(?:^|\$ |\| )(scratchpad\b.*)$/.exec(line.replace(/\n/g, ' '))?.[1] ?? []),
  );
}

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

test.each(PAGES)('every call of the program in %s is one that it takes', async (page) => {
  const wrong: string[] = [];
  for (const line of callsOn(page)) {
    // A text that goes on in the next line has one quote here.
    const whole = (line.match(/"/g) ?? []).length % 2 === 0 ? line : `${line}"`;
    const found = await complaint(whole);
    if (found !== undefined) wrong.push(`${line}: ${found}`);
  }
  expect(wrong).toEqual([]);
});

test('the five minutes of the README, as they are written there', async () => {
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
