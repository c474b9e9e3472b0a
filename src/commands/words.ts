import type { Command, CommanderError } from 'commander';
import { type ScratchpadError, usageError } from '../base/errors.ts';
import { formatCall } from '../base/text/shell.ts';
import { findNearest } from '../config/values.ts';
import { findNextOperand, findSubcommand, unescapeOperand } from './command.ts';
import { isNumber, readPipedText, readWords } from './invocation.ts';

/* Words that people type which are no commands: some stand for one, for the others an error suggests some. */

type Commands = readonly Command[];

const buildMap = (
  ...rows: readonly (readonly [words: string, meant: string])[]
): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([words, meant]) => words.split(' ').map((word) => [word, meant] as const)));

/** Words for one thing in a space: alone they print it, a text behind them is added to it. */
const SPACE_WORDS = buildMap(
  ['note', 'notes'],
  ['todo todos task tasks step steps', 'plan'],
  ['ref', 'refs'],
);

/** Words that stand for a command. A shell asks for suggestions with `complete -- WORDS`. */
const SHORT = buildMap(
  ['done complete', 'plan done'],
  ['reopen', 'plan undone'],
  ['next', 'plan next'],
  ['ls list cat view', 'show'],
  ['log', 'history'],
  ['find grep recall', 'search'],
  ['rm', 'entry delete'],
  ['entries outputs', 'entry'],
  ['sessions', 'session'],
  ['st', 'status'],
  ['trail', 'handover'],
  ['version', '--version'],
);

/** The command that a short word stands for; for a thing in a space, the space. */
export const findMeantCommand = (word: string): string | undefined =>
  SPACE_WORDS.get(word) ?? SHORT.get(word);

export const listShortWords = (): [word: string, meant: string][] => [
  ...[...SPACE_WORDS].map(([word, noun]): [string, string] => [word, `${noun}; with words: ${noun} add`]),
  ...[...SHORT].map(([word, meant]): [string, string] => [word, meant]),
];

/** Expands a short word in a shell's question: `complete -- done ''` asks what may follow `plan done`. */
export function completeWords(argv: readonly string[]): readonly string[] {
  const [complete, dashes, word = '', ...rest] = argv;
  if (complete !== 'complete' || dashes !== '--' || rest.length === 0) return argv;
  if (word === 'help') return completeWords([complete, dashes, ...rest]);
  return [complete, dashes, ...(findMeantCommand(word)?.split(' ') ?? [word]), ...rest];
}

/**
 * The command line with a short word at its beginning, or `help`, replaced by what it stands for.
 * @throws ScratchpadError `usage` for words that may mean two things
 */
export function expandShortWord(argv: readonly string[], program: Command): readonly string[] {
  const index = findNextOperand(argv, 0, [program]);
  const word = argv[index] ?? '';
  const [before, rest] = [argv.slice(0, index), argv.slice(index + 1)];
  const [first = ''] = rest;
  if (word === 'help' && first !== '' && !first.startsWith('-'))
    return [...before, ...findHelpPath(rest, program), '--help'];

  const noun = findSubcommand(program, SPACE_WORDS.get(word) ?? word);
  if (first === 'help' && noun && noun.commands.length > 0)
    return [...before, ...findHelpPath([noun.name(), ...rest.slice(1)], program), '--help'];
  if (noun && SPACE_WORDS.has(word))
    return [...before, noun.name(), ...expandSpaceWord(word, rest, noun, program)];

  const meant = SHORT.get(word);
  if (meant === undefined || (word === 'complete' && first === '--')) return argv;

  const isAlone = findNextOperand(argv, index + 1, [program]) === -1;
  const piped = isAlone && /^(?:cat|view)$/.test(word) && !first.startsWith('-h') ? readWords([]) : '';
  if (piped !== '') return [...before, 'show', ...rest, '--', piped];

  const isOverview = isAlone && /^(?:ls|list)$/.test(word) && !rest.includes('--');
  return [...before, ...(isOverview ? [] : meant.split(' ')), ...rest];
}

const isHelp = (word: string): boolean => /^(?:-h|--help)$/.test(word);
const isNumberList = (word: string): boolean => /^\d[\d,-]*$/.test(word);

/**
 * The words behind `note`, `todo` or `ref` as those of the space's command; the first row that fits decides:
 *
 * | options alone           | prints the space, or adds what a shell pipes                      |
 * | -h, --help              | prints the help                                                   |
 * | add, and any text       | is that command; behind `ref` so is every verb, with any text     |
 * | a verb of the space     | is that command, with numbers or nothing behind it, else an error |
 * | a number                | an error if alone or with one verb behind it, which may be a text |
 * | a command, then numbers | an error, for the same reason                                     |
 * | any other text          | adds it                                                           |
 */
function expandSpaceWord(
  word: string,
  rest: readonly string[],
  space: Command,
  program: Command,
): readonly string[] {
  // A list item, a number below zero and the dash for stdin begin a text.
  const isText = rest.some((each) => /^-+$|^-+\d|^-.*\s/.test(each));
  if (findNextOperand(rest, 0, [program]) === -1 && !isText) return expandOptions(word, rest, space);
  if (rest.some(isHelp)) return ['--help'];

  const [first = '', ...more] = rest;
  const plain = more.filter((each) => !each.startsWith('-'));
  const verb = findSubcommand(space, first)?.name();
  const hasOnlyNumbers = plain.every(isNumberList);
  if (verb === 'add' || (verb !== undefined && (word === 'ref' || hasOnlyNumbers))) return rest;

  const isVerbAlone = plain.length === 1 && findSubcommand(space, plain[0] ?? '') !== undefined;
  const isAmbiguous =
    verb !== undefined ||
    (isNumber(first) && (plain.length === 0 || isVerbAlone)) ||
    (hasOnlyNumbers && findSubcommand(program, first) !== undefined);
  if (!isAmbiguous) return ['add', ...rest];

  const noun = space.name();
  const command = isNumber(first) || verb !== undefined ? [noun, verb ?? 'show'] : [first];
  const numbered = isNumber(plain[0] ?? '') ? plain.slice(0, 1).concat(plain.slice(1).join(' ')) : [];
  const text = plain.length === 0 ? ['--', first] : [[first, ...plain].join(' ')];
  throw usageError(`'${word} ${first}' has two meanings: nothing was changed`, {
    expected: `${formatCall(...command, ...numbered)}, or ${formatCall(word, ...text)}`,
    next: `${formatCall(noun)} --help shows the commands`,
  });
}

/** Options alone add what a shell pipes, if anything. */
function expandOptions(word: string, options: readonly string[], space: Command): readonly string[] {
  const isReading = options.some((each) => isHelp(each) || each === '--numbers');
  const piped = isReading ? undefined : readPipedText({ files: false });
  if (piped === undefined) return options;
  if (piped.trim() !== '') return ['add', ...options, '--', piped];

  // The plural only asks. Behind the singular, the program that should have written a text has probably failed.
  if (word.endsWith('s')) return options;
  throw usageError('the text on stdin is empty: nothing was changed', {
    expected: 'the text to add',
    next: `to print what is there: ${formatCall(space.name())}`,
  });
}

/** commander's own `help` takes one name only. */
function findHelpPath([word = '', ...more]: readonly string[], program: Command): string[] {
  const path = [...(findMeantCommand(word) ?? word).split(' '), ...more];
  let command = program;
  for (const name of path) {
    const next = findSubcommand(command, name);
    if (next === undefined) throw unknownCommand([name], command);
    command = next;
  }
  return path;
}

const getCommandPath = (command: Command): string[] =>
  command.parent ? [...getCommandPath(command.parent), command.name()] : [];

/** A word that more descriptions hold says nothing. */
const MOST_HOLDERS = 5;
const MOST_SHOWN = 3;

/** Whether a word stands in a text, in whatever form; `setup` also as `set up`. */
function holdsWord(text: string, word: string): boolean {
  const trimEnding = (each: string): string => each.toLowerCase().replace(/(?:ing|ed|s)$/, '');
  const words = text.match(/[a-z]+/gi) ?? [];
  const forms = words.flatMap((each, k) => [each, each + (words[k + 1] ?? '')]);
  return word.length > 2 && forms.some((form) => trimEnding(form) === trimEnding(word));
}

/** The commands whose descriptions hold a word; if none does, their verbs. */
function findDescribed(word: string, commands: Commands): string[] {
  for (const level of [commands, commands.flatMap((command) => command.commands)]) {
    const holders = level.filter((each) => holdsWord(`${each.name()} ${each.description()}`, word));
    if (holders.length > 0 && holders.length <= MOST_HOLDERS)
      return holders
        .slice(0, MOST_SHOWN)
        .map((each) => `${formatCall(...getCommandPath(each))} (${each.description()})`);
  }

  return [];
}

/** What a line without a command may mean: a verb of a noun; unless it is a slip also a text, or a command's purpose. */
function listLikelyCommands(words: readonly string[], nouns: Commands, isSlip: boolean): readonly string[] {
  const [word = '', second = ''] = words;
  // `get notes`, `set notes TEXT`: the noun stands behind.
  const nounsBehind = nouns.filter(
    (noun) => noun.commands.length > 0 && noun.name() === (SPACE_WORDS.get(second) ?? second),
  );
  const calls = (nounsBehind.length > 0 ? nounsBehind : nouns).flatMap((noun) => {
    if (findSubcommand(noun, word)) return formatCall(noun.name(), word);
    return nounsBehind.length > 0 ? formatCall(noun.name()) : [];
  });
  if (calls.length > 0 || isSlip) return calls;

  const text = words.join(' ');
  const isText =
    words.length !== 2 && /\S\s+\S+\s+\S/.test(text) && !words.some((each) => each.startsWith('-'));
  return isText ? ['note', 'todo'].map((each) => formatCall(each, text)) : findDescribed(word, nouns);
}

function unknownCommand(words: readonly string[], command: Command, nouns: Commands = []): ScratchpadError {
  const path = getCommandPath(command);
  const [word = ''] = words;
  const problem =
    path.length === 0 ? `unknown command '${word}'` : `${path.join(' ')} has no command '${word}'`;
  return usageError(problem, {
    expected: suggestCommand(words, command, nouns),
    next: `${formatCall(...path)} --help shows the commands`,
  });
}

/** A slip of one letter is surer than a word of the help, and that than a command that is spelled a little alike. */
function suggestCommand(words: readonly string[], command: Command, nouns: Commands): string | undefined {
  const path = getCommandPath(command);
  const [word = ''] = words;
  const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const slip = findNearest(word, names, 1);
  const likely = path.length > 0 ? [] : listLikelyCommands(words, nouns, slip !== undefined);
  if (likely.length > 0) return `perhaps ${likely.join(' or ')}`;

  const near = slip ?? findNearest(word, names);
  if (near !== undefined) return `perhaps ${formatCall(...path, near)}`;

  const verbs = command.commands.map((child) => child.name()).join(', ');
  const addition = names.includes('add') && `perhaps ${formatCall(...path, 'add', words.join(' '))}`;
  const choice = path.length > 0 && !/\s/.test(word) && `one of ${verbs}`;
  return [addition, choice].filter(Boolean).join(', or ') || undefined;
}

/** @param nouns the commands that an unknown word may be a verb of */
export function translateCommanderError(
  error: CommanderError,
  command: Command,
  nouns: Commands,
): ScratchpadError {
  const { parent } = command;
  // To commander an unknown verb is an argument too many for the default one.
  const noun = parent?.parent && findSubcommand(parent, parent.args[0] ?? '') !== command ? parent : command;
  if (noun.commands.length > 0 && !(noun.args[0] ?? '-').startsWith('-'))
    return unknownCommand(noun.args, noun, nouns);

  const [message = '', hint = ''] = unescapeOperand(error.message.replace(/^error: /, '')).split('\n');
  const option = error.code === 'commander.unknownOption' ? /'(-[^'=]+)/.exec(message)?.[1] : undefined;
  const siblings = parent?.parent ? parent.commands : [];
  const takesText = [command, ...siblings].some((each) =>
    each.registeredArguments.some((argument) => argument.name() === 'text'),
  );
  const subject = command.commands.length > 0 ? 'the commands' : 'what it takes';
  const dashes = option && takesText ? '; -- comes before a text that begins with a dash' : '';

  return usageError(message, {
    expected: suggestArguments(error.code, hint, option, command, nouns),
    next: `${formatCall(...getCommandPath(command))} --help shows ${subject}${dashes}`,
  });
}

function suggestArguments(
  code: string,
  hint: string,
  unknownOption: string | undefined,
  command: Command,
  nouns: Commands,
): string | undefined {
  // Mostly the shell has split a text.
  if (code === 'commander.excessArguments') return 'fewer words; put a text of several words in quotes';

  const near = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  if (near !== undefined) return `perhaps ${near}`;
  if (unknownOption !== undefined) return suggestForOption(unknownOption, command, nouns);
  if (code !== 'commander.missingArgument') return undefined;
  return `${formatCall(...getCommandPath(command))} ${command.usage().replace(/^\[options\] ?/, '')}`;
}

/** What the command itself does, if its description holds the option's word; else its options, or another command. */
function suggestForOption(option: string, command: Command, nouns: Commands): string | undefined {
  const word = option.replace(/^-+/, '');
  const isOwn = holdsWord(command.description(), word);
  const options = command.options.map(({ long, short }) => long ?? short).join(', ');
  if (!isOwn && options !== '') return `one of ${options}`;

  const described = findDescribed(word, isOwn ? [command] : nouns).join(' or ');
  return described === '' ? undefined : `perhaps ${described}`;
}
