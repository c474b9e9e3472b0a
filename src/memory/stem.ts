import { stem as porter2 } from 'porter2';
import { baseOf } from './irregular.ts';

export { porter2 };

/**
 * The stem of one lower-case word: Porter2 ("English", https://snowballstem.org/algorithms/english/stemmer.html) of its
 * base form, so that `went` and `going` share a stem. Words with anything but the letters a to z are returned as they are.
 */
export function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? porter2(baseOf(word) ?? word) : word;
}
