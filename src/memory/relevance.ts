import type { Collection } from './collection.ts';
import type { QueryTerm, Ranked } from './types.ts';

/**
 * How much of a query's information the best passage must contain, including neighbours, for the memory to have an
 * answer. Calibrated on questions to the memory they were written for, and to memories of other people.
 */
const LEAST_COVERED = 0.2;
/** In a chat a passage must contain this many of its words, if it has as many: a single one matches by chance. */
const LEAST_WORDS = 2;
/** Minimum weight of a term that the query asks for, and of one that it mentions at all. */
const ASKED = 0.5;
const SAID = 0.15;

/** Stems of dates and parts of them. */
export const CALENDAR =
  /^(?:\d+(?:st|nd|rd|th)?|januari|februari|march|april|may|june|juli|august|septemb|octob|novemb|decemb|yesterday|today|week|month)$/;

/**
 * Whether any passage contains enough of the query.
 *
 * @param isSearch whether the query is a search rather than conversation
 */
export function isAnswer(
  ranked: readonly Ranked[],
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  isSearch: boolean,
): boolean {
  const wanted = wantedOf(terms, collection, hasDate, isSearch);
  // Only small talk: in a chat it asks for nothing, in a search it is the query.
  if (wanted === undefined) return isSearch;
  const isEnough = (score: number): boolean => score / wanted.information >= LEAST_COVERED;
  // Explaining a score takes longer than ranking.
  return ranked.some((each) => isEnough(each.ofWords) && isEnough(coveredBy(each.why, wanted.words)));
}

/** The information of a query, and how many of its words a passage must contain; undefined if it has none. */
export function wantedOf(
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  isSearch: boolean,
): { information: number; words: number } | undefined {
  let information = 0;
  let words = 0;
  for (const { term, weight } of terms) {
    if (weight < SAID || (hasDate && CALENDAR.test(term))) continue;
    words++;
    // Text before the question extends it, but need not match.
    if (weight >= ASKED) information += weight * collection.idf(term);
  }
  if (information === 0) return undefined;
  return { information, words: isSearch ? 1 : Math.min(LEAST_WORDS, words) };
}

/** The share of a passage's score from the query's words; none if fewer than `least` of them contribute. */
export function coveredBy(why: Ranked['why'], least: number): number {
  const words = why.filter(({ term }) => !term.startsWith('('));
  return words.length < least ? 0 : words.reduce((sum, { score }) => sum + score, 0);
}
