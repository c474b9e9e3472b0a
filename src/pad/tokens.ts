/**
 * Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern, simplified):
 * digits, blanks, a word in Latin letters, punctuation, letters of another script.
 */
const PIECE =
  /( ?\d{1,3})|([ \t]+(?=\S)|\s+)|([A-Z\u00c0-\u00de]*[a-z\u00df-\u024f\u1e00-\u1eff]+|[A-Z\u00c0-\u00de]+)|([!-/:-@[-`{-~]+)|([\u0370-\u052f]+|[\u0590-\u10ff]+|[\u1780-\u17ff]+|[\u3040-\u30ff]+|[\u3400-\u9fff]+|[\uac00-\ud7af]+|[\u2500-\u257f]+|[\ud800-\udbff][\udc00-\udfff]|[\s\S])/g;

/** Function words of the languages that tokenizers know best, and keywords of code. */
const FAMILIAR = new Set(
  (
    'the of to and is in it for on with not was are be at this that from by or an as has have but can will ' +
    'all if no out up so we you they he she his its our their do does did been were than then when what which ' +
    'how why where there into over after before only until about more most now one same each within without ' +
    'const let return import export function class def self string number true false null undefined async await ' +
    'de la el que en los del las por una con para se le les des et est pas dans pour sur ne ce der die das und ' +
    'ist nicht ein eine den von zu mit auf im di il che non per un lo os em uma com het een van niet op voor'
  ).split(' '),
);
/** The least share of such words in familiar text. */
const FAMILIAR_SHARE = 0.1;
/** A line of fewer words is judged by their length alone. */
const FEW_WORDS = 10;
const LONG_WORD_LETTERS = 7.5;

const WORD = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+/g;
const CODE = /[{}();=<>"[\]|/]/g;
/** Combinations of letters that are rare in words: noise has a third of them and more. */
const STRANGE = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}|[aeiou]{3,}/g;
const ACCENTED = /[^A-Za-z]/g;
/** Letters that the best-known languages in Latin script do not have. */
const LESS_KNOWN = /[\u0100-\u024f\u1e00-\u1eff]/;
const KEY = /[A-Za-z0-9+/]{20,}/g;
const CHANGE_OF_CLASS = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g;
/** Thai words have vowels between them. */
const THAI_CONSONANTS = /^[\u0e01-\u0e2e]+$|[\u0e01-\u0e2e]{7,}/;
const TRADITIONAL_CHINESE = /[個們這為與說時會來無檔類設對應當實現過還樣]/;

/** Of a script from a code point on: tokens a letter in ordinary text, the longest run of letters in it, and tokens a letter in a longer run, which is noise. */
type Script = readonly [from: number, rate: number, longest?: number, noiseRate?: number];

const SCRIPTS: readonly Script[] = [
  [0x80, 1.1],
  [0x370, 0.44, 13, 1.1], // Greek
  [0x400, 0.31, 14, 0.9], // Cyrillic
  [0x530, 0.5, 14, 1.1], // Armenian, Hebrew
  [0x600, 0.44, 12, 1.2], // Arabic
  [0x900, 0.5, 20, 1.1], // Indic
  [0xe00, 0.46, 80, 1.8], // Thai, Lao
  [0x1000, 0.62, 40, 1.3], // Burmese, Georgian
  [0x1100, 2.2], // Ethiopic and others
  [0x1780, 0.62], // Khmer
  [0x1800, 2.2],
  [0x2000, 1], // punctuation
  [0x2031, 2],
  [0x2500, 0.4], // lines of boxes
  [0x2580, 2],
  [0x3000, 0.78, 14, 1.2], // Kana
  [0x3400, 0.74, 24, 1.1], // Chinese
  [0xa000, 2.2],
  [0xac00, 0.7, 14, 1.1], // Korean
  [0xd7b0, 2],
  [0xff00, 1], // punctuation of East Asia
  [0xfff0, 2],
  [0x10000, 3], // emoji and others
];
/** Further cost of a change of script within a word. */
const UNEVEN = 0.9;
const TRADITIONAL_CHINESE_RATE = 0.96;
const ASCII: Script = [0, 1];

/**
 * An estimate of a text's tokens, rather too high: budgets must hold for real tokenizers, and an exact one takes
 * hundreds of milliseconds to load. Tests compare it with o200k_base.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let lineBreak = 0;

  // Each line is judged on its own, so that the costs of lines add up.
  for (const line of text.split('\n')) {
    tokens += lineBreak + estimateLine(line);
    // A line break merges with punctuation before it, and with another line break.
    lineBreak = line === '' || /[!-/:-@[-^`{-~]$/.test(line) ? 0 : 1;
  }

  return Math.ceil(tokens);
}

/** Whether a line is code, or in a language that takes about a token for each word. */
function isFamiliar(line: string): boolean {
  const words = line.match(WORD) ?? [];
  const familiar = words.filter((word) => FAMILIAR.has(word.toLowerCase())).length;
  if (familiar >= words.length * FAMILIAR_SHARE) return true;
  // The names in code and data are English.
  if ((line.match(CODE)?.length ?? 0) > words.length / 4) return true;

  return words.length < FEW_WORDS && words.join('').length < words.length * LONG_WORD_LETTERS;
}

function estimateLine(line: string): number {
  const isTraditional = TRADITIONAL_CHINESE.test(line);
  let tokens = 0;
  const rest = line.replace(KEY, (run) => {
    if (!isKey(run)) return run;
    tokens += run.length / 1.3;
    return '';
  });

  const lettersPerToken = isFamiliar(line) ? undefined : estimateLettersPerToken(line);
  let afterWord = false;

  for (const match of rest.matchAll(PIECE)) {
    const [, digits, blanks, word, marks, letters = ''] = match;
    // A blank merges with a word that follows, but not with digits.
    if (digits !== undefined) tokens += digits.startsWith(' ') ? 2 : 1;
    else if (blanks !== undefined) tokens += blanks === ' ' ? 0 : Math.ceil(blanks.length / 16);
    else if (word !== undefined) tokens += estimateWord(word, lettersPerToken);
    else if (marks !== undefined) tokens += markCost(marks, rest.charAt(match.index + marks.length));
    else tokens += runCost(letters, isTraditional) + (afterWord && !isEastAsian(letters) ? UNEVEN : 0);

    afterWord = blanks === undefined;
  }

  return tokens;
}

/** Whether digits, capitals and small letters alternate as in base64; in a path they form words. */
function isKey(run: string): boolean {
  return /\d/.test(run) && (run.match(CHANGE_OF_CLASS)?.length ?? 0) > run.length / 4;
}

/** In a language that tokenizers know less, or in noise. */
function estimateLettersPerToken(line: string): number {
  return countStrange(line) > line.length / 5 ? 1.5 : 2.4;
}

function countStrange(text: string): number {
  return text.toLowerCase().match(STRANGE)?.join('').length ?? 0;
}

/** @param lettersPerToken of an unfamiliar language */
function estimateWord(word: string, lettersPerToken: number | undefined): number {
  const { length } = word;
  const accents = word.match(ACCENTED)?.length ?? 0;
  if (length > 3 && countStrange(word) > length / 3) return length / 1.3;
  if (length > 1 && accents > length * 0.4) return length * 1.2;
  if (LESS_KNOWN.test(word)) return Math.max(1, length / 2.2);
  if (length > 2 && word === word.toUpperCase()) return Math.max(1, length / 2);
  if (lettersPerToken !== undefined) return Math.max(1, length / lettersPerToken);
  if (accents > 0) return Math.max(1, length / 3);

  return 1 + Math.max(0, length - 6) * 0.11;
}

/** A single mark often merges with the letters after it, and rules of a table are tokens of their own. */
function markCost(marks: string, after: string): number {
  if (marks.length === 1) return /[A-Za-z]/.test(after) ? 0.55 : 1;
  if (marks.length <= 3) return 1;
  const kinds = new Set(marks).size;
  if (kinds === 1) return 1 + marks.length / 16;
  return marks.length / (kinds === 2 ? 1.9 : 1.25);
}

const isEastAsian = (run: string): boolean => run >= '\u3000' && run < '\ud7b0';

function runCost(run: string, isTraditional: boolean): number {
  const code = run.codePointAt(0) ?? 0;
  const [from, rate, longest = Number.POSITIVE_INFINITY, noiseRate = rate] =
    SCRIPTS.findLast(([first]) => code >= first) ?? ASCII;
  if (run.length > longest || THAI_CONSONANTS.test(run)) return run.length * noiseRate;
  if (from === 0x3400 && isTraditional) return run.length * TRADITIONAL_CHINESE_RATE;

  return Math.max(from === 0x2500 ? 0 : 1, run.length * rate);
}

/** The longest prefix of whole characters of an estimated `limit` tokens at most. */
export function truncateToTokens(text: string, limit: number): string {
  if (estimateTokens(text) <= limit) return text;

  const segments = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
  let [low, high] = [0, segments.length];

  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const end = segments[middle]?.index ?? text.length;
    if (estimateTokens(text.slice(0, end)) <= limit) low = middle;
    else high = middle - 1;
  }

  return text.slice(0, segments[low]?.index ?? text.length);
}
