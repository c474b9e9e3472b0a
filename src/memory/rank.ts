import { DAY, type DaySpan } from './dates.ts';
import {
  COMMON,
  type Collection,
  FLAG_QUESTION,
  FLAG_TITLE,
  fileFrom,
  inverseFrequency,
  LARGE,
  lowerBound,
  type Postings,
  type SegmentView,
  UNITS_BODY,
} from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';
import type { QueryTerm, Ranked, RankQuery, Reason } from './types.ts';

/** The best passages, best first; at most `limit`. Ties go to the earlier passage. */
export function rank(collection: Collection, query: RankQuery, limit: number): Ranked[] {
  const rankings = collection.views.map((view) => new SegmentRanking(view, collection, query));
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
  return a.view.segment.path(a.file) < b.view.segment.path(b.file) ? -1 : 1;
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
    if (count?.postings !== undefined) rankings[i]?.add(term, count, term.weight * idf, fileIdf);
  }
}

export interface TermCount {
  postings: Postings | undefined;
  /** How often each file mentions it; not counted for a common term. */
  files: ReadonlyMap<number, number>;
  /** So common that only passages with a rarer term are considered. */
  common: boolean;
}

function mentionsAt({ units }: Postings, at: number): number {
  return (units[at] ?? 0) / UNITS_BODY;
}

class SegmentRanking {
  readonly #view: SegmentView;
  readonly #collection: Collection;
  readonly #query: RankQuery;
  readonly #scores: Float64Array;
  /** The score of a question by its own words. */
  readonly #asked = new Map<number, number>();
  readonly #byAuthor = new Set<number>();
  readonly #candidates = new Map<number, number>();
  readonly #fileScores = new Map<number, number>();
  /** Mentions of the current term, including neighbours' shares; all zero between terms. */
  readonly #mentions: Float64Array;
  readonly #added: { word: string; count: TermCount; idf: number }[] = [];

  constructor(view: SegmentView, collection: Collection, query: RankQuery) {
    this.#view = view;
    this.#collection = collection;
    this.#query = query;
    this.#scores = new Float64Array(view.segment.passages);
    this.#mentions = new Float64Array(view.segment.passages);
  }

  /** The mentions of a term, to be passed to `add` before the next is counted. */
  count({ term }: QueryTerm): TermCount {
    const { segment, dead } = this.#view;
    const postings = segment.postings(term);
    const holders = postings?.ids.length ?? 0;
    const common = this.#added.length > 0 && segment.passages > LARGE && holders > segment.passages * COMMON;
    const files = new Map<number, number>();
    if (postings !== undefined && !common) {
      let file = 0;
      postings.ids.forEach((id, i) => {
        file = fileFrom(segment.head.starts, file, id);
        if (!dead?.has(file)) files.set(file, (files.get(file) ?? 0) + mentionsAt(postings, i));
      });
    }
    return { postings, files, common };
  }

  /** Spreads each mention over its neighbours, then saturates per term: repetition adds less. */
  add({ term, word }: QueryTerm, count: TermCount, idf: number, fileIdf: number): void {
    if (count.postings !== undefined) {
      this.#addPostings(count.postings, count.common, idf);
      this.#collect(count.postings.ids, idf);
    }
    for (const [file, mentions] of count.files) this.#addToFile(file, mentions, fileIdf);
    const { segment } = this.#view;
    for (const id of segment.postings(AUTHOR_MARK + term)?.ids ?? []) this.#byAuthor.add(id);
    this.#added.push({ word, count, idf });
  }

  #addPostings(postings: Postings, common: boolean, idf: number): void {
    const { starts, flags } = this.#view.segment.head;
    let file = 0;
    postings.ids.forEach((id, i) => {
      if (common && this.#scores[id] === 0) return;
      file = fileFrom(starts, file, id);
      const mentions = mentionsAt(postings, i);
      this.#spread(id, mentions, file);
      // Only passages that contain a term are possible results, unless they answer a question.
      this.#candidates.set(id, file);
      if (((flags[id] ?? 0) & FLAG_QUESTION) === 0) return;
      if (id + 1 < (starts[file + 1] ?? 0)) this.#candidates.set(id + 1, file);
      this.#asked.set(id, (this.#asked.get(id) ?? 0) + this.#worth(mentions, idf));
    });
  }

  #spread(id: number, mentions: number, file: number): void {
    const { starts } = this.#view.segment.head;
    const first = Math.max(id - 2, starts[file] ?? 0);
    const last = Math.min(id + 2, (starts[file + 1] ?? 0) - 1);
    for (let at = first; at <= last; at++)
      this.#mentions[at] = (this.#mentions[at] ?? 0) + (SHARES[at - id + 2] ?? 0) * mentions;
  }

  #collect(ids: Uint32Array, idf: number): void {
    for (const id of ids) {
      for (let at = Math.max(0, id - 2); at <= id + 2; at++) {
        const mentions = this.#mentions[at] ?? 0;
        if (mentions === 0) continue;
        this.#mentions[at] = 0;
        this.#scores[at] = (this.#scores[at] ?? 0) + this.#worth(mentions, idf);
      }
    }
  }

  #worth(mentions: number, idf: number): number {
    return idf * saturate(mentions, WEIGHTS.kNear, 1);
  }

  /** BM25 of the whole file, already multiplied by its share. */
  #addToFile(file: number, mentions: number, idf: number): void {
    const { k1, b, file: share } = WEIGHTS;
    const length = this.#view.segment.head.fileLengths[file] ?? 0;
    const norm = 1 - b + (b * length) / this.#collection.meanFileLength;
    const score = share * idf * saturate(mentions, k1, norm);
    this.#fileScores.set(file, (this.#fileScores.get(file) ?? 0) + score);
  }

  best(limit: number): Ranked[] {
    const { dead } = this.#view;
    const top: { passage: number; file: number; score: number }[] = [];
    for (const [passage, file] of this.#candidates) {
      if (dead?.has(file)) continue;
      const score = this.#finish(passage, file);
      if (score <= 0 || (top.length === limit && score < (top[limit - 1]?.score ?? 0))) continue;
      insert(top, { passage, file, score }, limit);
    }
    return top.map((each) => this.#ranked(each.passage, each.file, each.score));
  }

  /** Explained on demand, because most are not. */
  #ranked(passage: number, file: number, score: number): Ranked {
    const explain = (): Reason[] => this.#why(passage, file);
    return {
      view: this.#view,
      passage,
      file,
      score,
      ofWords: this.#scores[passage] ?? 0,
      get why() {
        return explain();
      },
    };
  }

  /** What each word of the query adds, the lines around included. */
  #why(passage: number, file: number): Reason[] {
    const { starts } = this.#view.segment.head;
    const first = Math.max(passage - 2, starts[file] ?? 0);
    const last = Math.min(passage + 2, (starts[file + 1] ?? 0) - 1);
    const reasons = this.#added.flatMap(({ word, count: { postings }, idf }) => {
      let mentions = 0;
      if (postings !== undefined)
        for (let at = lowerBound(postings.ids, first); (postings.ids[at] ?? last + 1) <= last; at++)
          mentions += (SHARES[passage - (postings.ids[at] ?? 0) + 2] ?? 0) * mentionsAt(postings, at);
      return mentions === 0 ? [] : [{ term: word, score: this.#worth(mentions, idf) }];
    });
    return reasons.sort((a, b) => b.score - a.score);
  }

  #finish(passage: number, file: number): number {
    const { flags: all, days } = this.#view.segment.head;
    const flags = all[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;
    let score = (this.#scores[passage] ?? 0) + this.#extras(passage, file);
    score *= 1 + WEIGHTS.recency * freshness(this.#query.now, days[file] ?? -1);
    return (flags & FLAG_QUESTION) === 0 ? score : score * (1 - WEIGHTS.question);
  }

  #extras(passage: number, file: number): number {
    const { head } = this.#view.segment;
    const { spans } = this.#query;
    const hasPrevious = passage > (head.starts[file] ?? 0);
    const answer = hasPrevious ? WEIGHTS.answer * (this.#asked.get(passage - 1) ?? 0) : 0;
    const author = this.#byAuthor.has(passage) ? WEIGHTS.author : 0;
    const date = spans.length === 0 ? 0 : WEIGHTS.date * dateShare(spans, head.days[file] ?? -1);
    return (this.#fileScores.get(file) ?? 0) + answer + author + date;
  }
}

/** BM25's term frequency part: grows with mentions, never past `k1 + 1`. */
function saturate(mentions: number, k1: number, norm: number): number {
  return (mentions * (k1 + 1)) / (mentions + k1 * norm);
}

/** 1 for a day that the query mentions, 0.5 for the week after it, when people tend to write about it. */
function dateShare(spans: readonly DaySpan[], day: number): number {
  let share = 0;
  if (day < 0) return share;
  for (const { from, to } of spans) {
    if (day >= from && day <= to) return 1;
    if (day > to && day <= to + 7) share = 0.5;
  }
  return share;
}

/** 1 today, half after 30 days. A file without a date gets the middle value. */
function freshness(now: number, day: number): number {
  return day < 0 ? 0.5 : 2 ** (-Math.max(0, now / DAY - day) / 30);
}

/** Keeps the best `limit` items, best first; equals in the order of their passages. */
function insert<T extends { score: number; passage: number }>(top: T[], item: T, limit: number): void {
  let at = top.length;
  for (; at > 0; at--) {
    const before = top[at - 1];
    if (before === undefined || before.score > item.score) break;
    if (before.score === item.score && before.passage < item.passage) break;
  }
  top.splice(at, 0, item);
  if (top.length > limit) top.pop();
}

/** Parameters of the ranking formula, tuned on LoCoMo. */
const WEIGHTS = {
  /** BM25 saturation and length normalisation (Robertson and Zaragoza 2009) of whole files and of questions. */
  k1: 2.5,
  b: 0.5,
  /** Saturation of a term over a passage and its neighbours; no length is normalised there. */
  kNear: 1.7,
  /** Share of the file's own BM25 score. */
  file: 0.8,
  /** Added if the query mentions the file's date; half of it in the week after. */
  date: 5,
  /** Share of a question's score added to the next passage, its answer. */
  answer: 0.4,
  /** Added if the query names the author of the line. */
  author: 2,
  /** Share of the score that a question loses, because questions in notes are rarely answers. */
  question: 0.15,
  /** Maximum relative bonus of a recent dated note; it halves every 30 days. */
  recency: 0.2,
};
/** Share of a mention two passages before it, one before, there, one after, two after. */
const SHARES = [0.13, 0.25, 1, 0.3, 0.35];
