import { compiled } from '../text/compile-patterns.ts';

/**
 * One global pattern that finds where one of many texts begins, the longest of those that do. Looking for a hundred
 * texts this way takes less than looking for two of them one by one; compiling it takes a tenth of a millisecond.
 *
 * @param sources the texts, as they are written in a pattern
 */
export function anyOf(sources: Iterable<string>): RegExp {
  // Backwards, a text comes before its own beginning.
  return compiled(new RegExp([...sources].sort().reverse().join('|'), 'g'));
}
