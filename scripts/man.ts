import type { Command } from 'commander';
import { buildProgram } from '../src/commands/program.ts';

/** The manual page, made from the declarations of the commands: roff for man(1). */
export function manualPage(version: string): string {
  const program = buildProgram(() => async () => undefined);
  return [
    `.TH SCRATCHPAD 1 "" "scratchpad ${version}" "User Commands"`,
    '.SH NAME',
    `scratchpad \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B scratchpad',
    '[options] [command]',
    '.SH DESCRIPTION',
    'Without a command it shows the pad in brief. Results go to standard output, everything else to standard error.',
    '.SH OPTIONS',
    ...program.options.flatMap(({ flags, description }) => ['.TP', `.B ${roff(flags)}`, roff(description)]),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandPart(command, [])),
    '.SH EXIT STATUS',
    ...[
      ['0', 'done'],
      ['1', 'refused: nothing was changed; or nothing was found'],
      ['2', 'wrong usage or invalid input'],
      ['3', 'the machine: a file that cannot be read or written, a lock held too long'],
      ['4', 'stale (check only)'],
    ].flatMap(([code, meaning]) => ['.TP', `.B ${code}`, `${meaning}`]),
    '.SH ENVIRONMENT',
    ...[
      ['SCRATCHPAD_WORKSPACE', 'the directory that holds SCRATCHPAD.md'],
      ['SCRATCHPAD_SESSION', 'whose pad'],
      ['VISUAL, EDITOR', 'the editor of edit'],
      ['NO_COLOR, FORCE_COLOR', 'colours off, or on where stdout is no terminal'],
    ].flatMap(([name, meaning]) => ['.TP', `.B ${name}`, `${meaning}`]),
    '',
  ].join('\n');
}

function commandPart(command: Command, path: readonly string[]): string[] {
  const names = [...path, command.name()];
  if (command.commands.length > 0) return command.commands.flatMap((child) => commandPart(child, names));
  const texts = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [
    '.TP',
    `.B ${roff([...names, ...texts].join(' '))}`,
    roff(command.description()),
    ...command.options.flatMap(({ flags, description }) => [
      '.RS',
      '.TP',
      `.B ${roff(flags)}`,
      roff(description),
      '.RE',
    ]),
  ];
}

/** Text that roff takes for text: a dash is one that can be copied, and a line does not begin with a dot. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
