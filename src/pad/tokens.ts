/**
 * Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern,
 * simplified): spaces, a word, punctuation, other letters; or digits. The groups have numbers, because names cost an
 * object per match.
 */
const PIECE = /([ \t]+(?=\S)|\s+)|([A-Z]*[a-z]+|[A-Z]+)|([!-/:-@[-`{-~]+)|([^\x00-\x7f]+)|\d{1,3}|[\s\S]/g;
const RARE_IN_ENGLISH = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}|[aeiou]{3,}/g;
/** Function words of English, which other languages do not borrow. */
const FUNCTION_WORDS = new Set(
  (
    'the of to and is in it for on with not was are be at this that from by or an as has have had but can will ' +
    'all if no out up so we you they he she his her its our your their do does did been were than then when what ' +
    'which who how why where there here into over after before only still until about more most just now ' +
    // Their counterparts in the lines of a state block.
    'same one line lines today tomorrow yesterday first last next new high low negative positive neutral ' +
    'moderate needed ignore older again each within without must should would could any these those other'
  ).split(' '),
);
/** Longer ones that are a single token in every position. */
const LONG_AND_COMMON = new Set(['confidence', 'secondary', 'professional', 'characters']);
/** A line in which fewer than one word in ten is one of these is not English prose: its words may cost more. */
const ENGLISH_SHARE = 0.1;
const SHORT_LINE_WORDS = 4;
/** Letters per token in prose of the languages that tokenizers know least. */
const FOREIGN_LETTERS = 2.9;
/** Prose and code have some 3 % of such letters, keys and noise 20 % and more. */
const NOISE_SHARE = 0.1;
const NOISE_FACTOR = 1.75;
const FOREIGN_NOISE_FACTOR = 1.25;

/**
 * An estimate of a text's tokens that errs on the high side: budgets must hold for real tokenizers, and an exact one
 * costs hundreds of milliseconds to load. Tests compare it with o200k_base, on prose in many languages and on noise
 * in many scripts. Text that does not look like English prose counts at the worst measured rate, up to twice its
 * real cost.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const line of text.split('\n')) tokens += costOf(line) + 1;
  return Math.ceil(Math.max(0, tokens - 1));
}

/** Cached, because a line is counted for the budget and again as part of the whole. */
const known = new Map<string, number>();
const MOST_KNOWN = 256;
const LONGEST_KNOWN = 500;

function costOf(line: string): number {
  let cost = known.get(line);
  if (cost === undefined) {
    cost = estimateLine(line);
    if (known.size >= MOST_KNOWN) known.clear();
    if (line.length <= LONGEST_KNOWN) known.set(line, cost);
  }
  return cost;
}

function estimateLine(line: string): number {
  let words = 0;
  let asEnglish = 0;
  let asForeign = 0;
  let letters = 0;
  let rare = 0;
  let english = 0;
  let rest = 0;
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(line); match !== null; match = PIECE.exec(line)) {
    const blanks = match[1];
    const word = match[2];
    const marks = match[3];
    const other = match[4];
    if (word !== undefined) {
      const lower = word.toLowerCase();
      const strange = lower.match(RARE_IN_ENGLISH)?.join('').length ?? 0;
      words += 1;
      asEnglish += wordCost(word, strange);
      asForeign += foreignCost(word, strange);
      letters += word.length;
      rare += strange;
      if (FUNCTION_WORDS.has(lower)) english += 1;
    } else if (blanks !== undefined) rest += blankCost(blanks, line.charCodeAt(match.index + blanks.length));
    else if (marks !== undefined) rest += marks.length <= 2 ? 1 : Math.ceil(marks.length / 1.2);
    else if (other !== undefined) rest += otherCost(other);
    else rest += 1;
  }
  const prose = words < SHORT_LINE_WORDS || english >= words * ENGLISH_SHARE;
  const cost = prose ? asEnglish : asForeign;
  const noise = rare > letters * NOISE_SHARE ? (prose ? NOISE_FACTOR : FOREIGN_NOISE_FACTOR) : 1;
  return rest + cost * noise;
}

function wordCost(word: string, strange: number): number {
  const capitals = capitalsIn(word);
  if (capitals > 1) return Math.ceil(capitals / 1.7) + Math.ceil((word.length - capitals) / 2);
  // Most English words of up to eight letters are one token; other words cost more.
  if (strange < 3)
    return word.length <= 8 || LONG_AND_COMMON.has(word.toLowerCase()) ? 1 : Math.ceil(word.length / 5);
  return Math.ceil((word.length - strange) / 5) + Math.ceil(strange / 2.5);
}

/** The number of capitals that a word begins with. */
function capitalsIn(word: string): number {
  let count = 0;
  while (word.charAt(count) >= 'A' && word.charAt(count) <= 'Z') count += 1;
  return count;
}

function foreignCost(word: string, strange: number): number {
  if (capitalsIn(word) >= 2) return wordCost(word, strange);
  return Math.max(1, Math.ceil((word.length - strange) / FOREIGN_LETTERS + strange / 1.6));
}

/**
 * A single space joins the word or sign after it; before a digit it is a token of its own, and a run of spaces takes
 * one token for the rest.
 */
function blankCost(blanks: string, next: number): number {
  const beforeDigit = next >= 48 && next <= 57;
  if (blanks === ' ') return beforeDigit ? 1 : 0;
  return Math.ceil(blanks.length / 4) + (beforeDigit ? 1 : 0);
}

function otherCost(run: string): number {
  let cost = 0;
  for (const point of run) cost += pointCost(point.codePointAt(0) ?? 0);
  return Math.max(1, cost);
}

/** Tokens per code point, by block: Latin and Cyrillic, Near and South East Asia, East Asia, and the rest. */
function pointCost(code: number): number {
  if (code < 0x0530) return 1.1;
  if (code < 0x1100) return 1.3;
  if (code >= 0x2010 && code <= 0x2030) return 1;
  if (code >= 0x3000 && code < 0xd7b0) return 1.3;
  return code < 0x10000 ? 3 : 4;
}
