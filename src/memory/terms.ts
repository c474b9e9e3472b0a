import { stem } from './stem.ts';
import { tokenize } from './tokenize.ts';
import { STOPWORDS } from './words.ts';

/** Prefix of a term for the author of a line. The tokenizer never produces it. */
export const AUTHOR_MARK = '@';

/** The words of a text without stopwords, in order, with repeats. */
export function wordsOf(text: string): string[] {
  return tokenize(text).filter((word) => !STOPWORDS.has(word));
}

/** The index terms of a text: stems of its words. */
export function termsOf(text: string): string[] {
  return wordsOf(text).map(stem);
}

const AUTHOR =
  /^(?:\[[^\]]{1,40}\]\s*)?(?:\d{1,2}:\d{2}(?::\d{2})?\s+)?[*_]{0,2}((?:[\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}.'’_-]{0,30}\s?){1,3})[*_]{0,2}(?:\s?\([^)]{1,40}\))?\s?:[*_]{0,2}(?:\s|$)/u;

/**
 * The author of a line: the name before its first colon, as in `Ann: see you`, `**Ann Lee:** …` or `[12:30] Ann: …`.
 * Up to three words that begin with a capital or a letter without case.
 */
export function authorOf(text: string): string | undefined {
  const match = AUTHOR.exec(text);
  return match?.[1]?.trim();
}
