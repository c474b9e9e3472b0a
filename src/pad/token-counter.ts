import { estimateTokens } from './tokens.ts';

export type TokenCounter = (text: string) => number;

/**
 * Counts tokens: by an estimate, within a tenth on whole texts, that needs no loading, or exactly (o200k_base), which
 * takes some hundred milliseconds to load.
 */
export async function tokenCounter(exact = false): Promise<TokenCounter> {
  if (!exact) return estimateTokens;
  return (await import('./exact-tokens.ts')).countExactly;
}

/** The longest prefix of whole characters with at most `limit` tokens. */
export function truncateToTokens(text: string, limit: number, count: TokenCounter): string {
  if (count(text) <= limit) return text;
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const end = segments[middle]?.index ?? text.length;
    if (count(text.slice(0, end)) <= limit) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, segments[low]?.index ?? text.length);
}
