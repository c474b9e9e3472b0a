import { describe, expect, test } from 'vitest';
import { buildProgram } from '../src/cli.ts';
import { guardDashes, unguard } from '../src/commands/declare/dashes.ts';
import { DIRECT, directCall } from '../src/direct.ts';

const act = () => async () => undefined;

describe('the program', () => {
  test('every command is found by its first word alone, and declared just as in the whole', () => {
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

  test('every command shows an example', () => {
    for (const command of buildProgram(act).commands) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help, command.name()).toMatch(/\nExamples:\n {2}\$ .*scratchpad /);
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

test('a word of a dash and a blank is text, an option stays an option', () => {
  const guarded = guardDashes(['notes', 'append', '- found it', '-- so', '--json', '-q', '-']);
  expect(guarded.slice(4)).toEqual(['--json', '-q', '-']);
  expect(guarded[2]).not.toMatch(/^-/);
  expect(guarded.map(unguard)).toEqual(['notes', 'append', '- found it', '-- so', '--json', '-q', '-']);
});

describe('lines that need no parser', () => {
  /** What commander makes of a line: the arguments and options that the body would get. */
  async function parsed(argv: string[]): Promise<unknown[]> {
    let seen: unknown[] = [];
    const program = buildProgram(
      () =>
        async (...args) => {
          const command = args.pop() as { optsWithGlobals(): Record<string, unknown> };
          args.pop();
          seen = [
            args.map((arg) => {
              if (Array.isArray(arg)) return arg.map(unguard);
              return typeof arg === 'string' ? unguard(arg) : arg;
            }),
            command.optsWithGlobals(),
          ];
        },
      argv[0],
    );
    await program.parseAsync(guardDashes(argv), { from: 'user' });
    return seen;
  }

  const globals = ['-w', '/x', '--session', 's 1', '--json', '-q', '--now', '2026-02-06T00:00:00Z'];
  test.each(DIRECT.map(({ words, texts }) => [words.join(' '), words, texts] as const))(
    '%s is read as the parser reads it',
    async (_, words, texts) => {
      const counts = texts === 'any' ? [0, 1, 3] : [texts];
      const cases = counts.flatMap((count) =>
        ['plain', '- a list item', '-', 'two words'].map((text) => Array<string>(count).fill(text)),
      );
      for (const given of cases) {
        const line = [...words, ...given];
        for (const argv of [
          line,
          [...line, ...globals],
          [...words, ...globals, ...line.slice(words.length)],
        ]) {
          const call = directCall(argv);
          const [args, options] = (await parsed(argv)) as [unknown[], Record<string, unknown>];
          expect(call?.args).toEqual(args.filter((arg) => arg !== undefined));
          expect(options).toMatchObject(call?.options ?? {});
          // Options of the command's own that have a default are the body's to know.
          expect(Object.keys(options).length).toBeGreaterThanOrEqual(Object.keys(call?.options ?? {}).length);
        }
      }
    },
  );

  test.each([
    [['notes', 'append']],
    [['notes', 'append', 'a', 'b']],
    [['notes', 'append', '--file', 'x']],
    [['notes', 'append', '--', '--x']],
    [['notes', '--help']],
    [['context', '--version']],
    [['context', '-w']],
    [['context', '-w', '']],
    [['context', '-w', '--json']],
    [['context', '--workspace=/x']],
    [['assemble', '--dry-run']],
    [['plan', 'done', '-3']],
    [['memory', 'search', 'x', '--explain']],
    [['memory', 'search', '-n', '3', 'x']],
    [['memory', 'status']],
    [[]],
  ])('%j is left to the parser', (argv) => {
    expect(directCall(argv as string[])).toBeUndefined();
  });
});
