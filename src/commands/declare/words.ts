import type { Command } from 'commander';
import { misuse, type ScratchpadError } from '../../base/errors.ts';
import { nearest } from '../../config/nearest.ts';
import { isUnknownOption, nextOperand } from './operands.ts';

/**
 * The likely intent behind words that are not commands; similarity of spelling would not find these. Of a word in
 * several rows the first command that exists counts.
 */
const MEANT = new Map<string, string[]>();
for (const row of `
show: ls list cat view get read
read: show cat view get open
list: show
get: show read
set: write
add: new create insert
write: add new create insert save put store
edit: update change open
remove: rm delete del
delete: rm remove del
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
refs: file link`.split('\n')) {
  const [meant = '', words = ''] = row.split(': ');
  for (const word of words.split(' ')) MEANT.set(word, [...(MEANT.get(word) ?? []), meant]);
}

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

/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;
/** A word for doing something is not the beginning of a text. */
const isVerb = (word: string): boolean => MEANT.has(word) || [...MEANT.values()].flat().includes(word);

/** The spaces, in which a verb without a noun was probably meant. */
const SPACES = ['plan', 'notes', 'refs'];
/** Words for what needs no command: a session begins with the first change that names it. */
const BEGIN_SESSION = /^(?:new|create|start|begin|add|use|switch|open|select)$/;

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
  const whole = path.join(' ');
  const help = `${whole} --help shows the commands`;
  const others = rest.slice(1).filter((other) => !other.startsWith('-'));
  const calls = misplaced(word, others, command, path);
  const near = calls.length > 0 ? calls.join(', ') : namedLike(word, command);
  const begins = path[1] === 'session' && BEGIN_SESSION.test(word);
  const noun = path.slice(1).join(' ');
  const fits = near === undefined && (TAKES_TEXT.test(noun) || (others.length === 0 && !isVerb(word)));
  const usual = fits && rest.length > 0 ? USUAL.get(noun) : undefined;
  const next = begins
    ? `a session begins with its first change: scratchpad --session ${quoted(others[0] ?? 'ID')} --init notes add "…"`
    : usual !== undefined && `perhaps scratchpad ${usual} ${JSON.stringify([word, ...others].join(' '))}`;
  return misuse(
    path.length === 1 ? `unknown command '${word}'` : `${path.slice(1).join(' ')} has no command '${word}'`,
    {
      expected: near === undefined || begins ? undefined : `perhaps ${near}`,
      next: next ? `${next}; ${help}` : help,
    },
  );
}

/** The subcommand that a word means or resembles. */
function namedLike(word: string, command: Command): string | undefined {
  return verbOf(word, command) ?? nearest(word, namesOf(command));
}

/** The subcommand that a word means. */
function verbOf(word: string, command: Command): string | undefined {
  const names = namesOf(command);
  return [word, ...(MEANT.get(word.toLowerCase()) ?? [])].find((name) => names.includes(name));
}

function namesOf(command: Command): string[] {
  return command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
}

/** Calls in which the words are in their places: for `plan 1 done`, `add plan "x"` and `done 1`. */
function misplaced(
  word: string,
  others: readonly string[],
  command: Command,
  path: readonly string[],
): string[] {
  const spell = (...words: readonly string[]): string => ['scratchpad', ...words.map(quoted)].join(' ');
  if (path.length > 1) {
    const verb = verbOf(others.at(-1) ?? '', command);
    const operands = [word, ...others.slice(0, -1)];
    return verb !== undefined && operands.every((each) => /^\d+$/.test(each))
      ? [spell(...path.slice(1), verb, ...operands)]
      : [];
  }
  const withVerb = (noun: string, operands: readonly string[]): string[] => {
    const child = childNamed(command, noun);
    const verb = child && verbOf(word, child);
    return verb === undefined ? [] : [spell(noun, verb, ...operands)];
  };
  const swapped = withVerb(others[0] ?? '', others.slice(1));
  if (swapped.length > 0 || namedLike(word, command) !== undefined) return swapped;
  return SPACES.flatMap((space) => withVerb(space, others));
}

/** A word as a person would type it in a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);
}
