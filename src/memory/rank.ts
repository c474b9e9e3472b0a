import { DAY, type DaySpan } from './dates.ts';
import { FLAG_QUESTION, FLAG_TITLE, type Segment, UNITS_BODY } from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';

/** The figures of the ranking formula; `docs/memory.md` says where each comes from. */
export interface RankWeights {
  /** BM25 saturation and length normalisation (Robertson and Zaragoza 2009). */
  k1: number;
  b: number;
  /** How much of a mention one and two passages earlier or later counts as a mention here. */
  near1: number;
  near2: number;
  /** Share of the file's own BM25 score. */
  file: number;
  /** Added when the file's date is one the query speaks of. */
  date: number;
  /** Share of a question's matches that its answer, the next passage, inherits. */
  answer: number;
  /** Added when the query names who wrote the line. */
  author: number;
  /** Part of the score a question loses: notes that ask seldom tell. */
  question: number;
  /** Most that a fresh dated note gains; half of it is gone after 30 days. */
  recency: number;
}

export const WEIGHTS: RankWeights = {
  k1: 1.2,
  b: 0.5,
  near1: 0.3,
  near2: 0.15,
  file: 0.4,
  date: 2.5,
  answer: 0.5,
  author: 2,
  question: 0.2,
  recency: 0.2,
};

export interface QueryTerm {
  term: string;
  /** 0 to 1: how much the query is about it. */
  weight: number;
}

export interface RankQuery {
  terms: readonly QueryTerm[];
  spans: readonly DaySpan[];
  /** Epoch milliseconds. */
  now: number;
}

/** A segment as one search sees it: files that were replaced or are gone are dead. */
export interface View {
  segment: Segment;
  dead?: (file: number) => boolean;
}

export interface Ranked {
  view: View;
  file: number;
  passage: number;
  score: number;
  why: { term: string; score: number }[];
}

/** Passages, their length and how many hold each term, over all segments. */
export interface Collection {
  passages: number;
  meanLength: number;
  files: number;
  idf(term: string): number;
}

/** Statistics of the segments together; dead files still count until they are rewritten, which is soon. */
export function collectionOf(views: readonly View[]): Collection {
  let passages = 0;
  let files = 0;
  let length = 0;
  for (const { segment } of views) {
    passages += segment.passages;
    files += segment.files;
    length += segment.length;
  }
  const known = new Map<string, number>();
  return {
    passages,
    files,
    meanLength: passages === 0 ? 1 : Math.max(1, length / passages),
    idf(term) {
      let value = known.get(term);
      if (value === undefined) {
        let holders = 0;
        for (const { segment } of views) holders += segment.postings(term)?.ids.length ?? 0;
        value = inverseFrequency(passages, holders);
        known.set(term, value);
      }
      return value;
    },
  };
}

/** Robertson's inverse document frequency, kept above zero as in Lucene. */
export function inverseFrequency(total: number, holders: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

/** The best passages, best first; at most `limit`. Ties go to the earlier passage. */
export function rank(
  views: readonly View[],
  query: RankQuery,
  limit: number,
  weights: RankWeights = WEIGHTS,
): Ranked[] {
  const collection = collectionOf(views);
  const found = views.flatMap((view) => new SegmentRanking(view, collection, query, weights).best(limit));
  return found.sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, limit);
}

/** One term's share of every passage, and what the passages add up to. */
class SegmentRanking {
  readonly #view: View;
  readonly #collection: Collection;
  readonly #query: RankQuery;
  readonly #weights: RankWeights;
  readonly #scores: Float32Array;
  readonly #fileScores: Float32Array;
  readonly #byAuthor: Uint8Array;
  readonly #perTerm: { term: string; shares: Float32Array }[] = [];

  constructor(view: View, collection: Collection, query: RankQuery, weights: RankWeights) {
    this.#view = view;
    this.#collection = collection;
    this.#query = query;
    this.#weights = weights;
    this.#scores = new Float32Array(view.segment.passages);
    this.#fileScores = new Float32Array(view.segment.files);
    this.#byAuthor = new Uint8Array(view.segment.passages);
  }

  best(limit: number): Ranked[] {
    for (const { term, weight } of this.#query.terms) this.#addTerm(term, weight);
    const { segment, dead } = this.#view;
    const top: { passage: number; file: number; score: number }[] = [];
    for (let file = 0; file < segment.files; file++) {
      if (dead?.(file) === true) continue;
      const end = segment.starts[file + 1] ?? 0;
      for (let passage = segment.starts[file] ?? 0; passage < end; passage++) {
        if ((this.#scores[passage] ?? 0) <= 0) continue;
        const score = this.#finish(passage, file);
        if (score <= 0) continue;
        if (top.length === limit && score <= (top[limit - 1]?.score ?? 0)) continue;
        insert(top, { passage, file, score }, limit);
      }
    }
    return top.map(({ passage, file, score }) => ({
      view: this.#view,
      file,
      passage,
      score,
      why: this.#why(passage),
    }));
  }

  /** Spreads each mention over its neighbours, then saturates per term: a second mention says less. */
  #addTerm(term: string, weight: number): void {
    const { segment } = this.#view;
    const found = segment.postings(term);
    if (found === undefined) return;
    const { near1, near2, answer, k1 } = this.#weights;
    const mentions = new Float32Array(segment.passages);
    let file = 0;
    let [start, end] = [0, segment.starts[1] ?? 0];
    let inFile = 0;
    const idf = weight * this.#collection.idf(term);
    for (let i = 0; i < found.ids.length; i++) {
      const id = found.ids[i] ?? 0;
      while (id >= end) {
        this.#addFile(file, inFile, idf);
        inFile = 0;
        file++;
        [start, end] = [segment.starts[file] ?? 0, segment.starts[file + 1] ?? 0];
      }
      const count = (found.units[i] ?? 0) / UNITS_BODY;
      inFile += count;
      bump(mentions, id, count);
      if (id > start) bump(mentions, id - 1, near1 * count);
      if (id - 1 > start) bump(mentions, id - 2, near2 * count);
      if (id + 1 < end) {
        const asked = ((segment.flags[id] ?? 0) & FLAG_QUESTION) !== 0;
        bump(mentions, id + 1, (asked ? Math.max(near1, answer) : near1) * count);
      }
      if (id + 2 < end) bump(mentions, id + 2, near2 * count);
    }
    this.#addFile(file, inFile, idf);
    for (let passage = 0; passage < mentions.length; passage++) {
      const count = mentions[passage] ?? 0;
      if (count > 0) {
        const share = (idf * count * (k1 + 1)) / (count + k1);
        mentions[passage] = share;
        bump(this.#scores, passage, share);
      }
    }
    this.#perTerm.push({ term, shares: mentions });
    const written = segment.postings(AUTHOR_MARK + term);
    if (written !== undefined) for (const id of written.ids) this.#byAuthor[id] = 1;
  }

  #addFile(file: number, mentions: number, idf: number): void {
    if (mentions === 0) return;
    const { k1 } = this.#weights;
    bump(this.#fileScores, file, (idf * mentions * (k1 + 1)) / (mentions + k1) / 2);
  }

  #finish(passage: number, file: number): number {
    const { segment } = this.#view;
    const flags = segment.flags[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;
    const weights = this.#weights;
    let score = (this.#scores[passage] ?? 0) + weights.file * (this.#fileScores[file] ?? 0);
    if (this.#byAuthor[passage] === 1) score += weights.author;
    const day = segment.days[file] ?? -1;
    if (day >= 0) {
      if (this.#query.spans.some((span) => day >= span.from && day <= span.to)) score += weights.date;
      else if (this.#query.spans.some((span) => day > span.to && day <= span.to + 7))
        score += weights.date / 2;
      const age = Math.max(0, this.#query.now / DAY - day);
      score *= 1 + weights.recency * 2 ** (-age / 30);
    } else score *= 1 + weights.recency / 2;
    return (flags & FLAG_QUESTION) === 0 ? score : score * (1 - weights.question);
  }

  #why(passage: number): { term: string; score: number }[] {
    return this.#perTerm
      .map(({ term, shares }) => ({ term, score: shares[passage] ?? 0 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }
}

function bump(array: Float32Array, index: number, by: number): void {
  array[index] = (array[index] ?? 0) + by;
}

function insert<T extends { score: number }>(top: T[], item: T, limit: number): void {
  let at = top.length;
  while (at > 0 && (top[at - 1]?.score ?? 0) < item.score) at--;
  top.splice(at, 0, item);
  if (top.length > limit) top.pop();
}
