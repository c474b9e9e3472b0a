import { compiled } from '../base/text/strings.ts';
import type { Lexicon } from './pack.ts';

/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
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

export function plainWords(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === 'word').map(({ lower }) => lower);
}

interface LexiconReading {
  /** -1 to 1, normalised as in {@link readValence}. */
  compound: number;
  /** The rating of each rated word, in order. */
  ratings: readonly number[];
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
  const shouts = mixedCase(tokens);
  const contrast = tokens.findIndex(({ lower }) => lower === 'but');
  const ratings = tokens.flatMap((token, i) => {
    const base = lexicon.get(token.kind === 'face' ? token.raw : token.lower) ?? lexicon.get(token.lower);
    if (base === undefined || base === 0 || modifies(tokens, i, lexicon)) return [];
    const sign = Math.sign(base);
    const loud = base + (shouts && isCapital(token) ? sign * 0.733 : 0);
    const rating = token.kind === 'face' ? loud : inContext(tokens, i, loud, sign, shouts);
    return [contrast < 0 ? rating : rating * (i < contrast ? 0.5 : 1.5)];
  });
  const plain = ratings.reduce((sum, rating) => sum + rating, 0);
  const sum = plain + Math.sign(plain) * emphasis(tokens);
  return { compound: sum / Math.sqrt(sum * sum + 15), ratings };
}

/** Whether a word only modifies the next one: "very", "kind of", "no good". */
function modifies(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const word = tokens[at]?.lower ?? '';
  if (STRONGER.has(word) || WEAKER.has(word)) return true;
  const next = tokens[at + 1]?.lower ?? '';
  if (word === 'kind' || word === 'sort') return next === 'of';
  return word === 'no' && lexicon.has(next);
}

function inContext(
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
  const questions = countOf(tokens, '?');
  const asked = questions <= 1 ? 0 : questions <= 3 ? questions * 0.18 : 0.96;
  return Math.min(countOf(tokens, '!'), 4) * 0.292 + asked;
}

export function countOf(tokens: readonly Token[], mark: string): number {
  return tokens.reduce((sum, { kind, raw }) => sum + (kind === 'mark' ? raw.split(mark).length - 1 : 0), 0);
}

export function isCapital(token: Token): boolean {
  return token.raw.length > 1 && token.raw !== token.lower && token.raw === token.raw.toUpperCase();
}

/** Capitals are significant only if not everything is in capitals. */
function mixedCase(tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ kind }) => kind === 'word');
  const capital = words.filter(isCapital).length;
  return capital > 0 && capital < words.length;
}
