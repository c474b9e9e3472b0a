import { type Collection, inverseFrequency } from './collection.ts';
import { SegmentRanking } from './segment-ranking.ts';
import type { QueryTerm, Ranked, RankQuery } from './types.ts';
import { type RankWeights, WEIGHTS } from './weights.ts';

/** The best passages, best first; at most `limit`. Ties go to the earlier passage. */
export function rank(
  collection: Collection,
  query: RankQuery,
  limit: number,
  weights: RankWeights = WEIGHTS,
): Ranked[] {
  const rankings = collection.views.map((view) => new SegmentRanking(view, collection, query, weights));
  // Rarest first: they select the passages in which common ones are counted.
  const terms = query.terms.map((term) => ({ term, idf: collection.idf(term.term) }));
  terms.sort((a, b) => b.idf - a.idf);
  for (const { term, idf } of terms) addTerm(rankings, term, idf, collection);
  const found = rankings.flatMap((ranking) => ranking.best(limit));
  return found.sort((a, b) => b.score - a.score || byPlace(a, b)).slice(0, limit);
}

/** Ties are in the order of their files, regardless of the segment. */
function byPlace(a: Ranked, b: Ranked): number {
  if (a.view === b.view) return a.passage - b.passage;
  return a.view.segment.file(a.file).path < b.view.segment.file(b.file).path ? -1 : 1;
}

/** Term frequencies are known only after all segments were read. */
function addTerm(
  rankings: readonly SegmentRanking[],
  term: QueryTerm,
  idf: number,
  collection: Collection,
): void {
  const counts = rankings.map((ranking) => ranking.count(term));
  const files = counts.reduce((sum, each) => sum + each.files.size, 0);
  // Squared, because a file as a whole easily matches text before the question.
  const fileIdf = term.weight ** 2 * inverseFrequency(collection.files, files);
  for (let i = 0; i < rankings.length; i++) {
    const count = counts[i];
    if (count !== undefined && count.lists.length > 0)
      rankings[i]?.add(term, count, term.weight * idf, fileIdf);
  }
}
