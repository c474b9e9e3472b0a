import type { Command } from 'commander';
import { buildProgram } from '../src/commands/program.ts';

/** Both manuals are made from the declarations of the commands: the page of `man`, in roff, and `docs/commands.md`. */
export async function manualPage(version: string): Promise<string> {
  const program = await buildProgram();
  return [
    `.TH SCRATCHPAD 1 "" "scratchpad ${version}" "User Commands"`,
    '.SH NAME',
    `scratchpad \\- ${renderRoff(program.description())}`,
    '.SH SYNOPSIS',
    '.B scratchpad',
    '[options] [command]',
    '.SH DESCRIPTION',
    'Without a command it shows a summary of the pad. Results go to standard output, everything else to standard error.',
    '.SH OPTIONS',
    ...program.options.flatMap(({ flags, description }) => [
      '.TP',
      `.B ${renderRoff(flags)}`,
      renderRoff(description),
    ]),
    '.SH COMMANDS',
    ...renderEach(program.commands, renderCommand),
    '.SH EXIT STATUS',
    ...[
      ['0', 'done'],
      ['1', 'refused, with nothing changed; or nothing was found'],
      ['2', 'wrong usage or invalid input'],
      ['3', 'system error: a file that cannot be read or written, a lock held too long'],
      ['4', 'stale (check only)'],
    ].flatMap(([code, meaning]) => ['.TP', `.B ${code}`, `${meaning}`]),
    '.SH ENVIRONMENT',
    ...[
      ['SCRATCHPAD_WORKSPACE', 'the directory that holds SCRATCHPAD.md'],
      ['SCRATCHPAD_SESSION', 'id of the session whose pad to use'],
      ['VISUAL, EDITOR', 'the editor that edit opens'],
      ['NO_COLOR, FORCE_COLOR', 'turn colours off, or on where stdout is not a terminal'],
    ].flatMap(([name, meaning]) => ['.TP', `.B ${name}`, `${meaning}`]),
    '',
  ].join('\n');
}

/** A command with its arguments, as it is typed. */
function renderUsage(command: Command, path: readonly string[]): string {
  const texts = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...path, command.name(), ...texts].join(' ');
}

/** What `tell` says of each command that does something, in the order of the help text. */
function renderEach(
  commands: readonly Command[],
  tell: (command: Command, usage: string) => string[],
  path: readonly string[] = [],
): string[] {
  return commands.flatMap((command) =>
    command.commands.length > 0
      ? renderEach(command.commands, tell, [...path, command.name()])
      : tell(command, renderUsage(command, path)),
  );
}

const renderCommand = (command: Command, usage: string): string[] => [
  '.TP',
  `.B ${renderRoff(usage)}`,
  renderRoff(command.description()),
  ...command.options.flatMap(({ flags, description }) => [
    '.RS',
    '.TP',
    `.B ${renderRoff(flags)}`,
    renderRoff(description),
    '.RE',
  ]),
];

/** Escapes text for roff: a dash can be copied as one, and no line begins with a dot. */
function renderRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

/** `docs/commands.md`, which the build writes for the package. */
export async function renderCommandsPage(): Promise<string> {
  const { commands } = await buildProgram();
  const rows = renderEach(commands, (command, usage) => [`- \`${usage}\`: ${command.description()}`]);
  return [
    '# Commands',
    '',
    '`scratchpad COMMAND --help` shows examples and options. Every command takes `-w DIR`, `-s SESSION`, `--init`, `--json`,',
    '`-q` and `--now TIME`. Results go to stdout, everything else to stderr. A text is given as an argument, as `-` for',
    'stdin, or with `--file PATH`; after `--` it may begin with anything. Exit codes are in [tools.md](tools.md#json-and-exit-codes).',
    '',
    ...rows,
    '',
  ].join('\n');
}
