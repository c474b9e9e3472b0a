import { describe, expect, test } from 'vitest';
import { type Declared, guardDashes, unguard } from '../../src/commands/declare/family.ts';
import { buildProgram, FAMILIES } from '../../src/commands/program.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const act = () => async () => undefined;

describe('the program', () => {
  test('every command is found by its first word alone, and declared as in the full program', () => {
    const whole = buildProgram(act);
    expect(whole.commands.length).toBeGreaterThan(15);
    for (const command of whole.commands) {
      const alone = buildProgram(act, command.name()).commands.find(
        (other) => other.name() === command.name(),
      );
      expect(alone?.helpInformation(), command.name()).toBe(command.helpInformation());
      expect(buildProgram(act, command.name()).commands.length).toBeLessThan(whole.commands.length);
    }
  });

  test('every command that can be called has a function', async () => {
    const called = ({ verbs, ...command }: Declared): readonly Declared[] =>
      verbs?.flatMap(called) ?? [command];
    for (const each of FAMILIES.flatMap(({ commands }) => commands).flatMap(called))
      expect(await each.body?.(), each.name).toBeTypeOf('function');
  });

  test('its help fits one screen, and all commands are one word away', async () => {
    const short = await runWarm(['--help'], { cwd: testDir() });
    expect(short.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
    const names = [...short.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
    expect(names).toHaveLength(14);
    const known = buildProgram(act).commands.map((command) => command.name());
    expect(known).toEqual(expect.arrayContaining(names));
    expect(short.stdout).toContain('scratchpad help --all');
    const all = await runWarm(['help', '--all'], { cwd: testDir() });
    for (const word of 'note todo done next ref ls log rm cat reopen'.split(' '))
      expect(all.stdout).toMatch(new RegExp(`^  ${word} +the same as: scratchpad`, 'm'));
    for (const name of known) expect(all.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    const one = await runWarm(['notes', 'add', '--help'], { cwd: testDir() });
    expect(one.stdout).toMatch(/^Examples:\n[\s\S]*\nGlobal options: [^\n]*--json[^\n]*\n$/);
  });

  test('every command shows an example', () => {
    for (const command of buildProgram(act).commands) {
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
    walk(buildProgram(act).commands as never);
  });
});

test('a word with a dash and a blank is text, an option stays an option', () => {
  const guarded = guardDashes(['notes', 'append', '- found it', '-- so', '--json', '-q', '-']);
  expect(guarded.slice(4)).toEqual(['--json', '-q', '-']);
  expect(guarded[2]).not.toMatch(/^-/);
  expect(guarded.map(unguard)).toEqual(['notes', 'append', '- found it', '-- so', '--json', '-q', '-']);
});
