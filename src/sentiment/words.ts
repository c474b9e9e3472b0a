import { type Alphabet, byAlphabet } from '../text/alphabet.ts';
import { compilePatterns } from '../text/compile-patterns.ts';

/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  /** As written. */
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

/** Patterns of an alphabet, made when a text needs them. */
interface Patterns {
  token: RegExp;
  /** The beginning of a word, of a picture; a text in ASCII needs neither. */
  readonly word: RegExp;
  readonly picture: RegExp;
}

const patternsFor = byAlphabet((alphabet): Patterns => {
  const token = tokenPattern(alphabet);
  compilePatterns(token);
  let word: RegExp | undefined;
  let picture: RegExp | undefined;
  return {
    token,
    get word() {
      word ??= new RegExp(`^[${alphabet.letter}${alphabet.mark}]`, 'u');
      return word;
    },
    get picture() {
      picture ??= new RegExp(`^[${alphabet.picture}]`, 'u');
      return picture;
    },
  };
});

/** Tokens of a text: emoticons, words, numbers, pictures, marks. */
function tokenPattern({ letter, mark, picture }: Alphabet): RegExp {
  const face = `[<>]?[:;=8xX%][-'o^*0c~]?[)(\\]}{[DdpPoO0/\\\\|3*$@sSlL<>]{1,4}`;
  const alternatives = [
    `(?<![${letter}\\d])${face}(?![a-zA-Z0-9])`,
    '<\\/?3+|\\^[_.-]?\\^|-_+-|[oO][_.][oO]|T_T|¯\\\\_\\(ツ\\)_\\/¯',
    `[${letter}${mark}]+(?:['’][${letter}]+)*`,
    '\\d+(?:[.,:]\\d+)*',
    `[${picture}][${mark}]*`,
    '[!?]+|[.…]{2,}',
    `[^\\s${letter}\\d]`,
  ];
  return new RegExp(alternatives.join('|'), 'gu');
}

/** Splits prose into tokens. */
export function tokenize(prose: string): Token[] {
  const tokens: Token[] = [];
  const known = patternsFor(prose);
  const { token: pattern } = known;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(prose); match !== null; match = pattern.exec(prose)) {
    const raw = match[0];
    tokens.push({ raw, lower: raw.toLowerCase().replaceAll('’', "'"), kind: kindOf(raw, known) });
  }
  return tokens;
}

const DIGIT_0 = 48;
const DIGIT_9 = 57;
const LETTER_A = 97;
const LETTER_Z = 122;
/** The bit that tells a small ASCII letter from its capital. */
const LOWER = 32;
const EIGHT_FACE = /^8[-'o^*]?[)(D]/;
const LETTER_FACE = /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/;

/** `xD`, `o_O`, `T_T`: most words have another first letter, or a letter for their second. */
function mayBeFace(raw: string): boolean {
  const first = raw.charAt(0);
  if (first === 'x' || first === 'X') return raw.length > 1;
  const second = raw.charAt(1);
  return second === '_' || second === '.';
}

function kindOf(raw: string, patterns: Patterns): Token['kind'] {
  const code = raw.charCodeAt(0);
  const isPlain = code < 0x80;
  if (!isPlain && patterns.picture.test(raw)) return 'face';
  // By its code: every token comes here, and a pattern would be compiled for each of these.
  if (code >= DIGIT_0 && code <= DIGIT_9)
    return raw.length > 1 && raw.startsWith('8') && EIGHT_FACE.test(raw) ? 'face' : 'number';
  const letter = code | LOWER;
  if (isPlain ? letter >= LETTER_A && letter <= LETTER_Z : patterns.word.test(raw))
    return mayBeFace(raw) && LETTER_FACE.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

/** The lower-case words among tokens. */
export function wordsOf(tokens: readonly Token[]): string[] {
  const words: string[] = [];
  for (const token of tokens) if (token.kind === 'word') words.push(token.lower);
  return words;
}
