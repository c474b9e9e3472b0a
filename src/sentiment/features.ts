import { rollText } from '../base/text/strings.ts';
import { featureKey, type Lexicon } from './pack.ts';
import { countOf, isCapital, isNegation, readValence, type Token } from './words.ts';

export interface Features {
  /** Hashed n-grams: of words, then of characters. */
  grams: readonly Grams[];
  /** Lexicon and style features, each about 0 to 1. */
  dense: Float32Array;
}

/** N-grams of one kind, one number per occurrence: an n-gram that occurs twice counts twice. */
export interface Grams {
  hashes: readonly number[];
  /** The weight of each occurrence. */
  value: number;
}

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
  const { compound, ratings } = readValence(tokens, lexicon);
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const highest = Math.max(0, ...ratings);
  const lowest = Math.min(0, ...ratings);
  const negative = Math.min(1, -sumOf(ratings.filter((rating) => rating < 0)) / 6);
  const words = tokens.filter(({ kind }) => kind === 'word');
  const is = (...names: string[]): boolean => words.some(({ lower }) => names.includes(lower));
  const saysYou = is('you', 'your', "you're");
  const saysI = is('i', 'my') || words.some(({ lower }) => lower.startsWith("i'"));
  const hasDots = tokens.some(({ kind, raw }) => kind === 'mark' && (raw === '…' || raw.startsWith('..')));
  const capitals = words.filter((word) => word.raw.length > 2 && isCapital(word)).length;
  return Float32Array.from([
    Math.max(0, compound),
    Math.max(0, -compound),
    Math.min(1, sumOf(ratings.filter((rating) => rating > 0)) / 6),
    negative,
    compound,
    Math.min(1, ratings.length / 4),
    highest / 4,
    -lowest / 4,
    highest > 0.5 && lowest < -0.5 ? 1 : 0,
    Math.sign(ratings.at(-1) ?? 0),
    Math.min(1, countOf(tokens, '?') / 2),
    /\?\W*$/.test(prose.slice(-12)) ? 1 : 0,
    Math.min(1, countOf(tokens, '!') / 3),
    Math.min(1, capitals / 3),
    hasDots ? 1 : 0,
    Math.min(1, tokens.length / 30),
    tokens.length < 5 ? 1 : 0,
    saysYou ? 1 : 0,
    saysYou ? negative : 0,
    saysI ? 1 : 0,
    Math.min(1, words.filter(({ lower }) => isNegation(lower)).length / 3),
    Math.min(1, tokens.filter(({ kind }) => kind === 'face').length / 2),
    1,
  ]);
}
