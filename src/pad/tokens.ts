import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findPackageFolder, readBytes } from '../base/fs/index.ts';
import { findFirst } from '../base/text/strings.ts';

/**
 * The pieces that o200k_base never merges across: its published pattern, over classes instead of characters. Compiled with
 * classes of Unicode it would take a hook eight milliseconds.
 * https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py
 */
const PIECE =
  /[^\r\nA-Za-zª0-9]?(?:[A-Zª]*[a-zª]+|[A-Zª]+[a-zª]*)(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?|[0-9]{1,3}| ?[^\sA-Za-zª0-9]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/g;

/** The character that stands for a class in {@link PIECE}. The first line needs no classes of Unicode, either. */
const CLASSES: readonly [RegExp, string][] = [
  [/[\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u2775]/, '!'],
  [/[\p{Lm}\p{Lo}\p{M}]/u, 'ª'],
  [/\p{Ll}/u, 'a'],
  [/\p{L}/u, 'A'],
  [/\p{N}/u, '0'],
  [/\s/, '\t'],
];
const cachedClasses = new Map<string, string>();

function classify(character: string): string {
  const cached = cachedClasses.get(character);
  if (cached !== undefined) return cached;

  const symbol = CLASSES.find(([members]) => members.test(character))?.[1] ?? '!';
  cachedClasses.set(character, symbol);
  return symbol;
}

/** Merging takes the square of a piece's length, so a longer one is merged in parts. */
const LONGEST_PART = 100;

/** How many tokens of o200k_base are known: those that its training found first, which is their rank. */
const RANK_BITS = 16;
export const KNOWN_TOKENS = 2 ** RANK_BITS;
const UNKNOWN = KNOWN_TOKENS;

export const HASH_BITS = 53 - RANK_BITS;
/** How far a token is at most from the place that its hash suggests. */
export const FARTHEST = 512;

/** A number of 53 bits that identifies a token and holds its rank. */
export const packToken = (bytes: Uint8Array, rank: number): number =>
  hashBytes(bytes, 0, bytes.length) * KNOWN_TOKENS + rank;

/** Two hashes after Fowler, Noll and Vo, the second in part: {@link HASH_BITS} together. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let [low, high] = [0x811c9dc5, 0x9747b28c];

  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x5bd1e995);
    high ^= high >>> 13;
  }

  return (high >>> (64 - HASH_BITS)) * 2 ** 32 + (low >>> 0);
}

/** `models/tokens.bin`: the packed tokens in order. Without it each byte counts as a token. */
let cachedVocabulary: Float64Array | undefined;

function readVocabulary(): Float64Array {
  const bytes = attempt(() => readBytes(join(findPackageFolder(), 'models/tokens.bin'), 'package'));
  return new Float64Array(new Uint8Array(bytes ?? []).buffer);
}

function findRank(bytes: Uint8Array, start: number, end: number): number {
  cachedVocabulary ??= readVocabulary();
  const hash = hashBytes(bytes, start, end);
  const packed = hash * KNOWN_TOKENS;
  // Hashes are spread evenly, so the hash tells the place but for `FARTHEST`.
  let low = Math.max(0, Math.floor(hash / 2 ** (HASH_BITS - RANK_BITS)) - FARTHEST);
  let high = Math.min(cachedVocabulary.length, low + 2 * FARTHEST);

  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cachedVocabulary[middle] ?? 0) < packed) low = middle + 1;
    else high = middle;
  }

  const rank = (cachedVocabulary[low] ?? Number.NaN) - packed;
  return rank < KNOWN_TOKENS ? rank : UNKNOWN;
}

/**
 * Byte-pair encoding: of all neighbours that form a token those of the lowest rank are merged first. With every token
 * known the same merges come first, and more follow.
 */
function countTokens(part: string): number {
  const bytes = Buffer.from(part);
  const { length } = bytes;
  if (findRank(bytes, 0, length) < UNKNOWN) return 1;

  const ends = Array.from(bytes, (_, index) => index + 1);
  /** The rank of each token joined with the one after it. */
  const ranks = ends.map((end, index) => (end < length ? findRank(bytes, index, end + 1) : UNKNOWN));

  for (;;) {
    let lowest = 0;
    for (let index = 1; index < ranks.length; index++)
      if ((ranks[index] ?? 0) < (ranks[lowest] ?? 0)) lowest = index;
    if (ranks[lowest] === UNKNOWN) return ends.length;

    ends.splice(lowest, 1);
    ranks.splice(lowest + 1, 1);
    for (let index = Math.max(0, lowest - 1); index <= lowest; index++) {
      const end = ends[index + 1];
      ranks[index] = end === undefined ? UNKNOWN : findRank(bytes, ends[index - 1] ?? 0, end);
    }
  }
}

/** Counts of parts: a text is often measured again with a line more or less. */
const cachedCounts = new Map<string, number>();
const MOST_COUNTED = 10_000;

function* listParts(text: string): Generator<{ part: string; tokens: number }> {
  const classes = text.replace(/[^\0-\x7f]/gu, classify);
  const characters = classes === text ? [] : [...text];
  if (cachedCounts.size > MOST_COUNTED) cachedCounts.clear();

  for (const { 0: piece, index } of classes.matchAll(PIECE))
    for (let from = index; from < index + piece.length; from += LONGEST_PART) {
      const to = Math.min(from + LONGEST_PART, index + piece.length);
      const part = classes === text ? text.slice(from, to) : characters.slice(from, to).join('');
      const tokens = cachedCounts.get(part) ?? countTokens(part);
      cachedCounts.set(part, tokens);
      // A token across the cut may have prevented another merge.
      yield { part, tokens: tokens + (from > index ? 1 : 0) };
    }
}

/**
 * The tokens of a text as o200k_base counts them, or a few more, never fewer: an exact count takes hundreds of
 * milliseconds to load.
 */
export function estimateTokens(text: string): number {
  let sum = 0;
  for (const { tokens } of listParts(text)) sum += tokens;
  return sum;
}

/** The tokens of a line among others, with its end. */
export const estimateLineTokens = (line: string): number => estimateTokens(line) + 1;

/** The longest prefix of whole characters of an estimated `limit` tokens at most. */
export function truncateToTokens(text: string, limit: number): string {
  let [tokens, end] = [0, 0];

  for (const each of listParts(text)) {
    tokens += each.tokens;
    end += each.part.length;
    if (tokens > limit) break;
  }

  if (tokens <= limit) return text;

  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const starts = [...segmenter.segment(text.slice(0, end))].map(({ index }) => index);
  const tooLong = findFirst(starts.length, (k) => estimateTokens(text.slice(0, starts[k])) > limit);

  return text.slice(0, starts[Math.max(0, tooLong - 1)]);
}
