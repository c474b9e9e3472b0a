/** What letters, the marks on them and pictures are, as parts of a pattern's class. */
export interface Alphabet {
  letter: string;
  mark: string;
  picture: string;
}

/** Of all writing. V8 takes a millisecond to find out what these are. */
const ANY: Alphabet = { letter: '\\p{L}', mark: '\\p{M}', picture: '\\p{Extended_Pictographic}' };

/** Of the characters that nearly all texts get by with, written out: Latin 1, the usual marks and emoji. */
const COMMON: Alphabet = {
  letter: 'a-zA-Z\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\xff',
  mark: '\\ufe0f',
  picture:
    '\\xa9\\xae\\u2705\\u2714\\u2728\\u274c\\u2764\\u{1f300}-\\u{1f321}\\u{1f324}-\\u{1f393}\\u{1f39e}-\\u{1f3f0}\\u{1f400}-\\u{1f4fd}\\u{1f5fa}-\\u{1f64f}\\u{1f680}-\\u{1f6c5}\\u{1f90c}-\\u{1f93a}\\u{1f947}-\\u{1f9ff}',
};
/** Dashes, quotes, bullets, the euro, arrows, the lines of tables, ticks. */
const NEITHER = '\\u200d\\u2010-\\u2027\\u20ac\\u2190-\\u2193\\u2500-\\u257f\\u2713\\u2717';

const UNCOMMON = new RegExp(`[^\\0-\\xff${NEITHER}${COMMON.mark}${COMMON.picture}]`, 'u');
const COMMON_LETTER = new RegExp(`[${COMMON.letter}]`);

/** The smaller of the two that tells the same of this text. */
export function alphabetOf(text: string): Alphabet {
  return UNCOMMON.test(text) ? ANY : COMMON;
}

/** Patterns that need an alphabet, made and kept for each that a text needs. */
export function byAlphabet<Patterns>(make: (alphabet: Alphabet) => Patterns): (text: string) => Patterns {
  const made = new Map<Alphabet, Patterns>();
  return (text) => {
    const alphabet = alphabetOf(text);
    const patterns = made.get(alphabet) ?? make(alphabet);
    made.set(alphabet, patterns);
    return patterns;
  };
}

/** @param character one code point */
export function isLetter(character: string): boolean {
  return alphabetOf(character) === COMMON ? COMMON_LETTER.test(character) : /\p{L}/u.test(character);
}
