import type { Collection } from './collection.ts';
import type { QueryTerm, Ranked } from './rank.ts';

/**
 * How much of a query's information the best passage must hold, neighbours included, for the memory to have an
 * answer. Calibrated on questions asked of the memory they were written for, and of memories of other people
 * (`docs/figures/memory.md` has the curve).
 */
const LEAST_COVERED = 0.2;

const CALENDAR =
  /^(?:\d+(?:st|nd|rd|th)?|januari|februari|march|april|may|june|juli|august|septemb|octob|novemb|decemb|yesterday|today|week|month)$/;

/**
 * Whether any passage says enough of what was asked; words of a date that was understood do not count.
 *
 * @param isSearch whether somebody asked for these words, rather than talked
 */
export function isAnswer(
  ranked: readonly Ranked[],
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  isSearch: boolean,
): boolean {
  let asked = 0;
  for (const { term, weight } of terms) {
    // What was said before the question widens it, but need not be found.
    if (weight < 0.5) continue;
    if (!hasDate || !CALENDAR.test(term)) asked += weight * collection.idf(term);
  }
  // Nothing but small talk: in a chat that asks for nothing, in a search it is what is looked for.
  if (asked === 0) return isSearch;
  return ranked.some(({ why }) => coveredBy(why) >= LEAST_COVERED * asked);
}

function coveredBy(why: Ranked['why']): number {
  let sum = 0;
  for (const { term, score } of why) if (!term.startsWith('(')) sum += score;
  return sum;
}
