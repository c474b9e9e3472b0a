import type { Collection } from './collection.ts';
import type { QueryTerm, Ranked } from './types.ts';

/**
 * How much of a query's information the best passage must hold, neighbours included, for the memory to have an
 * answer. Calibrated on questions asked of the memory they were written for, and of memories of other people
 * (`docs/figures/memory.md` has the curve).
 */
const LEAST_COVERED = 0.2;
/** In a chat a passage must hold so many of its words, unless it says no more: any one turns up by chance. */
const LEAST_WORDS = 2;
/** Least weight of a term that the query asks for, and of one that it says at all. */
const ASKED = 0.5;
const SAID = 0.15;

const CALENDAR =
  /^(?:\d+(?:st|nd|rd|th)?|januari|februari|march|april|may|june|juli|august|septemb|octob|novemb|decemb|yesterday|today|week|month)$/;

/**
 * Whether any passage says enough of what was asked.
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
  const wanted = wantedOf(terms, collection, hasDate, isSearch);
  // Nothing but small talk: in a chat that asks for nothing, in a search it is what is looked for.
  if (wanted === undefined) return isSearch;
  const isEnough = (score: number): boolean => score / wanted.information >= LEAST_COVERED;
  // To find out what a passage has its score for takes longer than to rank it.
  return ranked.some((each) => isEnough(each.ofWords) && isEnough(coveredBy(each.why, wanted.words)));
}

/**
 * The part of a query's information that the passage with most of it holds, words of a date that was understood
 * left out; above 1 where neighbours add to it. Undefined when the query has no information.
 */
export function shareCovered(
  ranked: readonly Ranked[],
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  isSearch: boolean,
): number | undefined {
  const wanted = wantedOf(terms, collection, hasDate, isSearch);
  if (wanted === undefined) return undefined;
  return ranked.reduce(
    (most, { why }) => Math.max(most, coveredBy(why, wanted.words) / wanted.information),
    0,
  );
}

/** The information of a query, and how many of its words a passage must hold; undefined when it has none. */
function wantedOf(
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
    // What was said before the question widens it, but need not be found.
    if (weight >= ASKED) information += weight * collection.idf(term);
  }
  if (information === 0) return undefined;
  return { information, words: isSearch ? 1 : Math.min(LEAST_WORDS, words) };
}

/** What the query's words add to a passage's score; nothing when fewer than `least` of them do. */
function coveredBy(why: Ranked['why'], least: number): number {
  const words = why.filter(({ term }) => !term.startsWith('('));
  return words.length < least ? 0 : words.reduce((sum, { score }) => sum + score, 0);
}
