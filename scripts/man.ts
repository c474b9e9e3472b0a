import type { Command } from 'commander';
import { buildProgram } from '../src/commands/program.ts';

/** The manual page in roff, generated from the declarations of the commands. */
export async function manualPage(version: string): Promise<string> {
  const program = await buildProgram();
  return [
    `.TH SCRATCHPAD 1 "" "scratchpad ${version}" "User Commands"`,
    '.SH NAME',
    `scratchpad \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B scratchpad',
    '[options] [command]',
    '.SH DESCRIPTION',
    'Without a command it shows a summary of the pad. Results go to standard output, everything else to standard error.',
    '.SH OPTIONS',
    ...program.options.flatMap(({ flags, description }) => ['.TP', `.B ${roff(flags)}`, roff(description)]),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandPart(command, [])),
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

/** Escapes text for roff: a dash can be copied as one, and no line begins with a dot. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
