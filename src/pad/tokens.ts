/**
 * Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern, simplified):
 * spaces, a word in Latin letters, punctuation, a run of other letters; or digits. The groups have numbers, because
 * names cost an object per match.
 */
const PIECE =
  /([ \t]+(?=\S)|\s+)|([A-Z\u00c0-\u00de]*[a-z\u00df-\u024f\u1e00-\u1eff]+|[A-Z\u00c0-\u00de]+)|([!-/:-@[-`{-~]+)|([\u0370-\u052f]+|[\u0590-\u10ff]+|[\u3400-\u9fff]+|[\uac00-\ud7af]+|[\u3040-\u30ff]+|[^\x00-\x7f])|\d{1,3}|[\s\S]/g;
const RARE_IN_ENGLISH = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}|[aeiou]{3,}/g;
const listed = (words: string): Set<string> => new Set(words.split(' '));
/** Function words of English, and keywords of code, whose names are English. */
const ENGLISH = listed(
  'the of to and is in it for on with not was are be at this that from by or an as has have had but can will ' +
    'all if no out up so we you they he she his her its our your their do does did been were than then when what ' +
    'which who how why where there here into over after before only still until about more most just now ' +
    // Their counterparts in the lines of a state block.
    'same one line lines today tomorrow yesterday first last next new high low negative positive neutral ' +
    'moderate needed ignore older again each within without must should would could any these those other ' +
    'const let return import export function class def self string number true false null undefined async await',
);
/** Function words of languages that tokenizers handle nearly as well. */
const WELL_KNOWN = listed(
  'de la el que en los del las por una con para se le les des et est pas une dans pour sur ne ce der die das und ist ' +
    'nicht ein eine den von zu mit auf im di il che non per un è una sono della os que não em uma com ' +
    'het een van niet op is zijn voor y à au du al nel como é são wird kann werden il lo gli',
);
/** Letters of languages in Latin script that they handle less well. */
const LESS_KNOWN = /[\u0100-\u017f]/;
const LONG_AND_COMMON = new Set(['confidence', 'secondary', 'professional', 'characters']);
/** Least share of function words in a line of a language. */
const OWN_SHARE = 0.1;
const SHORT_LINE_WORDS = 4;
/** Letters per token of an unknown language in Latin script. */
const FOREIGN_LETTERS = 2.9;
/** Prose and code have some 3 % of such letters, keys and noise 20 % and more. */
const NOISE_SHARE = 0.1;
const NOISE_FACTOR = 1.75;
const FOREIGN_NOISE_FACTOR = 1.25;

/** The likely language of a text; `unknown` has the highest rate that was measured. */
type Kind = 'english' | 'well-known' | 'less-known' | 'unknown';

/**
 * An estimate of a text's tokens: budgets must hold for real tokenizers, and an exact one costs hundreds of
 * milliseconds to load. Tests compare it with o200k_base, on prose in many languages, on code and on noise in
 * many scripts. Text in an unknown language counts at the highest measured rate.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const line of text.split('\n')) tokens += costOf(line) + breakCost(line);
  return Math.ceil(Math.max(0, tokens - breakCost(text.slice(text.lastIndexOf('\n') + 1))));
}

const WORD = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+/g;
const CODE = /[{}();=<>"[\]|/]/g;

/** Each line is judged on its own, so that the costs of lines add up. */
function kindOf(line: string): Kind {
  const words = line.match(WORD) ?? [];
  if (words.length < SHORT_LINE_WORDS) return 'english';
  let english = 0;
  let wellKnown = 0;
  let lessKnown = 0;
  for (const word of words) {
    const lower = word.toLowerCase();
    if (ENGLISH.has(lower)) english += 1;
    if (WELL_KNOWN.has(lower)) wellKnown += 1;
    if (LESS_KNOWN.test(lower)) lessKnown += 1;
  }
  const least = words.length * OWN_SHARE;
  if (lessKnown >= least && lessKnown > english) return 'less-known';
  if (english >= least && english >= wellKnown) return 'english';
  if (wellKnown >= least) return 'well-known';
  // The names in code and data are English.
  return (line.match(CODE)?.length ?? 0) > words.length / 4 ? 'english' : 'unknown';
}

/** A line break merges with punctuation before it, and with the line break before an empty line. */
function breakCost(line: string): number {
  const last = line.charCodeAt(line.length - 1);
  return line === '' || (last < 128 && !/[\w\s]/.test(line.charAt(line.length - 1))) ? 0 : 1;
}

function costOf(line: string): number {
  return estimateLine(line, kindOf(line)) * (isMixedNoise(line) ? MIXED_FACTOR : 1);
}

function estimateLine(line: string, kind: Kind): number {
  let inWords = 0;
  let asNoise = 0;
  let letters = 0;
  let rare = 0;
  let rest = 0;
  /** Additional cost of non-Latin letters in noise, and how often the script changes without a blank in between. */
  let byLetter = 0;
  let changes = 0;
  let runs = 0;
  /** Whether the previous piece is in another alphabet than the Latin. */
  let script = false;
  let eastAsian = false;
  /** What the piece before ended with: letters, digits or something else. */
  let before = '';
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(line); match !== null; match = PIECE.exec(line)) {
    const blanks = match[1];
    const word = match[2];
    const marks = match[3];
    const other = match[4];
    if (word !== undefined) {
      const strange = strangeIn(word);
      inWords += wordCost(word, kind);
      asNoise += kind === 'unknown' ? wordCost(word, kind) : noiseCost(word, strange);
      letters += word.length;
      rare += strange;
      // Plain Latin words are common in East Asian text, others are not.
      if (before === 'other' || before === 'digits' || (eastAsian && /[^a-z]/i.test(word))) rest += UNEVEN;
      if (script) changes += 1;
      script = false;
    } else if (blanks !== undefined) rest += blankCost(blanks, line.charCodeAt(match.index + blanks.length));
    else if (marks !== undefined) rest += markCost(marks, line, match.index);
    else if (other !== undefined) {
      const cost = runCost(other);
      rest += cost + (before === '' || isEastAsian(other) ? 0 : UNEVEN);
      byLetter += Math.max(0, other.length * LETTER_COST - cost);
      runs += 1;
      const own = isAlphabetic(other);
      if (script || (own && before !== '')) changes += 1;
      script = own;
    } else rest += 1;
    if (word === undefined && other === undefined) script = false;
    eastAsian = other !== undefined && isEastAsian(other);
    const isDigit = /^\d/.test(match[0]);
    before =
      word !== undefined ? 'word' : other !== undefined && !eastAsian ? 'other' : isDigit ? 'digits' : '';
  }
  if (changes > runs * CHANGED_SHARE) rest += byLetter;
  const isKnown = kind === 'less-known' || kind === 'well-known';
  const isNoise = (!isKnown && rare > letters * NOISE_SHARE) || lettersOfKeys(line) > letters / 2;
  if (!isNoise) return rest + inWords;
  return rest + asNoise * (kind === 'english' ? NOISE_FACTOR : FOREIGN_NOISE_FACTOR);
}

const LONG_RUN = /[A-Za-z0-9+/]{20,}/g;
const CHANGE_OF_CLASS = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g;

/** Number of characters in long runs of digits, capitals and small letters together, as in base64 and keys. */
function lettersOfKeys(line: string): number {
  let count = 0;
  for (const [run] of line.matchAll(LONG_RUN))
    if (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && !isPath(run)) count += run.length;
  return count;
}

/** Whether a run with slashes is words rather than base64, in which every second character is of another class. */
function isPath(run: string): boolean {
  return /[+/]/.test(run) && (run.match(CHANGE_OF_CLASS)?.length ?? 0) < run.length / 4;
}

/** Tokens per letter outside known words. */
const LETTER_COST = 1.2;
/** A line in which the script changes more often than this, per run of letters, is noise. */
const CHANGED_SHARE = 0.3;
/** Additional cost of a change of script within a word. */
const UNEVEN = 0.8;
const ACCENTED = /[^A-Za-z]/g;
/** No word of a language has a syllable three times in a row. */
const REPEATED_SYLLABLE = /([a-z]{2})\1\1/;
const HAN = /[\u3400-\u9fff]/g;
const KATAKANA = /[\u30a1-\u30fa]/g;
const HIRAGANA = /[\u3041-\u3096]/g;
/** So many letters of both Chinese and Katakana without Hiragana between them are no Japanese. */
const MIXED_LETTERS = 20;
const MIXED_FACTOR = 1.35;

/** Whether Chinese characters and Katakana alternate as in no language. */
function isMixedNoise(line: string): boolean {
  const count = (letters: RegExp): number => line.match(letters)?.length ?? 0;
  const [han, katakana] = [count(HAN), count(KATAKANA)];
  return Math.min(han, katakana) >= MIXED_LETTERS && count(HIRAGANA) < (han + katakana) / 20;
}

/** Measured: how the tokens of a word grow with its letters. */
function wordCost(word: string, kind: Kind): number {
  const { length } = word;
  if (length > 1 && (word.match(ACCENTED)?.length ?? 0) > length * 0.4)
    return length * (length > 4 ? 1.2 : 0.8);
  if (kind === 'less-known') return 1 + Math.max(0, length - 3.5) * 0.31;
  if (kind === 'well-known') return 1 + Math.max(0, length - 4.5) * 0.13 + Math.max(0, length - 9) * 0.1;
  const capitals = capitalsIn(word);
  if (capitals > 1) return Math.max(1, capitals / 3) + (length > capitals ? 1 : 0);
  if (kind === 'unknown') {
    const strange = strangeIn(word);
    const repeats = REPEATED_SYLLABLE.test(word) ? 0.5 : 0;
    return Math.max(1, Math.ceil((length - strange) / FOREIGN_LETTERS + strange / 1.6)) + repeats;
  }
  // Most English words are one token.
  if (length <= 8 || LONG_AND_COMMON.has(word.toLowerCase())) return 1;
  return 1 + (length - 8) * 0.08 + Math.max(0, length - 14) * 0.25;
}

/** Number of a word's letters in combinations that are rare in English. */
const strangeIn = (word: string): number => word.toLowerCase().match(RARE_IN_ENGLISH)?.join('').length ?? 0;

/** Tokens of a word in a line that looks like keys, digests or noise. */
function noiseCost(word: string, strange: number): number {
  const capitals = capitalsIn(word);
  if (capitals > 1) return Math.ceil(capitals / 1.7) + Math.ceil((word.length - capitals) / 2);
  if (strange < 3) return word.length <= 8 ? 1 : Math.ceil(word.length / 5);
  return Math.ceil((word.length - strange) / 5) + Math.ceil(strange / 2.5);
}

/** Number of capitals at the start of a word. */
function capitalsIn(word: string): number {
  let count = 0;
  while (word.charAt(count) >= 'A' && word.charAt(count) <= 'Z') count += 1;
  return count;
}

/** Operators and table rules are shorter, or repeat one or two characters; a longer mixture is noise. */
const LONGEST_SIGN = 8;

/** A single punctuation character usually merges with the word after it. */
function markCost(marks: string, line: string, at: number): number {
  if (marks.length === 1)
    return line.charAt(at - 1) !== ' ' && /[A-Za-z]/.test(line.charAt(at + 1)) ? 0.45 : 1;
  if (marks.length <= 3) return 1;
  return marks.length / (marks.length > LONGEST_SIGN && new Set(marks).size > 2 ? 1.15 : 1.4);
}

/** A single blank merges with what follows, except a digit; a longer run costs a token of its own. */
function blankCost(blanks: string, next: number): number {
  const beforeDigit = next >= 48 && next <= 57;
  if (blanks === ' ') return beforeDigit ? 1 : 0;
  return Math.ceil(blanks.length / 16) + (beforeDigit ? 1 : 0);
}

const TRADITIONAL = /[個們這為與說時會來無檔類設對應當實現過還樣]/;

/** Natural words and sentences have no longer runs of letters; in a longer one, which is noise, each letter counts. */
const LONGEST_WORD = 14;
const LONGEST_SENTENCE = 24;
const THAI_VOWELS = /[\u0e30-\u0e4e]/g;

/** Tokens of a run of non-Latin letters, as measured for each script, or of a single other character. */
function runCost(run: string): number {
  const code = run.codePointAt(0) ?? 0;
  const { length } = run;
  const long = length > LONGEST_WORD;
  if (code >= 0x0370 && code < 0x0400) return long ? length : 1 + Math.max(0, length - 2) * 0.36;
  if (code >= 0x0400 && code < 0x0530) return long ? length * 0.8 : 1 + Math.max(0, length - 3.5) * 0.2;
  if (code >= 0x0590 && code < 0x0900)
    return long ? length : Math.max(1, length * (code < 0x0600 ? 0.42 : 0.33));
  if (code >= 0x0e00 && code < 0x0e80) {
    const vowels = run.match(THAI_VOWELS)?.length ?? 0;
    return Math.max(1, length * (length > 3 && vowels < length / 6 ? 1.4 : 0.42));
  }
  if (code >= 0x0900 && code < 0x1100) return Math.max(1, length * 0.4);
  if (code >= 0x3400 && code < 0xa000) {
    if (length > LONGEST_SENTENCE) return length * 1.05;
    return length * (TRADITIONAL.test(run) ? 0.9 : 0.64) + 0.2;
  }
  if (code >= 0xac00 && code < 0xd7b0) return long ? length : 1 + (length - 1) * 0.48;
  if (code >= 0x3040 && code < 0x3100) return long ? length * 1.2 : Math.max(1, length * 0.62);
  return pointCost(code);
}

/** Whether a run consists of letters, from Greek to Georgian, and not of punctuation, symbols or emoji. */
function isAlphabetic(run: string): boolean {
  const code = run.charCodeAt(0);
  return code >= 0x0370 && code < 0x1100;
}

function isEastAsian(run: string): boolean {
  const code = run.charCodeAt(0);
  return code >= 0x3000 && code < 0xd7b0;
}

/** Tokens of a single symbol, emoji or letter of a rare script. */
function pointCost(code: number): number {
  if (code < 0x1100) return 1.1;
  if (code >= 0x2010 && code <= 0x2030) return 1;
  if (code >= 0x3000 && code < 0xd7b0) return 1;
  return code < 0x10000 ? 3 : 4;
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
