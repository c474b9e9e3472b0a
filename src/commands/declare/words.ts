import type { Command } from 'commander';
import { nearest } from '../../config/nearest.ts';
import { ScratchpadError } from '../../errors.ts';
import { isUnknownOption, nextOperand } from './operands.ts';

/** The likely intent behind words that are not commands; similarity of spelling would not find these. */
const MEANT = new Map(
  `
show: ls list cat view get read
set: write
add: new create insert
edit: update change open
remove: rm delete del
move: mv
done: tick complete check finish
clear: reset empty
plan: todo todos task tasks step steps
history: log
undo: revert
restore: rollback
search: find grep
config: settings
install: setup
assemble: refresh
refs: file link
`
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [meant = '', words = ''] = row.split(': ');
      return words.split(' ').map((word) => [word, meant]);
    }),
);

/** The subcommand that words which are not commands were most likely meant for, by the command before them. */
const USUAL = new Map([
  ['notes', 'notes add'],
  ['plan', 'plan add'],
  ['refs', 'refs add'],
  ['memory', 'memory search'],
  ['entry', 'entry read'],
  ['session', 'session show'],
  ['config', 'config get'],
  ['transcript', 'transcript show'],
]);

/**
 * Suggests what an unknown word may have meant before commander misreads it: a command that
 * shows its space when no verb is given would call it an excess argument.
 * @throws ScratchpadError `usage`
 */
export function checkWords(argv: readonly string[], program: Command): void {
  let command = program;
  const path = ['scratchpad'];
  const declaring = [program];
  for (let at = nextOperand(argv, 0, declaring); at !== -1; at = nextOperand(argv, at + 1, declaring)) {
    const word = argv[at] ?? '';
    if (command.commands.length === 0) return;
    const next = childNamed(command, word);
    if (!next) {
      // For an unknown command, commander prints the help of all.
      if (word === 'help') checkHelp(argv.slice(at + 1), command, path);
      if (word === 'help' || (command === program && word === 'complete')) return;
      // It takes the name of a shell as well as a verb.
      if (command.registeredArguments.length > 0) return;
      // It may be the value of an option that does not exist: commander names that.
      if (argv.slice(0, at).some((before) => isUnknownOption(before, declaring))) return;
      throw unknownWord(word, argv.slice(at), command, path);
    }
    command = next;
    declaring.push(next);
    path.push(next.name());
  }
}

/** Follows the words after `help`. @throws ScratchpadError `usage` if one of them is not a command */
function checkHelp(words: readonly string[], command: Command, path: readonly string[]): void {
  const [word, ...more] = words;
  if (word === undefined || word.startsWith('-')) return;
  const next = childNamed(command, word);
  if (!next) throw unknownWord(word, [], command, path);
  checkHelp(more, next, [...path, next.name()]);
}

function childNamed(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

function unknownWord(
  word: string,
  rest: readonly string[],
  command: Command,
  path: readonly string[],
): ScratchpadError {
  const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const synonym = MEANT.get(word.toLowerCase());
  const near = synonym !== undefined && names.includes(synonym) ? synonym : nearest(word, names);
  const whole = path.join(' ');
  const usual = near === undefined && rest.length > 0 ? USUAL.get(path.slice(1).join(' ')) : undefined;
  const text = rest.filter((other) => !other.startsWith('-')).join(' ');
  const help = `${whole} --help shows the commands`;
  return new ScratchpadError(
    'usage',
    path.length === 1 ? `unknown command '${word}'` : `${path.slice(1).join(' ')} has no command '${word}'`,
    {
      ...(near !== undefined && { expected: `perhaps ${near}` }),
      next: usual === undefined ? help : `perhaps scratchpad ${usual} ${JSON.stringify(text)}; ${help}`,
    },
  );
}
