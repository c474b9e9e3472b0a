import type { Command, CommanderError } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { nearest } from '../config/values.ts';
import { childNamed, unguard } from './command.ts';
import { isNumber, quoted, spell } from './invocation.ts';

/** The commands that other words may mean, best first; similarity of spelling would not find them. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      [
        'get read open print show list ls cat view dump state',
        'show',
        'read',
        'get',
        'list',
        'edit',
        'status',
      ],
      ['init', 'set'],
      ['new create insert add', 'add', 'write'],
      ['write', 'set', 'add'],
      ['save store put', 'write'],
      ['update change', 'edit'],
      ['rm del delete remove pop', 'remove', 'delete'],
      ['mv swap', 'move', 'rename'],
      ['tick check complete finish mark', 'done'],
      ['start doing begin', 'current'],
      ['uncheck', 'undone'],
      ['reset empty clean', 'clear'],
      ['notepad', 'notes'],
      ['blame', 'history'],
      ['revert', 'undo'],
      ['rollback', 'restore'],
      ['find grep', 'search'],
      ['settings', 'config'],
      ['setup connect', 'install'],
      ['refresh sync', 'assemble'],
      ['file link url', 'refs add'],
      ['sessions', 'session list'],
      ['logs', 'history'],
      ['resume last continue', 'handover'],
      ['whoami info top', 'status'],
      ['share', 'report'],
      ['archive', 'session archive'],
      ['goal', 'plan add'],
      ['n decide decision fact', 'notes add'],
      ['output out', 'entry list'],
      ['snapshot checkpoint', 'history'],
      ['compact shrink', 'edit'],
    ] as const
  ).flatMap(([words, ...meant]) => words.split(' ').map((word) => [word, meant] as const)),
);

const OWN_FILES = 'MEMORY.md and memory/ are your own files: change them in your editor';
const GOES = 'nothing: old outputs go by themselves, by the settings outputs.keep and outputs.size';

/** What does it where no command is like the words. TEXT stands for the words that follow. */
const TOLD: readonly (readonly [words: RegExp, told: string])[] = [
  [/^remember\b/, `perhaps scratchpad notes add TEXT; what is true for long belongs in MEMORY.md`],
  [/^open \d+$/, 'perhaps scratchpad reopen TEXT for a step, or scratchpad show TEXT for a revision'],
  [/^log\b/, 'perhaps scratchpad history; to keep a text: scratchpad note TEXT'],
  [/^(?:save|put|keep) \S+\.\w+$/, 'perhaps scratchpad entry write NAME --file TEXT'],
  [/^(?:remove|disable) \w+-\w+$/, 'perhaps scratchpad uninstall TEXT'],
  [/^disable\b/, 'perhaps scratchpad uninstall --all'],
  [/^plan write\b/, 'perhaps scratchpad plan add TEXT'],
  [/^plan \d+$/, 'perhaps scratchpad plan done, current or edit, with the number'],
  [
    /^keep\b|^(?:save|put)(?: \S+)?$/,
    'perhaps scratchpad entry write NAME -, which keeps what comes on stdin',
  ],
  [/^forget\b/, 'perhaps scratchpad notes remove, or scratchpad refs remove'],
  [
    /^(?:new|attach|use|switch|checkout)\b/,
    'scratchpad --session NAME before any command, with --init to begin one; scratchpad session list',
  ],
  [/^(?:commit|stash)\b/, 'nothing: every change is kept at once; scratchpad history lists them'],
  [/^(?:push|pull)\b/, 'nothing: every change is kept at once; scratchpad store shares it between machines'],
  [/^inspect\b/, 'perhaps scratchpad entry read NAME, or scratchpad show NAME'],
  [/^ps\b/, 'perhaps scratchpad session list, or scratchpad status'],
  [/^plan insert\b/, 'perhaps scratchpad plan add "…", then scratchpad plan move 4 1'],
  [/^(?:path|where)\b/, 'perhaps scratchpad status, which names the workspace and the pad'],
  [/^(?:gc|prune)\b/, GOES],
  [/^export\b/, 'perhaps scratchpad show, or a copy of the folder .scratchpad/sessions/NAME'],
  [/^import\b/, 'perhaps scratchpad entry write NAME --file FILE, or a copy into .scratchpad/sessions/'],
  [/^head\b/, 'perhaps scratchpad show, or scratchpad entry read NAME --limit 1000'],
  [/^tail\b/, 'perhaps scratchpad entry read NAME --tail 20, or scratchpad history'],
  [/^remind\b/, 'perhaps scratchpad note "- [ ] call Ann by Friday", which is an alert from the day before'],
  [/^(?:notes|refs) (?:edit|move|mv|swap|replace|update|change)\b/, 'perhaps scratchpad edit'],
  [
    /^(?:notes|refs|plan) (?:pin|unpin|star)\b/,
    'nothing: what is kept stays until you remove it; -- comes before words to add',
  ],
  [/^plan undo\b/, 'perhaps scratchpad plan undone N, which reopens a step, or scratchpad undo'],
  [/^plan (?:block|blocked|skip)\b/, 'perhaps scratchpad notes add "…", which says why'],
  [/^memory (?:add|write|set|edit|remove)\b/, `${OWN_FILES}; or scratchpad notes add TEXT`],
  [
    /^session (?:new|create|start|begin|add|use|switch|open|select)\b/,
    'a session begins with its first change: scratchpad --session NAME --init notes add "…"',
  ],
];

/** The subcommand that words which are not commands were most likely meant for, by the command before them. */
const USUAL: Readonly<Record<string, string>> = {
  notes: 'add',
  plan: 'add',
  refs: 'add',
  memory: 'search',
  entry: 'read',
  config: 'get',
  transcript: 'show',
};
/** Of these a text of several words follows; of the others a name. */
const TAKES_TEXT = /^(?:notes|plan|refs|memory)$/;
/** The nouns in which a verb without a noun was probably meant. */
const NOUNS = ['plan', 'notes', 'refs', 'entry'];

/** The error for words that are no command of this one, with what was probably meant. */
export function unknownWord(words: readonly string[], command: Command): ScratchpadError {
  const [word = '', ...others] = words.filter((each, k) => k === 0 || !each.startsWith('-'));
  const noun = command.parent ? command.name() : '';
  const typed = [noun, word, ...others].filter((each) => each !== '').join(' ');
  const text = quoted(others.join(' ') || '…');
  const told = TOLD.find(([pattern]) => pattern.test(typed))?.[1].replaceAll('TEXT', text);
  const near = noun === '' ? ofProgram(word, others, command) : ofNoun(noun, word, others, command);
  return misuse(noun === '' ? `unknown command '${word}'` : `${noun} has no command '${word}'`, {
    expected: told ?? (near && `perhaps ${near}`),
    next: `${spell(...(noun === '' ? [] : [noun]))} --help shows the commands`,
  });
}

/** The subcommand that a word names or means. */
export function verbOf(word: string, command: Pick<Command, 'commands'>): string | undefined {
  const named = childNamed(command, word)?.name();
  return (
    named ?? MEANT.get(word.toLowerCase())?.find((name) => childNamed(command, name.split(' ')[0] ?? ''))
  );
}

/** The subcommand that a word resembles. One that means something else is no slip of the pen: "move" is not "remove". */
function similar(word: string, { commands }: Command): string | undefined {
  const isVerb = MEANT.has(word) || [...MEANT.values()].flat().includes(word);
  return isVerb
    ? undefined
    : nearest(
        word,
        commands.flatMap((child) => [child.name(), ...child.aliases()]),
      );
}

/** What `plan tick 1`, `plan 1 done`, `notes undo` and `plan fix the bug` were meant for. */
function ofNoun(noun: string, word: string, others: readonly string[], command: Command): string | undefined {
  const verb = verbOf(word, command);
  if (verb !== undefined) return spell(noun, verb, ...others);
  const [last, operands] = [verbOf(others.at(-1) ?? '', command), [word, ...others.slice(0, -1)]];
  if (last !== undefined && operands.every(isNumber)) return spell(noun, last, ...operands);
  if (command.parent && childNamed(command.parent, word)) return spell(word, ...others);
  if (noun === 'config' && others.length === 1) return spell(noun, 'set', word, ...others);
  const near = similar(word, command);
  const usual = USUAL[noun];
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
  const noun = { note: 'notes', todo: 'plan', task: 'plan', ref: 'refs' }[first] ?? first;
  const swapped = withVerb(noun, more)[0];
  if (swapped !== undefined) return swapped;
  const meant = verbOf(word, program);
  // The words behind one that means a command of two words are hardly its operands.
  if (meant !== undefined) return spell(...meant.split(' '), ...(meant.endsWith(' list') ? [] : others));
  const nouns = NOUNS.filter((each) => each !== 'entry' || !isNumber(first));
  return nouns.flatMap((each) => withVerb(each, others)).join(', ') || similar(word, program);
}

/** What does it where an option is of another program: of git, of npm, of docker. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['-m', 'the text alone: scratchpad note "…"'],
  ['--message', 'the text alone: scratchpad note "…"'],
  ['-g', '--scope user'],
  ['--global', '--scope user'],
  ['--claude', 'claude-code'],
  ['--codex', 'codex'],
  ['--gemini', 'gemini-cli'],
  ['--openclaw', 'openclaw'],
  ['--name', '--scratchpad NAME'],
  ['--all', 'numbers, such as 1-3'],
  ['--force', 'no option: nothing is asked, and scratchpad undo or entry undelete takes it back'],
  ['-i', 'no option: upper and lower case are the same here'],
]);

/** commander's error for a command line, in our words. */
export function inOurTerms(error: CommanderError, command: Command): ScratchpadError {
  // A noun shows its space where no verb is given, so that an unknown verb would be an argument too many.
  const { parent } = command;
  const noun = parent?.parent && childNamed(parent, parent.args[0] ?? '') !== command ? parent : command;
  if (noun.commands.length > 0 && !(noun.args[0] ?? '-').startsWith('-')) return unknownWord(noun.args, noun);
  const [message = '', hint = ''] = unguard(error.message.replace(/^error: /, '')).split('\n');
  const meant = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  const option = error.code === 'commander.unknownOption' ? /'(-[^'=]+)/.exec(message)?.[1] : undefined;
  const isText = option !== undefined && command.registeredArguments.some((each) => each.name() === 'text');
  const path: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) path.unshift(each.name());
  const shows = command.commands.length > 0 ? 'the commands' : 'what it takes';
  const dashes = isText ? '; -- comes before a text that begins with a dash' : '';
  return misuse(message, {
    expected:
      error.code === 'commander.excessArguments'
        ? tooMany(command)
        : (OPTIONS.get(option ?? '') ?? (meant && `perhaps ${meant}`)),
    next: `${spell(...path)} --help shows ${shows}${dashes}`,
  });
}

/** What a command with words too many was most likely meant for. */
function tooMany(command: Command): string {
  const [first = '', ...others] = command.args;
  const text = others.join(' ');
  const numbers = command.args.filter(isNumber);
  switch (command.name()) {
    case 'edit':
      if (command.parent?.parent) break;
      if (isNumber(first))
        return ['plan', 'notes'].map((noun) => spell(noun, 'edit', first, text)).join(', or ');
      return NOUNS.includes(first)
        ? spell(first, 'set', text)
        : spell('entry', 'edit', first, '--content', text);
    case 'show':
      if (command.parent?.parent)
        return `${spell(command.parent.name(), 'show', '--numbers')} for every line with its number`;
      break;
    case 'history':
      if (numbers.length === 1) return `${spell('show', ...numbers)}, or ${spell('diff', ...numbers)}`;
      if (numbers.length === 2) return spell('diff', ...numbers);
      break;
    case 'check':
      return spell('plan', 'done', ...command.args);
  }
  if (command.registeredArguments.length === 0) return 'nothing but options';
  // The most common cause: the shell split a text into words.
  return 'fewer words; put a text of several words in quotes';
}
