import type { Command } from 'commander';
import { buildProgram } from '../src/commands/program.ts';

/** A command with its arguments, as it is typed. */
function renderUsage(command: Command, path: readonly string[]): string {
  const texts = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...path, command.name(), ...texts].join(' ');
}

/** A row for each command that does something, in the order of the help text. */
const renderRows = (commands: readonly Command[], path: readonly string[] = []): string[] =>
  commands.flatMap((command) =>
    command.commands.length > 0
      ? renderRows(command.commands, [...path, command.name()])
      : [`- \`${renderUsage(command, path)}\`: ${command.description()}`],
  );

/** `docs/commands.md`, made from the declarations of the commands. */
export async function renderCommandsPage(): Promise<string> {
  const { commands } = await buildProgram();
  return [
    '# Commands',
    '',
    '`scratchpad COMMAND --help` shows examples and options. Every command takes `-w DIR`, `-s SESSION`, `--init`, `--json`,',
    '`-q` and `--now TIME`. Results go to stdout, everything else to stderr. A text is given as an argument, as `-` for',
    'stdin, or with `--file PATH`; after `--` it may begin with anything. Exit codes are in [tools.md](tools.md#json-and-exit-codes).',
    '',
    'Short forms: `note TEXT`, `todo TEXT`, `ref URL`, `done N`, `next`, `ls`, `cat NAME`, `rm NAME`, `log`. `notes append` is',
    '`notes add`.',
    '',
    ...renderRows(commands),
    '',
  ].join('\n');
}
