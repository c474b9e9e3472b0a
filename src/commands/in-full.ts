import type { Command } from 'commander';
import { misuse } from '../base/errors.ts';
import { childNamed, nextOperand, operandsOf } from './command.ts';
import { verbOf } from './guesses.ts';
import { eachHasWords, helpedBy, shortOf, spell } from './words.ts';

/** Their words are one text: the shell may have split it. */
const ONE_TEXT = /^(?:notes|plan) add$/;
/** A dash alone is stdin; one before a blank or a number, or in a word that has blanks, begins a text. */
const isText = (word: string): boolean => !word.startsWith('-') || /^-+(?:[\s\d]|$)|^-[^=]*\s/.test(word);
const areNumbers = (words: readonly string[]): boolean => words.every((word) => /^\d[\d,-]*$/.test(word));

/**
 * The command line with a short word at its beginning replaced by what it stands for. A short word before a verb is
 * its noun: `todo done 2` is `plan done 2`, but `note remove old files` may be either and is refused.
 * @throws ScratchpadError `usage`
 */
export function inFull(argv: readonly string[], program: Command): readonly string[] {
  if (argv.length === 1 && argv[0] === '-v') return ['--version'];
  const at = nextOperand(argv, 0, [program]);
  const word = argv[at] ?? '';
  const short = shortOf(word);
  if (short === undefined || (word === 'complete' && argv.includes('--'))) return argv;
  const [ofAlone, ofMore] = short;
  const [noun = '', usual = ''] = ofMore.split(' ');
  const command = childNamed(program, noun);
  const [before, rest] = [argv.slice(0, at), argv.slice(at + 1)];
  const line = partsOf(rest, [program, command, command && childNamed(command, usual)]);
  const { operands, options, texts } = line;
  const words = [...operands, ...texts];
  const help = options.some((each) => each === '--help' || each === '-h');
  const isSpace = usual === 'add';
  if (isSpace && (help || (operands[0] === 'help' && words.length === 1)))
    return [...before, ...(helpedBy(word) ?? '').split(' '), '--help'];

  const alone = words.length === 0 && !rest.some((each) => /^(?:-f|--file|--$)/.test(each));
  // `find` alone is none, and neither is `log text`.
  if (alone && ofAlone === undefined && childNamed(program, word)) return argv;
  if (word === 'log' && !areNumbers(operands)) return argv;
  if (word === 'rm' && operands.length > 0 && areNumbers(operands))
    throw twoMeanings(
      ['rm', ...operands],
      ['plan remove', 'notes remove', 'refs remove', 'entry delete'].map((each) =>
        spell(...each.split(' '), ...operands),
      ),
    );
  const meant = (alone ? ofAlone : undefined) ?? ofMore;
  const start = [...before, ...meant.split(' ').filter((each) => each !== '')];
  if (alone) return [...start, ...rest];

  const [first, ...more] = operands;
  const verb = isSpace && command && first !== undefined ? childNamed(command, first) : undefined;
  const isUsual = verb?.name() === usual;
  if (verb && !isUsual && areNumbers(words.slice(1))) return [...before, noun, ...rest];
  if (isSpace && command && first !== undefined && !isUsual && !/\s/.test(first)) {
    const calls = otherMeanings(first, words.slice(1), command, program);
    const oneWord = words.length === 1 || !ONE_TEXT.test(meant);
    const asText = oneWord ? spell(word, '--', ...words) : spell(word, words.join(' '));
    if (calls.length > 0) throw twoMeanings([word, first], [...calls, asText]);
  }
  const said = isUsual ? [...more, ...texts] : words;
  if (ONE_TEXT.test(meant)) {
    const text = said.join(noun === 'plan' && eachHasWords(said) ? '\n' : ' ');
    return said.length === 0 ? [...start, ...options] : [...start, ...options, '--', text];
  }
  return [...start, ...(isUsual ? rest.toSpliced(line.places[0] ?? 0, 1) : rest)];
}

/** The words of a call: those before `--` that are no options, the options with their values, and those after `--`. */
function partsOf(words: readonly string[], commands: readonly (Command | undefined)[]) {
  const declaring = commands.filter((each) => each !== undefined);
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const ours = words.slice(0, end);
  const plain = ours.map((each) => (isText(each) ? each.replace(/^-/, '\u2010') : each));
  const places = operandsOf(plain, 0, declaring);
  return {
    places,
    operands: places.map((place) => ours[place] ?? ''),
    options: ours.filter((_, k) => !places.includes(k)),
    texts: words.slice(end + 1),
  };
}

/** Calls that the words behind `todo`, `note` or `ref` may mean beside a text. */
function otherMeanings(first: string, more: readonly string[], command: Command, program: Command): string[] {
  const noun = command.name();
  const numbers = areNumbers(more);
  const verb = numbers ? verbOf(first, command) : childNamed(command, first)?.name();
  if (verb !== undefined) {
    const takesWords = (childNamed(command, verb)?.registeredArguments.length ?? 0) > 0;
    return [spell(noun, verb, ...(takesWords ? more : []))];
  }
  if (childNamed(program, first) && (numbers || (first === 'search' && more.length === 1)))
    return [spell(first, ...more)];
  // In `note 1 "two litres"` the text is in quotes, and the number is not part of it.
  const [text, ...others] = more;
  if (noun === 'refs' || !areNumbers([first]) || others.length > 0) return [];
  if (text === undefined)
    return [noun === 'plan' ? spell('plan', 'done', first) : spell(noun, 'edit', first)];
  return /\s/.test(text) ? [spell(noun, 'edit', first, text)] : [];
}

function twoMeanings(words: readonly string[], calls: readonly string[]) {
  return misuse(
    `'${words.join(' ')}' has ${calls.length === 2 ? 'two' : 'several'} meanings: nothing was done`,
    {
      expected: `${calls.slice(0, -1).join(', ')}, or ${calls.at(-1)}`,
    },
  );
}
