import { describe, expect, test } from 'vitest';
import { guardDashes, unescapeOperand } from '../../src/commands/command.ts';
import { buildProgram, ROWS } from '../../src/commands/program.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const whole = await buildProgram();

describe('the program', () => {
  test('every command is declared alone as in the full program, and the others by their names', async () => {
    const names = whole.commands.map((command) => command.name());
    for (const row of ROWS) {
      const alone = await buildProgram([row]);
      expect(alone.commands.map((command) => command.name())).toEqual(names);
      const help = ({ commands }: typeof whole) =>
        commands.find((command) => command.name() === row.name)?.helpInformation();
      expect(help(alone), row.name).toBe(help(whole));
    }
  });

  test('every command that can be called has a function', async () => {
    const called = ({ verbs, run }: Awaited<ReturnType<(typeof ROWS)[number]['load']>>): unknown[] =>
      verbs ? Object.values(verbs).flatMap(called) : [run];
    for (const { name, load } of ROWS)
      for (const run of called(await load())) expect(run, name).toBeTypeOf('function');
  });

  test('its help fits one screen, and all commands are one word away', async () => {
    const short = await runWarm(['--help'], { cwd: testDir() });
    expect(short.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
    const names = [...short.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
    expect(names).toHaveLength(15);
    const known = whole.commands.map((command) => command.name());
    expect(known).toEqual(expect.arrayContaining(names));
    expect(short.stdout).toContain('scratchpad help --all');
    const all = await runWarm(['help', '--all'], { cwd: testDir() });
    for (const word of 'note todo done next ref ls log rm cat reopen'.split(' '))
      expect(all.stdout).toMatch(new RegExp(`^  ${word} +scratchpad`, 'm'));
    for (const name of known) expect(all.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    const one = await runWarm(['notes', 'add', '--help'], { cwd: testDir() });
    expect(one.stdout).toMatch(/^Examples:\n[\s\S]*\nGlobal options: [^\n]*--json[^\n]*\n$/);
  });

  test('every command shows an example', () => {
    for (const command of whole.commands) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help, command.name()).toMatch(/^Examples:\n {2}\$ .*scratchpad /);
    }
  });

  test('every command and subcommand says what it does', () => {
    const walk = (
      commands: readonly { name(): string; description(): string; commands: readonly never[] }[],
    ): void => {
      for (const command of commands) {
        expect(command.description(), command.name()).not.toBe('');
        walk(command.commands);
      }
    };
    walk(whole.commands as never);
  });
});

test('a word with a dash and a blank is text, an option stays an option', () => {
  const guarded = guardDashes(['notes', 'append', '- found it', '-- so', '--json', '-q', '-']);
  expect(guarded.slice(4)).toEqual(['--json', '-q', '-']);
  expect(guarded[2]).not.toMatch(/^-/);
  expect(guarded.map(unescapeOperand)).toEqual([
    'notes',
    'append',
    '- found it',
    '-- so',
    '--json',
    '-q',
    '-',
  ]);
});
