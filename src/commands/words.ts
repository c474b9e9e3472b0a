import type { Command, CommanderError } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { nearest } from '../config/values.ts';
import { childNamed, nextOperand, unguard } from './command.ts';
import { isNumber, readPipedText, spell } from './invocation.ts';

/*
 * Words that people type which are no commands: some stand for one, and of the others the error says what was meant.
 */

const mapOf = (...rows: readonly (readonly [words: string, meant: string])[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([words, meant]) => words.split(' ').map((word) => [word, meant] as const)));

/** Words for one thing in a space: alone they print it, a text behind them is added to it. */
const ONE_OF = mapOf(['note', 'notes'], ['todo todos task tasks step steps', 'plan'], ['ref', 'refs']);

/** Words that stand for a command. A shell asks for suggestions with `complete -- WORDS`. */
const SHORT = mapOf(
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
const MEANT = mapOf(
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
const USUAL = mapOf(['notes plan refs', 'add'], ['memory', 'search'], ['entry', 'read'], ['config', 'get']);
/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;

/** What does it where an option is of git, npm or another host of ours. */
const OPTIONS = mapOf(
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
export const meantBy = (word: string): string | undefined => ONE_OF.get(word) ?? SHORT.get(word);

/** The short words, each with what it stands for. */
export const shortWords = (): [word: string, meant: string][] => [
  ...[...ONE_OF].map(([word, noun]): [string, string] => [
    word,
    `scratchpad ${noun}; with words: ${noun} add`,
  ]),
  ...[...SHORT].map(([word, meant]): [string, string] => [word, `scratchpad ${meant}`]),
];

/** `complete -- done ''` asks what may follow `plan done`, `complete -- help ''` for any command. */
export function completed([complete = '', dashes = '', word = '', ...rest]: readonly string[]): string[] {
  if (rest.length === 0) return [complete, dashes, word];
  if (word === 'help') return completed([complete, dashes, ...rest]);
  return [complete, dashes, ...(meantBy(word)?.split(' ') ?? [word]), ...rest];
}

/**
 * The command line with a short word at its beginning, or `help`, replaced by what it stands for.
 * @throws ScratchpadError `usage` for words that may mean two things
 */
export function inFull(argv: readonly string[], program: Command): readonly string[] {
  const at = nextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const [before, rest] = [argv.slice(0, at), argv.slice(at + 1)];
  const [first = ''] = rest;
  if (word === 'help' && first !== '' && !first.startsWith('-'))
    return [...before, ...helpOf(rest, program), '--help'];
  const noun = childNamed(program, ONE_OF.get(word) ?? word);
  if (first === 'help' && noun && noun.commands.length > 0)
    return [...before, ...helpOf([noun.name(), ...rest.slice(1)], program), '--help'];
  if (noun && ONE_OF.has(word)) return [...before, noun.name(), ...inSpace(word, rest, noun, program)];
  const meant = SHORT.get(word);
  if (meant === undefined || (word === 'complete' && first === '--')) return argv;
  const next = nextOperand(argv, at + 1, [program]);
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
function inSpace(word: string, rest: readonly string[], space: Command, program: Command): readonly string[] {
  const [first = '', ...more] = rest;
  // Options alone: nothing is to be added but what a shell pipes. A list item, a number below zero and stdin are a text.
  const isText = rest.some((each) => /^-+$|^-+\d|^-.*\s/.test(each));
  if (nextOperand(rest, 0, [program]) === -1 && !isText) {
    const piped = rest.some((each) => /^(?:-h|--help|--numbers)$/.test(each))
      ? undefined
      : readPipedText({ files: false });
    return piped === undefined ? rest : ['add', ...rest, '--', piped];
  }
  if (rest.some((each) => /^(?:-h|--help)$/.test(each))) return ['--help'];
  const plain = more.filter((each) => !each.startsWith('-'));
  const verb = childNamed(space, first)?.name();
  if (verb === 'add' || (verb !== undefined && (word === 'ref' || areNumbers(plain)))) return rest;
  const [second = ''] = plain.length === 1 ? plain : [];
  const isCommand =
    verb ??
    (isNumber(first)
      ? plain.length === 0 || verbOf(second, space) !== undefined || /\s/.test(second)
      : (areNumbers(plain) && (verbOf(first, space) ?? childNamed(program, first))) ||
        (first === 'search' && second !== ''));
  if (!isCommand) return ['add', ...rest];
  const meant = meantInSpace(first, plain, space);
  const text = plain.length === 0 ? ['--', first] : [[first, ...plain].join(' ')];
  throw misuse(`'${word} ${first}' has two meanings: nothing was done`, {
    expected: `${meant}, or ${spell(word, ...text)}`,
  });
}

/** The command of a space that words without a verb, or with it at the end, most likely stand for. */
function meantInSpace(first: string, others: readonly string[], space: Command): string | undefined {
  const noun = space.name();
  const verb = childNamed(space, first)?.name();
  if (verb !== undefined) return spell(noun, verb);
  if (!isNumber(first)) return meaningOf([first, ...others], space)?.replace(/^perhaps /, '');
  if (others.length === 0) return spell(noun, BY_NUMBER.get(noun) ?? 'edit', first);
  const last = verbOf(others.at(-1) ?? '', space);
  return last === undefined ? spell(noun, 'edit', first, ...others) : spell(noun, last, first);
}

/** What is done to a line that is named by its number alone. */
const BY_NUMBER = mapOf(['plan', 'done'], ['notes', 'edit'], ['refs', 'remove']);

const areNumbers = (words: readonly string[]): boolean => words.every((word) => /^\d[\d,-]*$/.test(word));

/**
 * The path of a command whose help is asked for: commander's own `help` takes one name only.
 * @throws ScratchpadError `usage` for a word that is no command
 */
function helpOf([word = '', ...more]: readonly string[], program: Command): string[] {
  const path = [...(meantBy(word) ?? word).split(' '), ...more];
  let command = program;
  for (const name of path) {
    const next = childNamed(command, name);
    if (next === undefined) throw unknownWord([name], command);
    command = next;
  }
  return path;
}

const pathOf = (command: Command): string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [];

/** The error for words that are no command of this one, with what was probably meant. */
function unknownWord(words: readonly string[], command: Command): ScratchpadError {
  const path = pathOf(command);
  const [word = '', ...others] = words.filter((each, k) => k === 0 || !each.startsWith('-'));
  const problem =
    path.length === 0 ? `unknown command '${word}'` : `${path.join(' ')} has no command '${word}'`;
  return misuse(problem, {
    expected: meaningOf([word, ...others], command),
    next: `${spell(...path)} --help shows the commands`,
  });
}

/** What words that are no command of this one most likely mean. */
function meaningOf(words: readonly string[], command: Command): string | undefined {
  const [word = '', ...others] = words;
  const near = command.parent ? ofNoun(word, others, command) : ofProgram(word, others, command);
  return near && `perhaps ${near}`;
}

/** The subcommand that a word names or means. */
function verbOf(word: string, command: Command): string | undefined {
  const meant = MEANT.get(word.toLowerCase())?.split(' ') ?? [];
  return (
    childNamed(command, word)?.name() ?? meant.find((name) => childNamed(command, name.split(':')[0] ?? ''))
  );
}

/** The subcommand that a word resembles. One that means something else is no slip of the pen: "move" is not "remove". */
function similar(word: string, { commands }: Command): string | undefined {
  if (MEANT.has(word) || [...MEANT.values()].some((meant) => meant.split(' ').includes(word)))
    return undefined;
  return nearest(
    word,
    commands.flatMap((child) => [child.name(), ...child.aliases()]),
  );
}

/** What `plan tick 1`, `plan 1 done`, `notes undo` and `plan fix the bug` were meant for. */
function ofNoun(word: string, others: readonly string[], command: Command): string | undefined {
  const noun = command.name();
  const verb = verbOf(word, command);
  if (verb !== undefined) return spell(noun, verb, ...others);
  const [last, operands] = [verbOf(others.at(-1) ?? '', command), [word, ...others.slice(0, -1)]];
  if (last !== undefined && operands.every(isNumber)) return spell(noun, last, ...operands);
  if (command.parent && childNamed(command.parent, word)) return spell(word, ...others);
  if (noun === 'config' && others.length === 1) return spell(noun, 'set', word, ...others);
  const near = similar(word, command);
  const usual = USUAL.get(noun);
  if (near !== undefined || usual === undefined) return near;
  const isText = TAKES_TEXT.test(noun) || (others.length === 0 && !MEANT.has(word));
  return isText ? `${spell(noun, usual)} ${JSON.stringify([word, ...others].join(' '))}` : undefined;
}

/** What `add plan "x"`, `finish 1`, `settings` and `plna` were meant for. */
function ofProgram(word: string, others: readonly string[], program: Command): string | undefined {
  const withVerb = (of: string, operands: readonly string[]): string[] => {
    const child = childNamed(program, of);
    const verb = child && verbOf(word, child);
    const isText = verb === 'add' && TAKES_TEXT.test(of) && operands.length > 0;
    return verb === undefined ? [] : [spell(of, verb, ...(isText ? [operands.join(' ')] : operands))];
  };
  const [first = '', ...more] = others;
  const swapped = withVerb(ONE_OF.get(first) ?? first, more)[0];
  if (swapped !== undefined) return swapped;
  const meant = verbOf(word, program);
  // The words behind one that means a command of two words are hardly its operands.
  if (meant !== undefined) return spell(...meant.split(':'), ...(meant.endsWith(':list') ? [] : others));
  // A verb without a noun.
  const calls = ['plan', 'notes', 'refs', 'entry'].flatMap((noun) => withVerb(noun, others));
  return calls.join(', ') || similar(word, program);
}

/** commander's error for a command line, in our words. */
export function inOurTerms(error: CommanderError, command: Command): ScratchpadError {
  // A noun shows its space where no verb is given, so that an unknown verb would be an argument too many.
  const { parent } = command;
  const noun = parent?.parent && childNamed(parent, parent.args[0] ?? '') !== command ? parent : command;
  if (noun.commands.length > 0 && !(noun.args[0] ?? '-').startsWith('-')) return unknownWord(noun.args, noun);
  const [message = '', hint = ''] = unguard(error.message.replace(/^error: /, '')).split('\n');
  const option = error.code === 'commander.unknownOption' ? /'(-[^'=]+)/.exec(message)?.[1] : undefined;
  const known = OPTIONS.get(option ?? '');
  if (known !== undefined) return misuse(`${message}: ${known}`);
  const meant = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  const isText = option !== undefined && command.registeredArguments.some((each) => each.name() === 'text');
  const shows = command.commands.length > 0 ? 'the commands' : 'what it takes';
  const dashes = isText ? '; -- comes before a text that begins with a dash' : '';
  const isLong = error.code === 'commander.excessArguments';
  return misuse(message, {
    // The most common cause of too many words: the shell split a text.
    expected: isLong ? 'fewer words; put a text of several words in quotes' : meant && `perhaps ${meant}`,
    next: `${spell(...pathOf(command))} --help shows ${shows}${dashes}`,
  });
}
