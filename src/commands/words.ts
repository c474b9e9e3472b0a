import type { Command } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { childNamed, nextOperand } from './command.ts';
import { unknownWord, verbOf } from './guesses.ts';
import { isNumber, spell } from './invocation.ts';

/** Words for one thing in a space: alone they print it, a text behind them is added to it. */
const ONE_OF: ReadonlyMap<string, string> = new Map([
  ['note', 'notes'],
  ['todo', 'plan'],
  ['todos', 'plan'],
  ['task', 'plan'],
  ['tasks', 'plan'],
  ['step', 'plan'],
  ['steps', 'plan'],
  ['ref', 'refs'],
]);

/** Other words that people type for a command: what they are alone, if that differs, and with more words. */
const SHORT: ReadonlyMap<string, readonly [meant: string, alone?: string]> = new Map([
  ['done', ['plan done']],
  // A shell asks for suggestions with `complete -- WORDS`.
  ['complete', ['plan done']],
  ['reopen', ['plan undone']],
  ['next', ['plan next']],
  ['ls', ['show', '']],
  ['list', ['show', '']],
  ['cat', ['show']],
  ['view', ['show']],
  ['log', ['history']],
  ['find', ['search']],
  ['grep', ['search']],
  ['recall', ['memory search']],
  ['rm', ['entry delete']],
  ['entries', ['entry']],
  ['outputs', ['entry']],
  ['st', ['status']],
  ['trail', ['handover']],
  ['version', ['--version']],
]);

/** The command that a short word stands for; of one for a thing in a space, the space. */
export const meantBy = (word: string): string | undefined => ONE_OF.get(word) ?? SHORT.get(word)?.[0];

/** The short words, each with what it stands for: `scratchpad plan, with words scratchpad plan add …`. */
export const shortWords = (): [word: string, meant: string][] => [
  ...[...ONE_OF].map(([word, noun]): [string, string] => [
    word,
    `scratchpad ${noun}, with words scratchpad ${noun} add …`,
  ]),
  ...[...SHORT].map(([word, [meant, alone]]): [string, string] => [
    word,
    alone === '' ? `scratchpad, with words scratchpad ${meant} …` : `scratchpad ${meant}`,
  ]),
];

/** `complete -- done ''` asks what may follow `plan done`, `complete -- help ''` for any command. */
export function completed([complete = '', dashes = '', word = '', ...rest]: readonly string[]): string[] {
  if (rest.length === 0) return [complete, dashes, word];
  if (word === 'help') return completed([complete, dashes, ...rest]);
  return [complete, dashes, ...(meantBy(word)?.split(' ') ?? [word]), ...rest];
}

/**
 * The command line with a short word at its beginning, or `help`, replaced by what it stands for. Words behind `note`,
 * `todo` and `ref` are a text, unless the first is a verb of that space and the others are numbers.
 * @throws ScratchpadError `usage` for words that may mean both
 */
export function inFull(argv: readonly string[], program: Command): readonly string[] {
  const at = nextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const [before, rest] = [argv.slice(0, at), argv.slice(at + 1)];
  const [first = ''] = rest;
  if (word === 'help' && !first.startsWith('-') && first !== '')
    return [...before, ...helpOf(rest, program), '--help'];
  const noun = childNamed(program, ONE_OF.get(word) ?? word);
  if (first === 'help' && noun && noun.commands.length > 0)
    return [...before, ...helpOf([noun.name(), ...rest.slice(1)], program), '--help'];
  if (noun && ONE_OF.has(word)) return [...before, noun.name(), ...inSpace(word, rest, noun, program)];
  const [meant, alone = meant] = SHORT.get(word) ?? [];
  if (meant === undefined || alone === undefined || (word === 'complete' && first === '--')) return argv;
  const next = nextOperand(argv, at + 1, [program]);
  const more = next === -1 ? [] : argv.slice(next);
  if (word === 'log' && !areNumbers(more)) return argv;
  if (word === 'rm' && more.length > 0 && areNumbers(more))
    throw severalMeanings(
      ['rm', ...more],
      ['plan remove', 'notes remove', 'refs remove', 'entry delete'].map((each) =>
        spell(...each.split(' '), ...more),
      ),
    );
  const [thing = '', ...which] = more;
  const space = ONE_OF.get(thing);
  if (word === 'rm' && space !== undefined && which.length > 0)
    throw severalMeanings(
      ['rm', thing],
      [spell(space, 'remove', ...which), spell('entry', 'delete', ...more)],
    );
  const words = (next === -1 && !rest.includes('--') ? alone : meant).split(' ');
  return [...before, ...words.filter((each) => each !== ''), ...rest];
}

/** What follows the name of the space, of the words behind `note`, `todo` or `ref`. */
function inSpace(word: string, rest: readonly string[], space: Command, program: Command): readonly string[] {
  const [first = '', ...more] = rest;
  if (onlyOptions(rest, program)) return rest;
  if (rest.some((each) => /^(?:-h|--help)$/.test(each))) return ['--help'];
  const plain = more.filter((each) => !each.startsWith('-'));
  const verb = childNamed(space, first)?.name();
  if (verb === 'add') return rest;
  if (verb !== undefined && (word === 'ref' || areNumbers(plain))) return rest;
  // No space has such a verb, and the error says why.
  if (/^(?:pin|unpin|star)$/.test(first) && plain.length > 0 && areNumbers(plain)) return rest;
  const calls = /\s/.test(first) ? [] : otherMeanings(first, plain, space, program);
  if (calls.length === 0) return ['add', ...rest];
  const text = [first, ...plain].join(' ');
  const isOne = plain.length === 0 || word === 'ref';
  throw severalMeanings(
    [word, first],
    [...calls, isOne ? spell(word, '--', first, ...plain) : spell(word, text)],
  );
}

/** Whether the words are options of every command, with their values: then nothing is to be added. */
function onlyOptions(words: readonly string[], program: Command): boolean {
  const takesValue = (word = ''): boolean =>
    program.options.some(({ long, short, required }) => required && (word === long || word === short));
  return words.every(
    (word, k) =>
      takesValue(words[k - 1]) || (/^--?[a-z][\w-]*(?:=|$)/i.test(word) && !/^(?:-f|--file)/.test(word)),
  );
}

/** Calls that the words behind `todo`, `note` or `ref` may mean beside a text. */
function otherMeanings(first: string, more: readonly string[], space: Command, program: Command): string[] {
  const noun = space.name();
  const verb = childNamed(space, first)?.name();
  if (verb !== undefined) return [spell(noun, verb)];
  if (isNumber(first) && more.length === 1) {
    const after = verbOf(more[0] ?? '', space);
    if (after !== undefined) return [spell(noun, after, first)];
  }
  if (!areNumbers(more)) {
    // In `note 1 "two litres"` the text is in quotes, and the number is not part of it.
    if (isNumber(first) && more.length === 1 && /\s/.test(more[0] ?? '') && noun !== 'refs')
      return [spell(noun, 'edit', first, ...more)];
    return first === 'search' && more.length === 1 ? [spell('search', ...more)] : [];
  }
  const meant = verbOf(first, space);
  if (meant !== undefined) return [spell(noun, meant, ...more)];
  if (childNamed(program, first)) return [spell(first, ...more)];
  if (!isNumber(first) || more.length > 0) return [];
  const byNumber = { plan: 'done', notes: 'edit', refs: 'remove' }[noun] ?? 'show';
  return [spell(noun, byNumber, first)];
}

const areNumbers = (words: readonly string[]): boolean => words.every((word) => /^\d[\d,-]*$/.test(word));

function severalMeanings(words: readonly string[], calls: readonly string[]): ScratchpadError {
  const count = calls.length === 2 ? 'two' : 'several';
  return misuse(`'${words.join(' ')}' has ${count} meanings: nothing was done`, {
    expected: `${calls.slice(0, -1).join(', ')}, or ${calls.at(-1)}`,
  });
}

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
