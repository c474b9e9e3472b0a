/**
 * Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern, simplified):
 * digits, blanks, a word in Latin letters, punctuation, letters of another script.
 */
const PIECE =
  /( ?\d{1,3})|([ \t]+(?=\S)|\s+)|([A-Z\u00c0-\u00de]*[a-z\u00df-\u024f\u1e00-\u1eff]+|[A-Z\u00c0-\u00de]+)|([!-/:-@[-`{-~]+)|([\u0370-\u052f]+|[\u0590-\u10ff]+|[\u1780-\u17ff]+|[\u3040-\u30ff]+|[\u3400-\u9fff]+|[\uac00-\ud7af]+|[\u2500-\u257f]+|[\ud800-\udbff][\udc00-\udfff]|[\s\S])/g;

/** Function words of the languages that tokenizers know best. */
const FAMILIAR = new Set(
  (
    'the of to and is in it for on with not was are be this that from by or an as you we if no ' +
    'de la el que en los del las por una con para les des et est pas dans pour sur du le ce un uma não com ' +
    'der die das und ist nicht ein eine den von zu mit auf il che non per het een van'
  ).split(' '),
);
/** The least share of such words in familiar text. */
const FAMILIAR_SHARE = 0.1;
/** A line of fewer words, none of them long, needs no other sign. */
const FEW_WORDS = 10;
const LONG_WORD_LETTERS = 7.5;
/** Endings of English words, for headings and tables without function words. */
const ENGLISH_ENDING =
  /(?:ing|[^aeiou]ed|er|or|ory|ary|ity|ion|ent|ant|al|ss|st|nd|[cst]h|ck|[lnr][cgs]e|[bdptg]le|[aiou][cglmnrstv]e|ts|ns|rs|ls|ad|at|ly|ow|op)$/i;
const ENGLISH_SHARE = 0.5;

const WORD = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+/g;
const CODE = /[{}();=<>"[\]|/]/g;
/** Combinations of letters that are rare in words: noise has a third of them and more. */
const STRANGE = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}|[aeiou]{3,}/g;
const ACCENTED = /[^A-Za-z]/g;
/** Letters that the best-known languages in Latin script do not have. */
const LESS_KNOWN = /[\u0100-\u024f\u1e00-\u1eff]/;
const KEY = /[A-Za-z0-9+/]{20,}/g;
const CHANGE_OF_CLASS = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g;
const TRADITIONAL_CHINESE = /[個們這為與說時會來無檔類設對應當實現過還樣]/;

/**
 * A script from a code point on: tokens a letter in ordinary text; tokens a letter in noise, which has fewer of the common
 * letters, or of a script without such letters longer runs.
 */
type Script = readonly [from: number, rate: number, noiseRate?: number, ordinary?: RegExp | number];

const SCRIPTS: readonly Script[] = [
  [0x80, 1.1],
  [0x370, 0.44, 1.1, /[αοιετσνηυρπκμλςωάόίέή]/g], // Greek
  [0x400, 0.31, 1, /[оеаинтсрвлкмдпуяі]/g], // Cyrillic
  [0x530, 0.5, 1.1, 14], // Armenian, Hebrew
  [0x600, 0.44, 1.2, /[اليمنورتبةهعدسك]/g], // Arabic
  [0x900, 0.5, 1.1, 20], // Indic
  [0xe00, 0.46, 1.8, /[านรอกเงมยลวดทสต่้ีัิ็ไแ์]/g], // Thai, Lao
  [0x1000, 0.62, 1.3, 40], // Burmese, Georgian
  [0x1100, 2.2], // Ethiopic and others
  [0x1780, 0.62], // Khmer
  [0x1800, 2.2],
  [0x2000, 1], // punctuation
  [0x2031, 2],
  [0x2500, 0.4], // lines of boxes
  [0x2580, 2],
  [0x3000, 0.78, 1.2, 14], // Kana
  [0x3400, 0.74, 1.1, 24], // Chinese
  [0xa000, 2.2],
  [0xac00, 0.7, 1.1, 14], // Korean
  [0xd7b0, 2],
  [0xff00, 1], // punctuation of East Asia
  [0xfff0, 2],
  [0x10000, 3], // emoji and others
];
/** All but those of the scripts whose common letters are known. */
const OTHER_LETTERS = /[^\u0370-\u10ff]/g;
const COMMON_LETTERS_SHARE = 0.7;
/** Further cost of a line whose every second character begins another piece. */
const JUMBLED = 1.25;
const FEW_CHARACTERS = 20;
/** Further cost of a change of script within a word. */
const UNEVEN = 0.9;
const TRADITIONAL_CHINESE_RATE = 0.96;
const ASCII: Script = [0, 1];

/**
 * An estimate of a text's tokens, rather too high: budgets must hold for real tokenizers, and an exact one takes
 * hundreds of milliseconds to load. Tests compare it with o200k_base.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(measureTokens(text));
}

/** The same in fractions of a token, which add up over the lines of a text. */
export function measureTokens(text: string): number {
  let tokens = 0;
  let lineBreak = 0;

  // Each line is judged on its own, so that the costs of lines add up.
  for (const line of text.split('\n')) {
    tokens += lineBreak + estimateLine(line);
    // A line break merges with punctuation before it, and with another line break.
    lineBreak = line === '' || /[!-/:-@[-^`{-~]$/.test(line) ? 0 : 1;
  }

  return tokens;
}

/** Whether a line is code, or in a language that takes about a token for each word. */
function isFamiliar(line: string): boolean {
  const words = line.match(WORD) ?? [];
  const familiar = words.filter((word) => FAMILIAR.has(word.toLowerCase())).length;
  if (familiar >= words.length * FAMILIAR_SHARE) return true;
  // The names in code and data are English.
  if ((line.match(CODE)?.length ?? 0) > words.length / 4) return true;

  if (words.length < FEW_WORDS && words.join('').length < words.length * LONG_WORD_LETTERS) return true;

  return words.filter((word) => ENGLISH_ENDING.test(word)).length >= words.length * ENGLISH_SHARE;
}

function estimateLine(line: string): number {
  let tokens = 0;
  const rest = line.replace(KEY, (run) => {
    if (!isKey(run)) return run;
    tokens += run.length / 1.3;
    return '';
  });

  const lettersPerToken = isFamiliar(line) ? undefined : estimateLettersPerToken(line);
  let afterWord = false;
  let pieces = 0;

  for (const match of rest.matchAll(PIECE)) {
    const [, digits, blanks, word, marks, letters = ''] = match;
    // A blank merges with a word that follows, but not with digits.
    if (digits !== undefined) tokens += digits.startsWith(' ') ? 2 : 1;
    else if (blanks !== undefined) tokens += blanks === ' ' ? 0 : Math.ceil(blanks.length / 16);
    else if (word !== undefined) tokens += estimateWord(word, lettersPerToken);
    else if (marks !== undefined) tokens += markCost(marks, rest.charAt(match.index + marks.length));
    else tokens += runCost(letters, line) + (afterWord && !isEastAsian(letters) ? UNEVEN : 0);

    afterWord = blanks === undefined;
    if (afterWord) pieces += 1;
  }

  return line.length > FEW_CHARACTERS && pieces > line.length / 2 ? tokens * JUMBLED : tokens;
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
  if (length > 3 && countStrange(word) > length / 3) return length / 1.2;
  if (length > 1 && accents > length * 0.4) return length * 1.2;
  if (LESS_KNOWN.test(word)) return Math.max(1, length / Math.min(2.2, lettersPerToken ?? 2.2));
  if (length > 2 && word === word.toUpperCase()) return Math.max(1, length / 2);
  if (lettersPerToken !== undefined) return Math.max(1, length / lettersPerToken);
  if (accents > 0) return Math.max(1, length / 3);

  return 1 + Math.max(0, length - 6) * 0.09;
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

function runCost(run: string, line: string): number {
  const code = run.codePointAt(0) ?? 0;
  const script = SCRIPTS.findLast(([first]) => code >= first) ?? ASCII;
  const [from, rate, noiseRate = rate] = script;
  if (isNoise(script, run, line)) return run.length * noiseRate;
  if (from === 0x3400 && TRADITIONAL_CHINESE.test(line)) return run.length * TRADITIONAL_CHINESE_RATE;

  if (from === 0x2500) return run.length * rate;
  return Math.max(isEastAsian(run) ? 1.15 : 1, run.length * rate);
}

function isNoise([, , , ordinary]: Script, run: string, line: string): boolean {
  if (ordinary === undefined) return false;
  if (typeof ordinary === 'number') return run.length > ordinary;
  // A word has too few letters to tell.
  const letters = line.replace(OTHER_LETTERS, '');
  return (letters.match(ordinary)?.length ?? 0) < letters.length * COMMON_LETTERS_SHARE;
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
