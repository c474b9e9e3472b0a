import { compiled } from '../base/text/compile-patterns.ts';
import type { Lexicon } from './pack.ts';

/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  /** As written. */
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

const FACE = String.raw`[<>]?[:;=8xX%][-'o^*0c~]?[)(\]}{[DdpPoO0/\\|3*$@sSlL<>]{1,4}`;
/** Emoticons, words, numbers, pictures, marks. */
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

/** Splits prose into tokens. */
export function tokenize(prose: string): Token[] {
  return Array.from(prose.matchAll(compiled(TOKEN)), ({ 0: raw, groups }) => ({
    raw,
    lower: raw.toLowerCase().replaceAll('’', "'"),
    kind: groups?.picture === undefined ? kindOf(raw, groups?.word !== undefined) : 'face',
  }));
}

const EIGHT_FACE = /^8[-'o^*]?[)(D]/;
const LETTER_FACE = /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/;

function kindOf(raw: string, isWord: boolean): Token['kind'] {
  if (/^\d/.test(raw)) return EIGHT_FACE.test(raw) ? 'face' : 'number';
  if (isWord || /^[a-z]/i.test(raw)) return LETTER_FACE.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

/** The lower-case words among tokens. */
export function plainWords(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === 'word').map(({ lower }) => lower);
}

/** A lexicon's reading of a text. */
export interface LexiconReading {
  /** -1 to 1, normalised as in {@link readValence}. */
  compound: number;
  /** Sums of positive and of negative ratings, for features; both at least 0. */
  positive: number;
  negative: number;
  /** Rated words found. */
  hits: number;
  /** The extreme ratings and the last one; 0 if there is none. */
  highest: number;
  lowest: number;
  last: number;
  /** The strongest words, for evidence, in order of appearance. */
  found: string[];
}

const NEGATIONS = new Set(
  "not no never none nothing nowhere neither nor cannot without hardly barely scarcely rarely seldom isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't needn't haven't hasn't hadn't ain't isnt arent wasnt werent dont doesnt didnt cant couldnt wont wouldnt shouldnt havent hasnt hadnt aint nope despite".split(
    ' ',
  ),
);
const STRONGER = new Set(
  'very really so extremely absolutely completely totally utterly incredibly insanely super especially hugely highly deeply truly seriously freaking fricking fucking frigging hella most more quite too such entirely exceptionally particularly remarkably majorly purely thoroughly tremendously unbelievably unusually'.split(
    ' ',
  ),
);
const WEAKER = new Set(
  'slightly somewhat kinda sorta barely almost partly marginally occasionally little less bit scarcely hardly fairly'.split(
    ' ',
  ),
);
const CONTRAST = new Set(['but', 'however', 'although', 'though', 'yet', 'except']);

/** Whether a word negates what follows. */
export function isNegation(word: string): boolean {
  return NEGATIONS.has(word);
}

/**
 * Rates a text by a lexicon of word valences (-4 to 4), with the rules that C. J. Hutto and E. Gilbert
 * measured ("VADER", ICWSM 2014): a booster word shifts the rating by .293, fading with distance; capitals
 * among lower case add .733; a negation within three words multiplies by -.74; what follows "but" weighs 1.5,
 * what precedes it .5; exclamation marks add .292 each, at most four; and the sum x becomes x / sqrt(x² +
 * 15).
 */
export function readValence(tokens: readonly Token[], lexicon: Lexicon): LexiconReading {
  const ratings: number[] = [];
  const places: number[] = [];
  const found: string[] = [];
  const shouts = mixedCase(tokens);
  let contrast = -1;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) continue;
    if (CONTRAST.has(token.lower) && token.lower === 'but' && contrast < 0) contrast = i;
    const base = lexicon.get(token.kind === 'face' ? token.raw : token.lower) ?? lexicon.get(token.lower);
    if (base === undefined || base === 0 || modifies(tokens, i, lexicon)) continue;
    let rating = base;
    const sign = Math.sign(base);
    if (shouts && isCapital(token)) rating += sign * 0.733;
    if (token.kind !== 'face') rating = context(tokens, i, rating, sign, shouts);
    ratings.push(rating);
    places.push(i);
    if (found.length < 6) found.push(token.lower);
  }
  if (contrast >= 0) {
    for (let k = 0; k < ratings.length; k++) {
      const place = places[k] ?? 0;
      ratings[k] = (ratings[k] ?? 0) * (place < contrast ? 0.5 : 1.5);
    }
  }
  return summarise(ratings, emphasis(tokens), found);
}

/** Whether a word only modifies the next one: "very", "kind of", "no good". */
function modifies(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const word = tokens[at]?.lower ?? '';
  if (STRONGER.has(word) || WEAKER.has(word)) return true;
  const next = tokens[at + 1]?.lower ?? '';
  if (word === 'kind' || word === 'sort') return next === 'of';
  return word === 'no' && lexicon.has(next);
}

function context(
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
    const step = STRONGER.has(before.lower) ? 0.293 : WEAKER.has(before.lower) ? -0.293 : 0;
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

/** How many words before a rated word a negation can be. */
const REACH = 4;
const CLAUSE_END = /^[.,!?;:…]/;

function emphasis(tokens: readonly Token[]): number {
  let bangs = 0;
  let questions = 0;
  for (const token of tokens) {
    if (token.kind !== 'mark') continue;
    for (const c of token.raw) {
      if (c === '!') bangs++;
      else if (c === '?') questions++;
    }
  }
  const asked = questions <= 1 ? 0 : questions <= 3 ? questions * 0.18 : 0.96;
  return Math.min(bangs, 4) * 0.292 + asked;
}

function summarise(ratings: readonly number[], loud: number, found: string[]): LexiconReading {
  let sum = 0;
  let positive = 0;
  let negative = 0;
  let highest = 0;
  let lowest = 0;
  for (const rating of ratings) {
    sum += rating;
    if (rating > highest) highest = rating;
    if (rating < lowest) lowest = rating;
    if (rating > 0) positive += rating;
    else negative -= rating;
  }
  if (sum > 0) sum += loud;
  else if (sum < 0) sum -= loud;
  const compound = sum / Math.sqrt(sum * sum + 15);
  const last = ratings.at(-1) ?? 0;
  return { compound, positive, negative, highest, lowest, last, hits: ratings.length, found };
}

function isCapital(token: Token): boolean {
  return token.raw.length > 1 && token.raw !== token.lower && token.raw === token.raw.toUpperCase();
}

/** Capitals are significant only if not everything is in capitals. */
function mixedCase(tokens: readonly Token[]): boolean {
  let capital = 0;
  let words = 0;
  for (const token of tokens) {
    if (token.kind !== 'word') continue;
    words++;
    if (isCapital(token)) capital++;
  }
  return capital > 0 && capital < words;
}
