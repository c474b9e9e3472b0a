import { estimateTokenCount } from 'tokenx';
import { truncate } from '../base/text/strings.ts';

/** Characters a token of words that `tokenx` does not know: each rate is the worst that was measured with o200k_base. */
const languageConfigs = [
  // Rare scripts and emoji.
  { pattern: /[\u1100-\u1dff\u2c00-\u2dff\ua000-\uabff]|[^\0-\uffff]/u, averageCharsPerToken: 0.3 },
  // Keys, digests and noise: digits among letters, capitals within, no vowels; mixed punctuation.
  { pattern: /^(?=.*\d)(?=.*[A-Za-z])\w{4,}$/, averageCharsPerToken: 1.35 },
  { pattern: /(?:[A-Z][a-z]{0,2}){4}/, averageCharsPerToken: 1.35 },
  { pattern: /[bcdfghjklmnpqrstvwxz]{5,}/i, averageCharsPerToken: 1.9 },
  { pattern: /^(?!(.)\1*$)[!-/:-@[-`{-~]{9,}$/, averageCharsPerToken: 1.1 },
  // Letters without spaces, vowels or plain ones between them, as in no language.
  { pattern: /[\u0370-\u0dff]{15}|\w[\u0370-\u10ff]|[\u0370-\u10ff]\w/, averageCharsPerToken: 0.8 },
  { pattern: /[\u0e01-\u0e2e]{6}|(?:[\u00c0-\u024f].?){4}|[\u3040-\u9fff]{25}/, averageCharsPerToken: 0.75 },
  // Greek, Cyrillic, Hebrew to Georgian.
  { pattern: /[\u0370-\u03ff]/, averageCharsPerToken: 2.5 },
  { pattern: /[\u0400-\u052f]/, averageCharsPerToken: 4.4 },
  { pattern: /[\u0590-\u10ff]/, averageCharsPerToken: 2.3 },
];

/** Words of the languages that tokenizers know well, English first. */
const COMMON = new Set(
  (
    'the of to and is in it for on with not was are be this that by or as no an at from has will you one now ' +
    'high low last next new same today line lines file files test tests fix add use run error code build check ' +
    'de la en el les des et que der die das und do da em um il van het'
  ).split(' '),
);
/** Code and data, whose names are English. */
const CODE = /[{}();=<>"[\]|/].*[{}();=<>"[\]|/]/;
const FEW_WORDS = 5;
/** What a line in another language costs more, or one in none. */
const UNKNOWN = 2.4;

/**
 * An estimate of a text's tokens that is seldom too low: budgets must hold for real tokenizers, and an exact one costs
 * hundreds of milliseconds to load. The costs of lines add up.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const line of text.split('\n')) tokens += costOf(line) + (line === '' ? 0 : 1);
  return Math.max(0, Math.ceil(tokens - 1));
}

function costOf(line: string): number {
  const cost = estimateTokenCount(line, { languageConfigs });
  const words = line.toLowerCase().match(/[a-z]+/g) ?? [];
  const isShort = words.filter(({ length }) => length > 2).length < FEW_WORDS;
  const isKnown = isShort || words.some((word) => COMMON.has(word)) || /[\u0400-\uffff]/.test(line);
  return isKnown || CODE.test(line) ? cost : cost * UNKNOWN;
}

/** The longest prefix of whole characters of an estimated `limit` tokens at most. */
export function truncateToTokens(text: string, limit: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimateTokens(truncate(text, middle)) <= limit) low = middle;
    else high = middle - 1;
  }
  return truncate(text, low);
}
