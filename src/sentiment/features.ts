import WORDS from '../../models/words/sentiment.json' with { type: 'json' };
import { foldProse } from '../base/text/prose.ts';
import { compilePattern, finishHash, rollHash } from '../base/text/strings.ts';

/** Valences of words, -4 to 4; a `Map` can be used as one. */
export interface Lexicon {
  get(word: string): number | undefined;
  has(word: string): boolean;
}

/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

const FACE = String.raw`[<>]?[:;=8xX%][-'o^*0c~]?[)(\]}{[DdpPoO0/\\|3*$@sSlL<>]{1,4}`;
const TOKEN = new RegExp(
  [
    String.raw`(?<![\p{L}\d])${FACE}(?![a-zA-Z0-9])`,
    String.raw`<\/?3+|\^[_.-]?\^|-_+-|[oO][_.][oO]|T_T|¯\\_\(ツ\)_\/¯`,
    String.raw`(?<word>[\p{L}\p{M}]+(?:['’]\p{L}+)*)`,
    String.raw`\d+(?:[.,:]\d+)*`,
    String.raw`(?<picture>\p{Extended_Pictographic}\p{M}*)`,
    '[!?]+|[.…]{2,}',
    String.raw`\S`,
  ].join('|'),
  'gu',
);

export const tokenize = (prose: string): Token[] =>
  Array.from(prose.matchAll(compilePattern(TOKEN)), ({ 0: raw, groups }) => ({
    raw,
    lower: foldProse(raw),
    kind: groups?.picture === undefined ? classifyToken(raw, groups?.word !== undefined) : 'face',
  }));

const EIGHT_FACE = /^8[-'o^*]?[)(D]/;
const LETTER_FACE = /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/;

function classifyToken(raw: string, isWord: boolean): Token['kind'] {
  if (/^\d/.test(raw)) return EIGHT_FACE.test(raw) ? 'face' : 'number';
  if (isWord || /^[a-z]/i.test(raw)) return LETTER_FACE.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

export const listPlainWords = (tokens: readonly Token[]): string[] =>
  tokens.filter(({ kind }) => kind === 'word').map(({ lower }) => lower);

const NEGATIONS = new Set(WORDS.negations.split(' '));
const STRONGER = new Set(WORDS.stronger.split(' '));
const WEAKER = new Set(WORDS.weaker.split(' '));

const isNegation = (word: string): boolean => NEGATIONS.has(word);

/**
 * Rates a text by a lexicon of word valences (-4 to 4), with the rules that C. J. Hutto and E. Gilbert measured
 * ("VADER", ICWSM 2014): a booster word shifts the rating by .293, fading with distance; capitals among lower case add
 * .733; a negation within three words multiplies by -.74; what follows "but" weighs 1.5, what precedes it .5;
 * exclamation marks add .292 each, at most four; and the sum x becomes x / sqrt(x² + 15).
 */
function readValence(tokens: readonly Token[], lexicon: Lexicon) {
  const shouts = hasMixedCase(tokens);
  const contrast = tokens.findIndex(({ lower }) => lower === 'but');
  const ratings = tokens.flatMap((token, i) => {
    const base = lexicon.get(token.kind === 'face' ? token.raw : token.lower) ?? lexicon.get(token.lower);
    if (base === undefined || base === 0 || isModifier(tokens, i, lexicon)) return [];

    const sign = Math.sign(base);
    const loud = base + (shouts && isCapital(token) ? sign * 0.733 : 0);
    const rating = token.kind === 'face' ? loud : rateInContext(tokens, i, loud, sign, shouts);
    return [contrast < 0 ? rating : rating * (i < contrast ? 0.5 : 1.5)];
  });

  const plain = ratings.reduce((sum, rating) => sum + rating, 0);
  const sum = plain + Math.sign(plain) * measureEmphasis(tokens);
  return { compound: sum / Math.sqrt(sum * sum + 15), ratings };
}

/** Whether a word only modifies the next one: "very", "kind of", "no good". */
function isModifier(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const word = tokens[at]?.lower ?? '';
  if (STRONGER.has(word) || WEAKER.has(word)) return true;
  const next = tokens[at + 1]?.lower ?? '';
  if (word === 'kind' || word === 'sort') return next === 'of';
  return word === 'no' && lexicon.has(next);
}

function rateInContext(
  tokens: readonly Token[],
  at: number,
  rating: number,
  sign: number,
  shouts: boolean,
): number {
  let value = rating;
  let negated = false;
  let soMuch = false;

  for (let back = 1; back <= REACH; back++) {
    const before = tokens[at - back];
    if (before === undefined) break;
    if (before.kind === 'mark' && CLAUSE_END.test(before.raw)) break;
    if (before.kind !== 'word') continue;

    const step = 0.293 * (Number(STRONGER.has(before.lower)) - Number(WEAKER.has(before.lower)));
    if (step !== 0 && back <= 3) {
      const loud = shouts && isCapital(before) ? Math.sign(step) * 0.733 : 0;
      value += sign * (step + loud) * (1.05 - 0.05 * back);
    }

    if (back <= 3 && (before.lower === 'so' || before.lower === 'this')) soMuch = true;
    // "Never been so well" amplifies, it does not negate.
    if (before.lower === 'no' ? back <= 2 : NEGATIONS.has(before.lower))
      negated = !(soMuch && /^(?:never|haven't|hasn't|hadn't)$/.test(before.lower));
  }

  return negated ? value * -0.74 : value;
}

const REACH = 4;
const CLAUSE_END = /^[.,!?;:…]/;

function measureEmphasis(tokens: readonly Token[]): number {
  const questions = countMark(tokens, '?');
  const few = questions <= 1 ? 0 : questions * 0.18;
  return Math.min(countMark(tokens, '!'), 4) * 0.292 + (questions > 3 ? 0.96 : few);
}

const countMark = (tokens: readonly Token[], mark: string): number =>
  tokens.reduce((sum, { kind, raw }) => sum + (kind === 'mark' ? raw.split(mark).length - 1 : 0), 0);

const isCapital = (token: Token): boolean =>
  token.raw.length > 1 && token.raw !== token.lower && token.raw === token.raw.toUpperCase();

function hasMixedCase(tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ kind }) => kind === 'word');
  const capital = words.filter(isCapital).length;
  return capital > 0 && capital < words.length;
}

/** Bits of a feature's number: enough that the few ten thousand kept features rarely collide. */
export const HASH_BITS = 22;

const getFeatureKey = (hash: number): number => finishHash(hash) & ((1 << HASH_BITS) - 1);

export interface Features {
  /** Hashed n-grams: of words, then of characters. */
  grams: readonly Grams[];
  /** Lexicon and style features, each about 0 to 1. */
  dense: Float32Array;
}

/** N-grams of one kind, one number per occurrence: an n-gram that occurs twice counts twice. */
export interface Grams {
  hashes: readonly number[];
  value: number;
}

const MAX_FEATURE_TOKENS = 400;
const MAX_WORD = 24;

// A seed per kind of feature distinguishes the word "not" from the letters "not".
const [UNIGRAM, NEGATED, BIGRAM, TRIGRAM, CHARACTERS, EDGE] = [
  0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006,
];

/**
 * Word 1-3-grams, words under negation, character 3-5-grams within words, each group scaled to unit length
 * regardless of the length of the text, and the dense features.
 */
export function extractFeatures(prose: string, tokens: readonly Token[], lexicon: Lexicon): Features {
  const read = tokens.length > MAX_FEATURE_TOKENS ? cut(tokens) : tokens;
  return {
    grams: [collectWordGrams(read), collectCharacterGrams(read)],
    dense: buildDenseFeatures(prose, read, lexicon),
  };
}

function mixHash(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x9e3779b1);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0x01000193);
}

const cut = (tokens: readonly Token[]): Token[] => [
  ...tokens.slice(0, MAX_FEATURE_TOKENS * 0.7),
  ...tokens.slice(-MAX_FEATURE_TOKENS * 0.3),
];

function collectWordGrams(tokens: readonly Token[]): Grams {
  const hashes: number[] = [rollHash('', EDGE)];
  for (const token of tokens) {
    const text = token.kind === 'face' ? token.raw : token.lower;
    hashes.push(rollHash(token.kind === 'number' ? '0' : text));
  }

  hashes.push(rollHash('', EDGE + 1));
  const found: number[] = [];
  let negated = 0;

  for (let i = 1; i < hashes.length - 1; i++) {
    const hash = hashes[i] ?? 0;
    const token = tokens[i - 1];
    found.push(getFeatureKey(mixHash(hash, UNIGRAM)));

    if (token?.kind === 'mark') negated = 0;
    else if (token !== undefined && isNegation(token.lower)) negated = 4;
    else if (negated > 0) {
      found.push(getFeatureKey(mixHash(hash, NEGATED)));
      negated--;
    }
  }

  for (let i = 0; i + 1 < hashes.length; i++) {
    const pair = mixHash(mixHash(hashes[i] ?? 0, BIGRAM), hashes[i + 1] ?? 0);
    found.push(getFeatureKey(pair));
    if (i + 2 < hashes.length) found.push(getFeatureKey(mixHash(mixHash(pair, TRIGRAM), hashes[i + 2] ?? 0)));
  }

  return { hashes: found, value: 1 / Math.sqrt(found.length) };
}

function collectCharacterGrams(tokens: readonly Token[]): Grams {
  const found: number[] = [];
  for (const token of tokens) {
    if (token.kind !== 'word') continue;
    const word = `^${token.lower.slice(0, MAX_WORD)}$`;
    for (let start = 0; start + 3 <= word.length; start++) {
      let hash = CHARACTERS;
      for (let n = 1; n <= 5 && start + n <= word.length; n++) {
        hash = mixHash(hash, word.charCodeAt(start + n - 1));
        if (n >= 3 && n < word.length) found.push(getFeatureKey(hash));
      }
    }
  }

  return { hashes: found, value: found.length === 0 ? 0 : 0.7 / Math.sqrt(found.length) };
}

function buildDenseFeatures(prose: string, tokens: readonly Token[], lexicon: Lexicon): Float32Array {
  const { compound, ratings } = readValence(tokens, lexicon);
  const sumValues = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const highest = Math.max(0, ...ratings);
  const lowest = Math.min(0, ...ratings);
  const negative = Math.min(1, -sumValues(ratings.filter((rating) => rating < 0)) / 6);
  const words = tokens.filter(({ kind }) => kind === 'word');
  const is = (...names: string[]): boolean => words.some(({ lower }) => names.includes(lower));
  const saysYou = is('you', 'your', "you're");
  const saysI = is('i', 'my') || words.some(({ lower }) => lower.startsWith("i'"));
  const hasDots = tokens.some(({ kind, raw }) => kind === 'mark' && (raw === '…' || raw.startsWith('..')));
  const capitals = words.filter((word) => word.raw.length > 2 && isCapital(word)).length;

  return Float32Array.from([
    Math.max(0, compound),
    Math.max(0, -compound),
    Math.min(1, sumValues(ratings.filter((rating) => rating > 0)) / 6),
    negative,
    compound,
    Math.min(1, ratings.length / 4),
    highest / 4,
    -lowest / 4,
    highest > 0.5 && lowest < -0.5 ? 1 : 0,
    Math.sign(ratings.at(-1) ?? 0),
    Math.min(1, countMark(tokens, '?') / 2),
    /\?\W*$/.test(prose.slice(-12)) ? 1 : 0,
    Math.min(1, countMark(tokens, '!') / 3),
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
