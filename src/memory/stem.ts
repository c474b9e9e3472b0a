import { baseOf } from './irregular.ts';

/**
 * English stems by the Porter2 ("English") algorithm of the Snowball project
 * (https://snowballstem.org/algorithms/english/stemmer.html), with irregular forms mapped to their
 * base form first (`went` and `going` share a stem).
 *
 * Written here rather than taken from a package: the small packages implement the older Porter
 * algorithm or run a chain of regular expressions over every word, and a cold query pays for each
 * millisecond of loading.
 */

const VOWELS = 'aeiouy';
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
// Lists and not patterns: a cold query would compile each for a word or two.
const PREFIXES = ['gener', 'commun', 'arsen'];
const EED = ['eedly', 'eed'];
const ED_ING = ['ingly', 'edly', 'ing', 'ed'];
const WANT_E = ['at', 'bl', 'iz'];
const LI_ENDING = 'cdeghkmnrt';

const SPECIAL = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ['sky', 'sky'],
  ['news', 'news'],
  ['howe', 'howe'],
  ['atlas', 'atlas'],
  ['cosmos', 'cosmos'],
  ['bias', 'bias'],
  ['andes', 'andes'],
]);

const KEPT_AFTER_1A = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

/** Suffix, replacement; the longest first, because the first that ends the word decides. */
const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];

const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const STEP_4: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
];

/** The last two letters of those endings: most words have none of them, and are spared the look at each. */
const ENDS_2 = new Set(STEP_2.map(([suffix]) => suffix.slice(-2)));
const ENDS_3 = new Set(STEP_3.map(([suffix]) => suffix.slice(-2)));
const ENDS_4 = new Set(STEP_4.map((suffix) => suffix.slice(-2)));

/**
 * The stem of one lower-case word. Words with anything but the letters a to z are returned as they are.
 */
export function stem(word: string): string {
  if (word.length < 3) return word;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x61 || code > 0x7a) return word;
  }
  return porter2(baseOf(word) ?? word);
}

/** Porter2 on a word of at least three letters a to z. */
export function porter2(word: string): string {
  const special = SPECIAL.get(word);
  if (special !== undefined) return special;
  let w = markConsonantY(word);
  const r1 = regionOne(w);
  const r2 = nextRegion(w, r1);
  w = step1a(w);
  if (KEPT_AFTER_1A.has(w)) return w;
  w = step1b(w, r1);
  if (w.length > 2 && 'yY'.includes(w.charAt(w.length - 1)) && !isVowel(w, w.length - 2))
    w = `${w.slice(0, -1)}i`;
  w = step2(w, r1);
  w = step3(w, r1, r2);
  w = step4(w, r2);
  return step5(w, r1, r2).replaceAll('Y', 'y');
}

/** A `y` that acts as a consonant is written `Y` until the end. */
function markConsonantY(word: string): string {
  if (!word.includes('y')) return word;
  let out = '';
  for (let i = 0; i < word.length; i++) {
    const c = word.charAt(i);
    out += c === 'y' && (i === 0 || VOWELS.includes(out.charAt(i - 1))) ? 'Y' : c;
  }
  return out;
}

function isVowel(word: string, at: number): boolean {
  return at >= 0 && at < word.length && VOWELS.includes(word.charAt(at));
}

function hasVowel(word: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (isVowel(word, i)) return true;
  return false;
}

function regionOne(word: string): number {
  const prefix = PREFIXES.find((each) => word.startsWith(each));
  return prefix === undefined ? nextRegion(word, 0) : prefix.length;
}

/** Where the region after the first consonant that follows a vowel begins, from `from` on. */
function nextRegion(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i++) {
    if (!isVowel(word, i) && isVowel(word, i - 1)) return i + 1;
  }
  return word.length;
}

/** Whether the word ends in a short syllable: consonant, vowel, consonant but w, x, Y; or vowel, consonant. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return isVowel(word, 0) && !isVowel(word, 1);
  if (last < 2) return false;
  const shut = !isVowel(word, last) && !'wxY'.includes(word.charAt(last));
  return shut && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

/** Where the first of these endings that the word has begins, else -1. */
function startOfEnding(word: string, endings: readonly string[]): number {
  for (const ending of endings) if (word.endsWith(ending)) return word.length - ending.length;
  return -1;
}

function step1a(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2);
  if (w.endsWith('ied') || w.endsWith('ies')) return w.length > 4 ? w.slice(0, -2) : w.slice(0, -1);
  if (w.endsWith('us') || w.endsWith('ss') || !w.endsWith('s')) return w;
  return hasVowel(w, w.length - 2) ? w.slice(0, -1) : w;
}

function step1b(w: string, r1: number): string {
  const eed = startOfEnding(w, EED);
  if (eed >= 0) return eed >= r1 ? `${w.slice(0, eed)}ee` : w;
  const ending = startOfEnding(w, ED_ING);
  if (ending < 0 || !hasVowel(w, ending)) return w;
  const bare = w.slice(0, ending);
  if (startOfEnding(bare, WANT_E) >= 0) return `${bare}e`;
  if (DOUBLES.has(bare.slice(-2))) return bare.slice(0, -1);
  return r1 >= bare.length && endsShort(bare) ? `${bare}e` : bare;
}

function step2(w: string, r1: number): string {
  if (!ENDS_2.has(w.slice(-2))) return w;
  for (const [suffix, replacement] of STEP_2) {
    if (!w.endsWith(suffix)) continue;
    const at = w.length - suffix.length;
    if (at < r1) return w;
    if (suffix === 'ogi' && w.charAt(at - 1) !== 'l') return w;
    if (suffix === 'li' && !LI_ENDING.includes(w.charAt(at - 1))) return w;
    return w.slice(0, at) + replacement;
  }
  return w;
}

function step3(w: string, r1: number, r2: number): string {
  if (!ENDS_3.has(w.slice(-2))) return w;
  for (const [suffix, replacement] of STEP_3) {
    if (!w.endsWith(suffix)) continue;
    const at = w.length - suffix.length;
    return at < (suffix === 'ative' ? r2 : r1) ? w : w.slice(0, at) + replacement;
  }
  return w;
}

function step4(w: string, r2: number): string {
  if (!ENDS_4.has(w.slice(-2))) return w;
  for (const suffix of STEP_4) {
    if (!w.endsWith(suffix)) continue;
    const at = w.length - suffix.length;
    if (at < r2) return w;
    return suffix === 'ion' && !'st'.includes(w.charAt(at - 1)) ? w : w.slice(0, at);
  }
  return w;
}

function step5(w: string, r1: number, r2: number): string {
  const at = w.length - 1;
  if (w.endsWith('e')) {
    if (at >= r2 || (at >= r1 && !endsShort(w.slice(0, -1)))) return w.slice(0, -1);
    return w;
  }
  return w.endsWith('ll') && at >= r2 ? w.slice(0, -1) : w;
}
