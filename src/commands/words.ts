import type { Command, CommanderError } from 'commander';
import { type ScratchpadError, usageError } from '../base/errors.ts';
import { findNearest } from '../config/values.ts';
import { findNextOperand, findSubcommand, unescapeOperand } from './command.ts';
import { formatCall, isNumber, readPipedText } from './invocation.ts';

/*
 * Words that people type which are no commands: some stand for one, and of the others the error says what was meant.
 */

const buildMap = (
  ...rows: readonly (readonly [words: string, meant: string])[]
): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([words, meant]) => words.split(' ').map((word) => [word, meant] as const)));

/** Words for one thing in a space: alone they print it, a text behind them is added to it. */
const ONE_OF = buildMap(['note', 'notes'], ['todo todos task tasks step steps', 'plan'], ['ref', 'refs']);

/** Words that stand for a command. A shell asks for suggestions with `complete -- WORDS`. */
const SHORT = buildMap(
  ['done complete', 'plan done'],
  ['reopen', 'plan undone'],
  ['next', 'plan next'],
  ['ls list cat view', 'show'],
  ['log', 'history'],
  ['find grep', 'search'],
  ['recall', 'memory search'],
  ['rm', 'entry delete'],
  ['entries outputs', 'entry'],
  ['st', 'status'],
  ['trail', 'handover'],
  ['version', '--version'],
);

/** The commands that a word may mean, best first; similarity of spelling would not find them. */
const MEANT = buildMap(
  ['get read open print show list ls cat view dump state', 'show read get list edit status'],
  ['init', 'set'],
  ['new create insert add', 'add write'],
  ['write', 'set add'],
  ['save store put', 'write'],
  ['update change', 'edit'],
  ['rm del delete remove pop', 'remove delete'],
  ['mv swap', 'move rename'],
  ['tick check complete finish mark', 'done'],
  ['start doing begin', 'current'],
  ['uncheck', 'undone'],
  ['reset empty clean', 'clear'],
  ['notepad', 'notes'],
  ['blame logs snapshot checkpoint', 'history'],
  ['revert', 'undo'],
  ['rollback', 'undo'],
  ['find grep', 'search'],
  ['settings', 'config'],
  ['setup connect', 'install'],
  ['refresh sync', 'assemble'],
  ['file link url', 'refs:add'],
  ['sessions', 'session:list'],
  ['resume last continue', 'handover'],
  ['whoami info top', 'status'],
  ['share', 'report'],
  ['archive', 'session:archive'],
  ['goal', 'plan:add'],
  ['n decide decision fact', 'notes:add'],
  ['output out', 'entry:list'],
  ['compact shrink', 'edit'],
);

/** The subcommand that words which are not commands were most likely meant for, by the command before them. */
const USUAL = buildMap(
  ['notes plan refs', 'add'],
  ['memory', 'search'],
  ['entry', 'read'],
  ['config', 'get'],
);
/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;

/** What does it where an option is of git, npm or another host of ours. */
const OPTIONS = buildMap(
  ['-m --message', 'give the text alone: scratchpad note "…"'],
  ['-a -am --amend', 'to change a line: scratchpad notes edit N "…"'],
  ['-g --global', 'use --scope user'],
  ['-y --yes --force --no-verify', 'not needed: the command never prompts'],
  ['-i --ignore-case', 'not needed: upper and lower case are the same here'],
  ['-n --max-count', 'give the number alone: scratchpad history 5'],
  ['--oneline --graph --pretty --stat --name-only', 'not needed: history prints one line for each change'],
  ['--hard --soft --mixed', 'give the number of changes: scratchpad undo 2'],
  ['--since --after --until --before', 'not known; scratchpad history lists changes by time'],
  ['--save --save-dev -D', 'not known; npm install adds the package to a project'],
  ['--all -A', 'give numbers, such as 1-3'],
  ['--claude', 'name the host: claude-code'],
  ['--codex', 'name the host: codex'],
  ['--gemini', 'name the host: gemini-cli'],
  ['--openclaw', 'name the host: openclaw'],
  ['--name', 'use --scratchpad NAME'],
);

/** The command that a short word stands for; of one for a thing in a space, the space. */
export const findMeantCommand = (word: string): string | undefined => ONE_OF.get(word) ?? SHORT.get(word);

/** The short words, each with what it stands for. */
export const listShortWords = (): [word: string, meant: string][] => [
  ...[...ONE_OF].map(([word, noun]): [string, string] => [
    word,
    `scratchpad ${noun}; with words: ${noun} add`,
  ]),
  ...[...SHORT].map(([word, meant]): [string, string] => [word, `scratchpad ${meant}`]),
];

/** `complete -- done ''` asks what may follow `plan done`, `complete -- help ''` for any command. */
export function completeWords([complete = '', dashes = '', word = '', ...rest]: readonly string[]): string[] {
  if (rest.length === 0) return [complete, dashes, word];
  if (word === 'help') return completeWords([complete, dashes, ...rest]);
  return [complete, dashes, ...(findMeantCommand(word)?.split(' ') ?? [word]), ...rest];
}

/**
 * The command line with a short word at its beginning, or `help`, replaced by what it stands for.
 * @throws ScratchpadError `usage` for words that may mean two things
 */
export function expandShortWord(argv: readonly string[], program: Command): readonly string[] {
  const at = findNextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const [before, rest] = [argv.slice(0, at), argv.slice(at + 1)];
  const [first = ''] = rest;
  if (word === 'help' && first !== '' && !first.startsWith('-'))
    return [...before, ...findHelpPath(rest, program), '--help'];
  const noun = findSubcommand(program, ONE_OF.get(word) ?? word);
  if (first === 'help' && noun && noun.commands.length > 0)
    return [...before, ...findHelpPath([noun.name(), ...rest.slice(1)], program), '--help'];
  if (noun && ONE_OF.has(word))
    return [...before, noun.name(), ...expandSpaceWord(word, rest, noun, program)];
  const meant = SHORT.get(word);
  if (meant === undefined || (word === 'complete' && first === '--')) return argv;
  const next = findNextOperand(argv, at + 1, [program]);
  const more = next === -1 ? [] : argv.slice(next);
  if (word === 'log' && !areNumbers(more)) return argv;
  // `rm 2` and `rm note 1` may mean a step, a line or a ref.
  if (word === 'rm' && more.length > 0 && (areNumbers(more) || ONE_OF.has(more[0] ?? ''))) return argv;
  const isOverview = /^(?:ls|list)$/.test(word) && next === -1 && !rest.includes('--');
  return [...before, ...(isOverview ? [] : meant.split(' ')), ...rest];
}

/**
 * What follows the name of the space, of the words behind `note`, `todo` or `ref`: a text, unless the first is a verb of
 * that space and the others are numbers.
 */
function expandSpaceWord(
  word: string,
  rest: readonly string[],
  space: Command,
  program: Command,
): readonly string[] {
  const [first = '', ...more] = rest;
  // Options alone: nothing is to be added but what a shell pipes. A list item, a number below zero and stdin are a text.
  const isText = rest.some((each) => /^-+$|^-+\d|^-.*\s/.test(each));
  if (findNextOperand(rest, 0, [program]) === -1 && !isText) {
    const piped = rest.some((each) => /^(?:-h|--help|--numbers)$/.test(each))
      ? undefined
      : readPipedText({ files: false });
    return piped === undefined ? rest : ['add', ...rest, '--', piped];
  }
  if (rest.some((each) => /^(?:-h|--help)$/.test(each))) return ['--help'];
  const plain = more.filter((each) => !each.startsWith('-'));
  const verb = findSubcommand(space, first)?.name();
  if (verb === 'add' || (verb !== undefined && (word === 'ref' || areNumbers(plain)))) return rest;
  const [second = ''] = plain.length === 1 ? plain : [];
  const isCommand =
    verb ??
    (isNumber(first)
      ? plain.length === 0 || findVerb(second, space) !== undefined || /\s/.test(second)
      : (areNumbers(plain) && (findVerb(first, space) ?? findSubcommand(program, first))) ||
        (first === 'search' && second !== ''));
  if (!isCommand) return ['add', ...rest];
  const meant = meantInSpace(first, plain, space);
  const text = plain.length === 0 ? ['--', first] : [[first, ...plain].join(' ')];
  throw usageError(`'${word} ${first}' has two meanings: nothing was done`, {
    expected: `${meant}, or ${formatCall(word, ...text)}`,
  });
}

/** The command of a space that words without a verb, or with it at the end, most likely stand for. */
function meantInSpace(first: string, others: readonly string[], space: Command): string | undefined {
  const noun = space.name();
  const verb = findSubcommand(space, first)?.name();
  if (verb !== undefined) return formatCall(noun, verb);
  if (!isNumber(first)) return findMeaning([first, ...others], space)?.replace(/^perhaps /, '');
  if (others.length === 0) return formatCall(noun, BY_NUMBER.get(noun) ?? 'edit', first);
  const last = findVerb(others.at(-1) ?? '', space);
  return last === undefined ? formatCall(noun, 'edit', first, ...others) : formatCall(noun, last, first);
}

/** What is done to a line that is named by its number alone. */
const BY_NUMBER = buildMap(['plan', 'done'], ['notes', 'edit'], ['refs', 'remove']);

const areNumbers = (words: readonly string[]): boolean => words.every((word) => /^\d[\d,-]*$/.test(word));

/**
 * The path of a command whose help is asked for: commander's own `help` takes one name only.
 * @throws ScratchpadError `usage` for a word that is no command
 */
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

/** The error for words that are no command of this one, with what was probably meant. */
function unknownCommand(words: readonly string[], command: Command): ScratchpadError {
  const path = getCommandPath(command);
  const [word = '', ...others] = words.filter((each, k) => k === 0 || !each.startsWith('-'));
  const problem =
    path.length === 0 ? `unknown command '${word}'` : `${path.join(' ')} has no command '${word}'`;
  return usageError(problem, {
    expected: findMeaning([word, ...others], command),
    next: `${formatCall(...path)} --help shows the commands`,
  });
}

/** What words that are no command of this one most likely mean. */
function findMeaning(words: readonly string[], command: Command): string | undefined {
  const [word = '', ...others] = words;
  const near = command.parent
    ? correctNounCall(word, others, command)
    : correctProgramCall(word, others, command);
  return near && `perhaps ${near}`;
}

/** The subcommand that a word names or means. */
function findVerb(word: string, command: Command): string | undefined {
  const meant = MEANT.get(word.toLowerCase())?.split(' ') ?? [];
  return (
    findSubcommand(command, word)?.name() ??
    meant.find((name) => findSubcommand(command, name.split(':')[0] ?? ''))
  );
}

/** The subcommand that a word resembles. One that means something else is no slip of the pen: "move" is not "remove". */
function findSimilar(word: string, { commands }: Command): string | undefined {
  if (MEANT.has(word) || [...MEANT.values()].some((meant) => meant.split(' ').includes(word)))
    return undefined;
  return findNearest(
    word,
    commands.flatMap((child) => [child.name(), ...child.aliases()]),
  );
}

/** What `plan tick 1`, `plan 1 done`, `notes undo` and `plan fix the bug` were meant for. */
function correctNounCall(word: string, others: readonly string[], command: Command): string | undefined {
  const noun = command.name();
  const verb = findVerb(word, command);
  if (verb !== undefined) return formatCall(noun, verb, ...others);
  const [last, operands] = [findVerb(others.at(-1) ?? '', command), [word, ...others.slice(0, -1)]];
  if (last !== undefined && operands.every(isNumber)) return formatCall(noun, last, ...operands);
  if (command.parent && findSubcommand(command.parent, word)) return formatCall(word, ...others);
  if (noun === 'config' && others.length === 1) return formatCall(noun, 'set', word, ...others);
  const near = findSimilar(word, command);
  const usual = USUAL.get(noun);
  if (near !== undefined || usual === undefined) return near;
  const isText = TAKES_TEXT.test(noun) || (others.length === 0 && !MEANT.has(word));
  return isText ? `${formatCall(noun, usual)} ${JSON.stringify([word, ...others].join(' '))}` : undefined;
}

/** What `add plan "x"`, `finish 1`, `settings` and `plna` were meant for. */
function correctProgramCall(word: string, others: readonly string[], program: Command): string | undefined {
  const withVerb = (of: string, operands: readonly string[]): string[] => {
    const child = findSubcommand(program, of);
    const verb = child && findVerb(word, child);
    const isText = verb === 'add' && TAKES_TEXT.test(of) && operands.length > 0;
    return verb === undefined ? [] : [formatCall(of, verb, ...(isText ? [operands.join(' ')] : operands))];
  };
  const [first = '', ...more] = others;
  const swapped = withVerb(ONE_OF.get(first) ?? first, more)[0];
  if (swapped !== undefined) return swapped;
  const meant = findVerb(word, program);
  // The words behind one that means a command of two words are hardly its operands.
  if (meant !== undefined) return formatCall(...meant.split(':'), ...(meant.endsWith(':list') ? [] : others));
  // A verb without a noun.
  const calls = ['plan', 'notes', 'refs', 'entry'].flatMap((noun) => withVerb(noun, others));
  return calls.join(', ') || findSimilar(word, program);
}

/** commander's error for a command line, in our words. */
export function translateCommanderError(error: CommanderError, command: Command): ScratchpadError {
  // A noun shows its space where no verb is given, so that an unknown verb would be an argument too many.
  const { parent } = command;
  const noun = parent?.parent && findSubcommand(parent, parent.args[0] ?? '') !== command ? parent : command;
  if (noun.commands.length > 0 && !(noun.args[0] ?? '-').startsWith('-'))
    return unknownCommand(noun.args, noun);
  const [message = '', hint = ''] = unescapeOperand(error.message.replace(/^error: /, '')).split('\n');
  const option = error.code === 'commander.unknownOption' ? /'(-[^'=]+)/.exec(message)?.[1] : undefined;
  const known = OPTIONS.get(option ?? '');
  if (known !== undefined) return usageError(`${message}: ${known}`);
  const meant = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  const isText = option !== undefined && command.registeredArguments.some((each) => each.name() === 'text');
  const shows = command.commands.length > 0 ? 'the commands' : 'what it takes';
  const dashes = isText ? '; -- comes before a text that begins with a dash' : '';
  const isLong = error.code === 'commander.excessArguments';
  return usageError(message, {
    // The most common cause of too many words: the shell split a text.
    expected: isLong ? 'fewer words; put a text of several words in quotes' : meant && `perhaps ${meant}`,
    next: `${formatCall(...getCommandPath(command))} --help shows ${shows}${dashes}`,
  });
}
