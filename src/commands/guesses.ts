import type { Command } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { nearest } from '../config/values.ts';
import { childNamed } from './command.ts';
import { meantBy, quoted, spell } from './words.ts';

/** The commands that other words may mean, best first; similarity of spelling would not find them. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      [
        'get read open print show list ls cat view dump state',
        ['show', 'read', 'get', 'list', 'edit', 'status'],
      ],
      ['init', ['set']],
      ['new create insert add remember', ['add', 'write']],
      ['write', ['set', 'add']],
      ['save store put', ['write']],
      ['update change', ['edit']],
      ['rm del delete remove pop', ['remove', 'delete']],
      ['mv swap', ['move', 'rename']],
      ['tick check complete finish mark', ['done']],
      ['start doing begin', ['current']],
      ['uncheck', ['undone']],
      ['reset empty clean', ['clear']],
      ['blame', ['history']],
      ['log', ['history; to keep a text: scratchpad note']],
      ['revert', ['undo']],
      ['rollback', ['restore']],
      ['find grep', ['search']],
      ['settings', ['config']],
      ['setup connect', ['install']],
      ['refresh', ['assemble']],
      ['sync', ['assemble', 'store']],
      ['file link url', ['refs']],
      ['sessions', ['session list']],
      ['logs', ['history', 'entry list']],
      ['resume last', ['handover', 'session list']],
      ['whoami info', ['status']],
      ['share', ['report', 'store']],
      ['archive', ['session archive']],
      ['goal', ['plan set']],
      ['n decide decision fact', ['notes add']],
      ['output out', ['entry list']],
      ['keep', ['entry write NAME -', 'entry list']],
      ['snapshot checkpoint', ['history', 'restore']],
      ['forget', ['notes remove', 'refs remove']],
      ['compact shrink', ['edit notes']],
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

const BY_EDITOR = 'changes them in your editor; they are lines of SCRATCHPAD.md, too';
const EDIT_NOTES = `scratchpad edit notes, which ${BY_EDITOR}`;
const EDIT_REFS = `scratchpad edit refs, which ${BY_EDITOR}`;
const BLOCKED = 'scratchpad notes add "…", which says why; a step is open, current or done';
const OWN_FILES = 'your editor: MEMORY.md and memory/ are your own files; or scratchpad notes add "…"';

const OTHER_SESSION =
  'scratchpad --session NAME before any command, with --init to begin one; scratchpad session list';

/** What does it where no command is like the word, by the noun and the word. */
const DOES_IT: Readonly<Record<string, string>> = {
  'notes move': EDIT_NOTES,
  'notes mv': EDIT_NOTES,
  'notes swap': EDIT_NOTES,
  'refs edit': EDIT_REFS,
  'refs replace': EDIT_REFS,
  'refs update': EDIT_REFS,
  'refs change': EDIT_REFS,
  'refs move': EDIT_REFS,
  'refs mv': EDIT_REFS,
  'refs swap': EDIT_REFS,
  'plan undo': 'scratchpad plan undone N, which reopens a step, or scratchpad undo',
  'plan block': BLOCKED,
  'plan blocked': BLOCKED,
  'plan skip': BLOCKED,
  'memory add': OWN_FILES,
  'memory write': OWN_FILES,
  'memory set': OWN_FILES,
  'memory edit': OWN_FILES,
  'memory remove': OWN_FILES,
  path: 'scratchpad status, which names the workspace and the pad',
  where: 'scratchpad status, which names the workspace and the pad',
  gc: 'nothing: old outputs go by themselves, by the settings outputs.keep and outputs.size',
  prune: 'nothing: old outputs go by themselves, by the settings outputs.keep and outputs.size',
  'plan insert': 'scratchpad plan add "…", then scratchpad plan move 4 1',
  save: 'scratchpad entry write NAME -, which keeps what comes on stdin',
  put: 'scratchpad entry write NAME -, which keeps what comes on stdin',
  new: OTHER_SESSION,
  attach: OTHER_SESSION,
  use: OTHER_SESSION,
  switch: OTHER_SESSION,
  checkout: OTHER_SESSION,
  commit: 'nothing: every change is kept at once; scratchpad history lists them',
  stash: 'nothing: every change is kept at once; scratchpad history lists them',
  push: 'nothing: every change is kept at once; scratchpad store shares the memory between machines',
  pull: 'nothing: every change is kept at once; scratchpad store shares the memory between machines',
  inspect: 'scratchpad entry read NAME, or scratchpad show NAME',
  continue: 'scratchpad handover, which shows what a next session is told',
  ps: 'scratchpad session list, or scratchpad status',
  head: 'scratchpad show, or scratchpad entry read NAME --limit 1000',
  tail: 'scratchpad entry read NAME --tail 20, or scratchpad history',
  remind: 'scratchpad note "- [ ] call Ann by Friday", which is an alert from the day before',
};

/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;
/** Words for what needs no command: a session begins with the first change that names it. */
const BEGIN_SESSION = /^(?:new|create|start|begin|add|use|switch|open|select)$/;
/** The nouns in which a verb without a noun was probably meant. */
const NOUNS = ['plan', 'notes', 'refs', 'entry'];

const isNumber = (word: string): boolean => /^\d+$/.test(word);
/** A word for doing something is not the beginning of a text. */
const isVerb = (word: string): boolean => MEANT.has(word) || [...MEANT.values()].flat().includes(word);

/** The error for words that are no command of this one, with what was probably meant. */
export function unknownWord(words: readonly string[], command: Command): ScratchpadError {
  const [word = '', ...others] = words.filter((each, k) => k === 0 || !each.startsWith('-'));
  const noun = command.parent ? command.name() : '';
  const help = `${spell(...(noun === '' ? [] : [noun]))} --help shows the commands`;
  const message = noun === '' ? `unknown command '${word}'` : `${noun} has no command '${word}'`;
  if (noun === 'session' && BEGIN_SESSION.test(word)) {
    const begin = `scratchpad --session ${quoted(others[0] ?? 'ID')} --init notes add "…"`;
    return misuse(message, { next: `a session begins with its first change: ${begin}; ${help}` });
  }
  const mayFollow = !['save', 'put'].includes(word) || others.length < 2;
  const typed = `${noun} ${word}`.trim();
  const does = mayFollow && Object.hasOwn(DOES_IT, typed) ? DOES_IT[typed] : undefined;
  if (does !== undefined)
    return misuse(message, {
      expected: does.startsWith('scratchpad') ? `perhaps ${does}` : does,
      next: help,
    });
  const isOther = command.parent !== null && childNamed(command.parent, word) !== undefined;
  const verb = noun === '' ? undefined : verbOf(word, command);
  if (verb !== undefined && others.every(isNumber))
    return misuse(message, { expected: `perhaps ${spell(noun, verb, ...others)}`, next: help });
  const calls =
    isOther && namedLike(word, command) === undefined
      ? [spell(...words)]
      : misplaced(word, others, command, noun);
  if (noun === 'config' && others.length === 1 && !isVerb(word))
    return misuse(message, { expected: `perhaps ${spell('config', 'set', word, ...others)}`, next: help });
  const near = calls.length > 0 ? calls.join(', ') : namedLike(word, command);
  if (near !== undefined) return misuse(message, { expected: `perhaps ${near}`, next: help });
  const fits = TAKES_TEXT.test(noun) || (others.length === 0 && !isVerb(word));
  const text = JSON.stringify([word, ...others].join(' '));
  const next = fits && noun in USUAL ? `perhaps scratchpad ${USUAL[noun]} ${text}; ${help}` : help;
  return misuse(message, { next });
}

/** The subcommand that a word means or resembles. */
function namedLike(word: string, { commands }: Command): string | undefined {
  const names = commands.flatMap((child) => [child.name(), ...child.aliases()]);
  // A word that means something else is no slip of the pen: "move" is not "remove".
  return verbOf(word, { commands }) ?? (isVerb(word) ? undefined : nearest(word, names));
}

/** The subcommand that a word names or means. */
export function verbOf(word: string, command: Pick<Command, 'commands'>): string | undefined {
  for (const name of [word, ...(MEANT.get(word.toLowerCase()) ?? [])]) {
    const child = childNamed(command, name.split(/[ ;]/)[0] ?? '');
    if (child) return name === word ? child.name() : name;
  }
  return undefined;
}

/** Calls in which the words are in their places: for `plan 1 done`, `add plan "x"` and `clear`. */
function misplaced(word: string, others: readonly string[], command: Command, noun: string): string[] {
  if (noun !== '') {
    const verb = verbOf(others.at(-1) ?? '', command);
    const operands = [word, ...others.slice(0, -1)];
    return verb !== undefined && operands.every(isNumber) ? [spell(noun, verb, ...operands)] : [];
  }
  const withVerb = (of: string, operands: readonly string[]): string[] => {
    const child = childNamed(command, of);
    const verb = child && verbOf(word, child);
    const isText = verb === 'add' && TAKES_TEXT.test(of) && operands.length > 0;
    return verb === undefined ? [] : [spell(of, verb, ...(isText ? [operands.join(' ')] : operands))];
  };
  const [first = '', ...more] = others;
  const swapped = withVerb(meantBy(first)?.split(' ')[0] ?? first, more);
  if (swapped.length > 0 || namedLike(word, command) !== undefined) return swapped;
  return NOUNS.filter((each) => each !== 'entry' || !isNumber(first)).flatMap((of) => withVerb(of, others));
}

/** What does it where an option is of another program: of git, of npm, of docker. */
const OPTIONS: Readonly<Record<string, string>> = {
  '-m': 'the text alone: scratchpad note "…"',
  '--message': 'the text alone: scratchpad note "…"',
  '-g': '--scope user',
  '--global': '--scope user',
  '--claude': 'claude-code',
  '--codex': 'codex',
  '--gemini': 'gemini-cli',
  '--openclaw': 'openclaw',
  '--name': '--scratchpad NAME',
  '--all': 'numbers, such as 1-3',
  '--force': 'no option: nothing is asked, and scratchpad undo or entry undelete takes it back',
  '-i': 'no option: upper and lower case are the same here',
};

/** Of an option that the command does not have, what was probably meant. */
export function optionMeant(message: string): string | undefined {
  const option = /'(-[^'=]+)/.exec(message)?.[1] ?? '';
  return Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
}

/** What a command with words too many was most likely meant for. */
export function tooMany(command: Command): string | undefined {
  const [first = '', ...others] = command.args;
  const [text = ''] = others;
  if (command.name() === 'edit' && command.parent?.parent === null) {
    if (isNumber(first))
      return ['plan', 'notes'].map((noun) => spell(noun, 'edit', first, others.join(' '))).join(', or ');
    return NOUNS.includes(first)
      ? spell(first, ...(isNumber(text) ? ['edit', ...others] : ['set', others.join(' ')]))
      : spell('entry', 'edit', first, '--content', others.join(' '));
  }
  if (command.name() === 'show' && isNumber(first) && command.registeredArguments.length === 0)
    return `${spell(command.parent?.name() ?? '', 'show', '--numbers')} for every line with its number`;
  if (command.name() === 'history') {
    const numbers = command.args.filter(isNumber);
    const [number = ''] = numbers;
    if (numbers.length === 1) return `${spell('show', number)}, or ${spell('diff', number)}`;
    if (numbers.length === 2) return spell('diff', ...numbers);
  }
  if (command.name() === 'check') return spell('plan', 'done', ...command.args);
  if (command.registeredArguments.length === 0) return 'nothing but options';
  // The most common cause: the shell split a text into words.
  return command.args.some((word) => /\s/.test(word))
    ? 'fewer words'
    : 'fewer words; put a text of several words in quotes';
}
