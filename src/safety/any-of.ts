import { compilePatterns } from '../compile-patterns.ts';

/**
 * One global pattern that finds every place where one of the texts begins, the longest of those that do. Looking for
 * a hundred texts this way takes less than looking for two of them one by one; compiling it takes a tenth of a
 * millisecond.
 */
export function anyOf(texts: Iterable<string>): RegExp {
  // Backwards, a text comes before its own beginning.
  const sources = [...texts].sort().reverse();
  const pattern = new RegExp(
    sources.map((text) => text.replace(/[.?*+^$()|[\]{}\\]/g, '\\$&')).join('|'),
    'g',
  );
  compilePatterns(pattern);
  return pattern;
}
