import { stem } from '../text/stem.ts';
import { wordList } from '../text/word-list.ts';
import type { Fact, Kind } from './fact.ts';
import type { Item } from './rank.ts';

/** Whether a text already names a file or a command. */
export function names(text: string, { kind, value, short }: Item): boolean {
  return kind === 'file' ? namesFile(text, value) || namesFile(text, short) : text.includes(value);
}

/** Whether a text names a file, and not just one whose name ends with it: `test_credit.py` is not `credit.py`. */
function namesFile(text: string, name: string): boolean {
  for (let at = text.indexOf(name); name !== '' && at !== -1; at = text.indexOf(name, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? '') && !/\w/.test(text[at + name.length] ?? '')) return true;
  return false;
}

/** Whether a text already contains a fact: its words, or for a check the command with its result. */
export function isNamed({ kind, text: told }: Fact, text: string): boolean {
  if (text.trim() === '') return false;
  const plain = fold(text);
  if (kind === 'check') {
    const [, command = '', outcome = ''] = /^`(.*)` (passed|failed)/.exec(told) ?? [];
    return (
      command.split(' && ').every((part) => plain.includes(fold(part))) && plain.includes(outcome.slice(0, 4))
    );
  }
  const words = fold(told.replace(/^in progress: /, ''));
  if (words !== '' && (plain.includes(words) || plain.includes(words.slice(0, 60)))) return true;
  const share = PARAPHRASED[kind];
  return share !== undefined && isParaphrased(words, text, share);
}

/**
 * The share of a fact's words that one sentence must have to say the same: a summary says "asked whether to change the
 * column type" for "Shall I change the column type?". Names of files and tests prove nothing.
 */
const PARAPHRASED: Readonly<Partial<Record<Kind, number>>> = {
  question: 0.7,
  task: 0.7,
  plan: 0.7,
  decision: 0.8,
  instruction: 0.85,
};
/** With fewer words of its own a fact is not recognised by them. */
const LEAST_WORDS = 3;
const FUNCTION_WORDS = new Set(
  wordList(
    'the a an to of in on for and or is are be it this that with as at by from i you we me my our your should shall would could can do does did don t s yes want if so just then there here was were have has had will what which how when where who why any some all also picked',
  ),
);
const RULES = /\b(?:not|never|n'?t|no|nothing|avoid\w*|without|only|always|must|forb\w+|prefer\w*)\b|n't\b/i;

function isParaphrased(words: string, text: string, share: number): boolean {
  const stems = [...new Set(words.split(' '))]
    .filter((word) => word.length > 1 && !FUNCTION_WORDS.has(word) && !RULES.test(word))
    .map((word) => stem(word));
  if (stems.length < LEAST_WORDS) return false;
  const isRule = RULES.test(words);
  return text.split(/\n+|(?<=[.!?])\s+/).some((sentence) => {
    if (isRule && !RULES.test(sentence)) return false;
    const plain = ` ${fold(sentence)}`;
    return stems.filter((one) => plain.includes(` ${one}`)).length >= stems.length * share;
  });
}

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
