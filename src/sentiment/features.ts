import { rollText } from '../base/text/hash.ts';
import { featureKey, type Lexicon } from './pack.ts';
import { isNegation, readValence, type Token } from './words.ts';

/** The model's input for one text. */
export interface Features {
  /** Hashed n-grams: of words, then of characters. */
  grams: readonly Grams[];
  /** Lexicon and style features, in the order of {@link DENSE_NAMES}, each about 0 to 1. */
  dense: Float32Array;
}

/** N-grams of one kind, one number per occurrence: an n-gram that occurs twice counts twice. */
export interface Grams {
  hashes: readonly number[];
  /** The weight of each occurrence. */
  value: number;
}

/** Lexicon and style features. */
export const DENSE_NAMES = [
  'pleasant',
  'unpleasant',
  'positive words',
  'negative words',
  'compound',
  'rated words',
  'strongest positive',
  'strongest negative',
  'both signs',
  'last rated',
  'questions',
  'ends asking',
  'exclamations',
  'capitals',
  'dots',
  'length',
  'short',
  'you',
  'you and negative',
  'i',
  'negations',
  'faces',
  'one',
] as const;

const MAX_FEATURE_TOKENS = 400;
const MAX_WORD = 24;

// A seed per kind of feature distinguishes the word "not" from the letters "not".
export const UNIGRAM = 0x1001;
const NEGATED = 0x1002;
const BIGRAM = 0x1003;
const TRIGRAM = 0x1004;
const CHARACTERS = 0x1005;
const EDGE = 0x1006;

/**
 * Word 1-3-grams, words under negation, character 3-5-grams within words, each group scaled to unit length
 * regardless of the length of the text, and the dense features.
 */
export function featuresOf(prose: string, tokens: readonly Token[], lexicon: Lexicon): Features {
  const read = tokens.length > MAX_FEATURE_TOKENS ? cut(tokens) : tokens;
  return { grams: [wordGrams(read), characterGrams(read)], dense: denseOf(prose, read, lexicon) };
}

/** Combines a hash with one more number. */
export function hashWith(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x9e3779b1);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0x01000193);
}

function cut(tokens: readonly Token[]): Token[] {
  return [...tokens.slice(0, MAX_FEATURE_TOKENS * 0.7), ...tokens.slice(-MAX_FEATURE_TOKENS * 0.3)];
}

function wordGrams(tokens: readonly Token[]): Grams {
  const hashes: number[] = [rollText('', EDGE)];
  for (const token of tokens) {
    const text = token.kind === 'number' ? '0' : token.kind === 'face' ? token.raw : token.lower;
    hashes.push(rollText(text));
  }
  hashes.push(rollText('', EDGE + 1));
  const found: number[] = [];
  let negated = 0;
  for (let i = 1; i < hashes.length - 1; i++) {
    const hash = hashes[i] ?? 0;
    const token = tokens[i - 1];
    found.push(featureKey(hashWith(hash, UNIGRAM)));
    if (token?.kind === 'mark') negated = 0;
    else if (token !== undefined && isNegation(token.lower)) negated = 4;
    else if (negated > 0) {
      found.push(featureKey(hashWith(hash, NEGATED)));
      negated--;
    }
  }
  for (let i = 0; i + 1 < hashes.length; i++) {
    const pair = hashWith(hashWith(hashes[i] ?? 0, BIGRAM), hashes[i + 1] ?? 0);
    found.push(featureKey(pair));
    if (i + 2 < hashes.length) found.push(featureKey(hashWith(hashWith(pair, TRIGRAM), hashes[i + 2] ?? 0)));
  }
  return { hashes: found, value: 1 / Math.sqrt(found.length) };
}

function characterGrams(tokens: readonly Token[]): Grams {
  const found: number[] = [];
  for (const token of tokens) {
    if (token.kind !== 'word') continue;
    const word = `^${token.lower.slice(0, MAX_WORD)}$`;
    for (let start = 0; start + 3 <= word.length; start++) {
      let hash = CHARACTERS;
      for (let n = 1; n <= 5 && start + n <= word.length; n++) {
        hash = hashWith(hash, word.charCodeAt(start + n - 1));
        if (n >= 3 && n < word.length) found.push(featureKey(hash));
      }
    }
  }
  return { hashes: found, value: found.length === 0 ? 0 : 0.7 / Math.sqrt(found.length) };
}

function denseOf(prose: string, tokens: readonly Token[], lexicon: Lexicon): Float32Array {
  const reading = readValence(tokens, lexicon);
  const style = styleOf(tokens);
  const negative = Math.min(1, reading.negative / 6);
  return Float32Array.from([
    Math.max(0, reading.compound),
    Math.max(0, -reading.compound),
    Math.min(1, reading.positive / 6),
    negative,
    reading.compound,
    Math.min(1, reading.hits / 4),
    reading.highest / 4,
    -reading.lowest / 4,
    reading.highest > 0.5 && reading.lowest < -0.5 ? 1 : 0,
    Math.sign(reading.last),
    Math.min(1, style.questions / 2),
    /\?\W*$/.test(prose.slice(-12)) ? 1 : 0,
    Math.min(1, style.bangs / 3),
    Math.min(1, style.capitals / 3),
    style.dots ? 1 : 0,
    Math.min(1, tokens.length / 30),
    tokens.length < 5 ? 1 : 0,
    style.you ? 1 : 0,
    style.you ? negative : 0,
    style.i ? 1 : 0,
    Math.min(1, style.negations / 3),
    Math.min(1, style.faces / 2),
    1,
  ]);
}

interface StyleCounts {
  questions: number;
  bangs: number;
  capitals: number;
  negations: number;
  faces: number;
  dots: boolean;
  you: boolean;
  i: boolean;
}

function styleOf(tokens: readonly Token[]): StyleCounts {
  const style: StyleCounts = {
    questions: 0,
    bangs: 0,
    capitals: 0,
    negations: 0,
    faces: 0,
    dots: false,
    you: false,
    i: false,
  };
  for (const token of tokens) {
    if (token.kind === 'face') style.faces++;
    else if (token.kind === 'mark') {
      for (const mark of token.raw) {
        if (mark === '?') style.questions++;
        else if (mark === '!') style.bangs++;
      }
      style.dots ||= token.raw === '…' || token.raw.startsWith('..');
    } else if (token.kind === 'word') {
      const word = token.lower;
      if (isNegation(word)) style.negations++;
      if (word === 'you' || word === 'your' || word === "you're") style.you = true;
      else if (word === 'i' || word === 'my' || word.startsWith("i'")) style.i = true;
      if (token.raw.length > 2 && token.raw !== token.lower && token.raw === token.raw.toUpperCase())
        style.capitals++;
    }
  }
  return style;
}
