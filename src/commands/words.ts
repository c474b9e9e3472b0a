import type { Command } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { hasPipedInput } from '../base/fs/index.ts';
import { nearest } from '../config/values.ts';
import { childNamed, isUnknownOption, nextOperand } from './command.ts';

/** A word that people type for a command: what it is alone, and with more words. */
interface Short {
  alone?: string;
  more?: string;
}

const PLAN: Short = { alone: 'plan show', more: 'plan add' };
const SHOW: Short = { alone: 'show', more: 'show' };
const SHORT: Readonly<Record<string, Short>> = {
  note: { alone: 'notes show', more: 'notes add' },
  todo: PLAN,
  task: PLAN,
  todos: PLAN,
  tasks: PLAN,
  ref: { alone: 'refs show', more: 'refs add' },
  done: { alone: 'plan done', more: 'plan done' },
  reopen: { more: 'plan undone' },
  next: { alone: 'plan next' },
  version: { alone: '--version' },
  ls: { alone: '', more: 'show' },
  list: { alone: '', more: 'show' },
  log: { alone: 'history', more: 'history' },
  find: { more: 'search' },
  grep: { more: 'search' },
  cat: SHOW,
  view: SHOW,
  check: { more: 'plan done' },
  // A shell asks for suggestions with `complete -- WORDS`.
  complete: { more: 'plan done' },
  rm: { more: 'entry delete' },
};

/** The command that a short word stands for. */
export const meantBy = (word: string): string | undefined => SHORT[word]?.more ?? SHORT[word]?.alone;

/** The short words, each with the command that it stands for. */
export const shortWords = (): [word: string, meant: string][] =>
  Object.keys(SHORT).map((word) => [word, meantBy(word) ?? '']);

/** `complete -- done ''` asks what may follow `plan done`. */
export function completed(argv: readonly string[]): readonly string[] {
  const [complete, dashes, word = '', ...rest] = argv;
  const meant = meantBy(word);
  if (complete !== 'complete' || dashes !== '--' || rest.length === 0 || !meant) return argv;
  return [complete, dashes, ...meant.split(' '), ...rest];
}

/** Their words are one text: the shell may have split it. */
const ONE_TEXT = /^(?:notes|plan) add$/;

/**
 * The command line with a short word at its beginning replaced by what it stands for. A short word before a verb is
 * its noun: `todo done 2` is `plan done 2`, but `note remove old files` may be either and is refused.
 * @throws ScratchpadError `usage`
 */
export function inFull(argv: readonly string[], program: Command): readonly string[] {
  if (argv.length === 1 && argv[0] === '-v') return ['--version'];
  if (argv[0] === 'help' && argv.length === 2) {
    const meant = SHORT[argv[1] ?? ''];
    return meant === undefined ? argv : ['help', ...(meant.more ?? meant.alone ?? '').split(' ')];
  }
  const at = nextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const short = at === -1 ? undefined : SHORT[word];
  if (short === undefined || (word === 'complete' && argv.includes('--'))) return argv;
  const [noun = '', usual = ''] = (short.more ?? short.alone ?? '').split(' ');
  const command = childNamed(program, noun);
  const declaring = [program, command, command && childNamed(command, usual)].filter(
    (each) => each !== undefined,
  );
  // A dash alone is stdin, and one before a blank begins a list item.
  const plain = argv.map((each) => (/^-+(?:[\s\d]|$)/.test(each) && each !== '--' ? 'text' : each));
  const places: number[] = [];
  for (let k = nextOperand(plain, at + 1, declaring); k !== -1; k = nextOperand(plain, k + 1, declaring))
    places.push(k);
  const operands = places.map((place) => argv[place] ?? '');
  const fromFile = argv.slice(at + 1).some((each) => /^(?:-f|--file|--$)/.test(each));
  const alone = operands.length === 0 && !fromFile;
  const piped = alone && ONE_TEXT.test(short.more ?? '') && hasPipedInput();
  const meant = alone && !piped ? short.alone : short.more;
  const numbers = operands.every((each) => /^\d+$/.test(each));
  // `rm 2` may be a step or a note; `log text` is not a request for the history.
  if (meant === undefined || (word === 'rm' && numbers) || (word === 'log' && !numbers)) return argv;

  const before = argv.slice(0, at);
  const verb =
    usual === '' || noun === 'entry' ? undefined : command && childNamed(command, operands[0] ?? '');
  const [first, ...more] = operands;
  if (verb && verb.name() !== usual) {
    if (more.every((each) => /^\d/.test(each))) return [...before, noun, ...argv.slice(at + 1)];
    throw misuse(`'${word} ${first}' has two meanings: nothing was done`, {
      expected: `${spell(noun, verb.name(), ...more)}, or ${spell(word, operands.join(' '))}`,
    });
  }
  const said = argv.slice(at + 1).filter((_, k) => !verb || k + at + 1 !== places[0]);
  const joined = ONE_TEXT.test(meant) && said.length > 1 && said.length === operands.length - (verb ? 1 : 0);
  const texts = joined ? [said.join(' ')] : said;
  return [
    ...before,
    ...meant.split(' ').filter((each) => each !== ''),
    // Of what begins with a number after the dash no option has the name.
    ...(ONE_TEXT.test(meant) && texts.length === 1 && /^-\d/.test(texts[0] ?? '') ? ['--'] : []),
    ...texts,
    ...(piped ? ['-'] : []),
  ];
}

/** The commands that words which are none may mean, best first; similarity of spelling would not find them. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ['get read open print show list ls cat view dump state', ['show', 'read', 'get', 'list', 'edit']],
      ['init', ['set']],
      ['new create insert add remember', ['add', 'write']],
      ['write', ['set', 'add']],
      ['save store put', ['write']],
      ['update change', ['edit']],
      ['rm del delete remove pop', ['remove', 'delete']],
      ['mv swap', ['move', 'rename']],
      ['tick check complete finish mark', ['done']],
      ['start', ['current']],
      ['uncheck', ['undone']],
      ['reset empty', ['clear']],
      ['step steps', ['plan']],
      ['blame tail', ['history']],
      ['log', ['history; to keep a text: scratchpad note']],
      ['revert', ['undo']],
      ['rollback', ['restore']],
      ['find grep', ['search']],
      ['settings', ['config']],
      ['setup connect', ['install']],
      ['refresh', ['assemble']],
      ['sync', ['assemble', 'store']],
      ['file link url', ['refs']],
      ['sessions switch', ['session list']],
      ['resume last', ['handover', 'session list']],
      ['whoami info', ['status']],
      ['share', ['report', 'store']],
      ['archive', ['session archive']],
    ] as const
  ).flatMap(([words, meant]) => words.split(' ').map((word) => [word, meant] as const)),
);

/** The subcommand that words which are not commands were most likely meant for, by the command before them. */
const USUAL: Readonly<Record<string, string>> = {
  notes: 'notes add',
  plan: 'plan add',
  refs: 'refs add',
  memory: 'memory search',
  entry: 'entry read',
  session: 'session show',
  config: 'config get',
  transcript: 'transcript show',
};

/** What earlier versions had, as it was typed, with what to do instead. */
const GONE: Readonly<Record<string, string>> = {
  export: 'copy `.scratchpad/sessions/NAME`; all of a workspace is `SCRATCHPAD.md` and `.scratchpad/`',
  import:
    'put a session into `.scratchpad/sessions/NAME`; store a file with `scratchpad entry load NAME FILE`',
  top: 'use `scratchpad status`, or `scratchpad report` for a page',
  schema: 'add `--json` to a command to see its fields',
  'completion install':
    'write what `scratchpad completion SHELL` prints where your shell looks for it, as its --help shows',
  'memory search --no-index': 'the index is used, and made, where it helps',
  'config schema': '`scratchpad config list` says what each setting takes',
  notepad: 'use `scratchpad notes`; agents keep the tools read_notepad, write_notepad and update_notepad',
  'refs adopt': '`scratchpad handover` names the files that the last session worked with',
  'mcp --http': 'have the host start `scratchpad mcp`, which serves on stdin and stdout',
  'mcp --token': 'it was for --http, which is gone, too',
  'install launchd': 'docs/hosts.md has the lines to copy; `uninstall launchd` takes an installed one away',
  'install openclaw-automation':
    'docs/hosts.md has the line to copy; `uninstall openclaw-automation` takes an installed one away',
};

/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;
/** A word for doing something is not the beginning of a text. */
const isVerb = (word: string): boolean => MEANT.has(word) || [...MEANT.values()].flat().includes(word);

/** The spaces, in which a verb without a noun was probably meant. */
const SPACES = ['plan', 'notes', 'refs'];
/** Words for what needs no command: a session begins with the first change that names it. */
const BEGIN_SESSION = /^(?:new|create|start|begin|add|use|switch|open|select)$/;

/** @throws ScratchpadError `usage` for a command or an option that earlier versions had */
export function checkGone(argv: readonly string[], program: Command): void {
  const operands: string[] = [];
  for (let at = nextOperand(argv, 0, [program]); at !== -1; at = nextOperand(argv, at + 1, [program]))
    operands.push(argv[at] ?? '');
  for (const [typed, instead] of Object.entries(GONE)) {
    const words = typed.split(' ');
    const option = words.find((word) => word.startsWith('-'));
    const names = words.filter((word) => word !== option);
    const has = option === undefined || argv.some((word) => word.split('=', 1)[0] === option);
    if (has && names.every((name, k) => operands[k] === name))
      throw misuse(`\`${typed}\` is gone: ${instead}`);
  }
}

/**
 * Suggests what an unknown word may have meant before commander misreads it: a command that
 * shows its space when no verb is given would call it an excess argument.
 * @param all the names of the program's commands, of which only some may be declared
 * @throws ScratchpadError `usage`
 */
export function checkWords(argv: readonly string[], program: Command, all: readonly string[] = []): void {
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
      const rest = argv.slice(at);
      const isOther = all.includes(word) && path.length > 1 && namedLike(word, command) === undefined;
      throw unknownWord(word, rest, command, path, isOther ? [spell(...rest)] : undefined);
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

function unknownWord(
  word: string,
  rest: readonly string[],
  command: Command,
  path: readonly string[],
  meant?: readonly string[],
): ScratchpadError {
  const whole = path.join(' ');
  const help = `${whole} --help shows the commands`;
  const others = rest.slice(1).filter((other) => !other.startsWith('-'));
  const calls = meant ?? misplaced(word, others, command, path);
  const near = calls.length > 0 ? calls.join(', ') : namedLike(word, command);
  const begins = path[1] === 'session' && BEGIN_SESSION.test(word);
  const noun = path.slice(1).join(' ');
  const fits = near === undefined && (TAKES_TEXT.test(noun) || (others.length === 0 && !isVerb(word)));
  const usual = fits && rest.length > 0 ? USUAL[noun] : undefined;
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
  for (const name of [word, ...(MEANT.get(word.toLowerCase()) ?? [])]) {
    const child = childNamed(command, name.split(/[ ;]/)[0] ?? '');
    if (child) return name === word ? child.name() : name;
  }
  return undefined;
}

function namesOf(command: Command): string[] {
  return command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
}

/** Calls in which the words are in their places: for `plan 1 done`, `add plan "x"` and `clear`. */
function misplaced(
  word: string,
  others: readonly string[],
  command: Command,
  path: readonly string[],
): string[] {
  if (path.length > 1) {
    const verb = verbOf(others.at(-1) ?? '', command);
    const operands = [word, ...others.slice(0, -1)];
    if (verb !== undefined && operands.every((each) => /^\d+$/.test(each)))
      return [spell(...path.slice(1), verb, ...operands)];
    return [];
  }
  const withVerb = (noun: string, operands: readonly string[]): string[] => {
    const child = childNamed(command, noun);
    const verb = child && verbOf(word, child);
    const isText = verb === 'add' && TAKES_TEXT.test(noun) && operands.length > 0;
    return verb === undefined ? [] : [spell(noun, verb, ...(isText ? [operands.join(' ')] : operands))];
  };
  const [first = '', ...more] = others;
  const swapped = withVerb(SHORT[first]?.more?.split(' ')[0] ?? first, more);
  if (swapped.length > 0 || namedLike(word, command) !== undefined) return swapped;
  return [...SPACES, ...(/^\d+$/.test(first) ? [] : ['entry'])].flatMap((space) => withVerb(space, others));
}

function spell(...words: readonly string[]): string {
  return ['scratchpad', ...words.map(quoted)].join(' ');
}

/** A word as a person would type it in a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);
}
