import { type Collection, inverseFrequency, type View } from './collection.ts';
import { DAY, type DaySpan } from './dates.ts';
import { FLAG_NUMBER, FLAG_QUESTION, FLAG_TIME, FLAG_TITLE, UNITS_BODY } from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';
import { type RankWeights, WEIGHTS } from './weights.ts';

export interface QueryTerm {
  term: string;
  /** 0 to 1: how much the query is about it. */
  weight: number;
  /** Terms that mean the same, and how much of a mention one of theirs is. */
  also: ReadonlyMap<string, number>;
}

export interface RankQuery {
  terms: readonly QueryTerm[];
  /** Days the query speaks of. */
  spans: readonly DaySpan[];
  asksWhen: boolean;
  asksNumber: boolean;
  /** Epoch milliseconds. */
  now: number;
}

export interface Ranked {
  view: View;
  file: number;
  passage: number;
  score: number;
  why: { term: string; score: number }[];
}

/** The best passages, best first; at most `limit`. Ties go to the earlier passage. */
export function rank(
  collection: Collection,
  query: RankQuery,
  limit: number,
  weights: RankWeights = WEIGHTS,
): Ranked[] {
  const rankings = collection.views.map((view) => new SegmentRanking(view, collection, query, weights));
  for (const term of query.terms) addTerm(rankings, term, collection);
  const found = rankings.flatMap((ranking) => ranking.best(limit));
  return found.sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, limit);
}

/** How many passages and files hold a term is known only when every segment was asked. */
function addTerm(rankings: readonly SegmentRanking[], term: QueryTerm, collection: Collection): void {
  const counts = rankings.map((ranking) => ranking.count(term));
  const files = counts.reduce((sum, each) => sum + each.files.size, 0);
  if (files === 0) return;
  const idf = term.weight * collection.idf(term.term);
  // Squared, because a file as a whole is easily about what was said before the question.
  const fileIdf = term.weight ** 2 * inverseFrequency(collection.files, Math.min(files, collection.files));
  for (let i = 0; i < rankings.length; i++) {
    const count = counts[i];
    if (count !== undefined) rankings[i]?.add(term, count, idf, fileIdf);
  }
}

/** Mentions of one query term in one segment. */
interface TermCount {
  lists: { ids: Uint32Array; units: Uint8Array; share: number }[];
  /** File to the mentions in it. */
  files: Map<number, number>;
}

class SegmentRanking {
  readonly #view: View;
  readonly #collection: Collection;
  readonly #query: RankQuery;
  readonly #weights: RankWeights;
  readonly #scores: Float32Array;
  /** What a passage scores by its own words alone; kept for questions only. */
  readonly #asked: Float32Array;
  readonly #fileScores: Float32Array;
  readonly #byAuthor: Uint8Array;
  /** Passages that hold a term of the query themselves. */
  readonly #holds: Uint8Array;
  /** Mentions of the term in hand, neighbours' shares included; all zero between terms. */
  readonly #mentions: Float32Array;
  readonly #added: { term: string; count: TermCount; idf: number }[] = [];

  constructor(view: View, collection: Collection, query: RankQuery, weights: RankWeights) {
    const { passages, files } = view.segment;
    this.#view = view;
    this.#collection = collection;
    this.#query = query;
    this.#weights = weights;
    this.#scores = new Float32Array(passages);
    this.#asked = new Float32Array(passages);
    this.#mentions = new Float32Array(passages);
    this.#holds = new Uint8Array(passages);
    this.#byAuthor = new Uint8Array(passages);
    this.#fileScores = new Float32Array(files);
  }

  count({ term, also }: QueryTerm): TermCount {
    const { segment } = this.#view;
    const count: TermCount = { lists: [], files: new Map() };
    for (const [word, share] of [[term, 1] as const, ...also]) {
      const found = segment.postings(word);
      if (found === undefined) continue;
      count.lists.push({ ...found, share: share / UNITS_BODY });
      let file = 0;
      let end = segment.starts[1] ?? 0;
      let sum = 0;
      for (let i = 0; i < found.ids.length; i++) {
        const id = found.ids[i] ?? 0;
        if (id >= end) {
          if (sum > 0) count.files.set(file, (count.files.get(file) ?? 0) + sum);
          sum = 0;
          while (id >= end) end = segment.starts[++file + 1] ?? Number.POSITIVE_INFINITY;
        }
        sum += ((found.units[i] ?? 0) * share) / UNITS_BODY;
      }
      if (sum > 0) count.files.set(file, (count.files.get(file) ?? 0) + sum);
    }
    return count;
  }

  /** Spreads each mention over its neighbours, then saturates per term: saying it again says less. */
  add({ term }: QueryTerm, count: TermCount, idf: number, fileIdf: number): void {
    const { segment } = this.#view;
    const { k1, b } = this.#weights;
    for (const { ids, units, share } of count.lists) {
      let file = 0;
      let [start, end] = [0, segment.starts[1] ?? 0];
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        while (id >= end) {
          file++;
          start = end;
          end = segment.starts[file + 1] ?? Number.POSITIVE_INFINITY;
        }
        this.#spread(id, (units[i] ?? 0) * share, start, end);
        this.#holds[id] = 1;
        if (((segment.flags[id] ?? 0) & FLAG_QUESTION) !== 0) {
          const norm = 1 - b + (b * (segment.lengths[id] ?? 0)) / this.#collection.meanLength;
          bump(this.#asked, id, idf * saturate((units[i] ?? 0) * share, k1, norm));
        }
      }
    }
    for (const { ids } of count.lists) {
      for (let i = 0; i < ids.length; i++) this.#collect(ids[i] ?? 0, idf);
    }
    for (const [file, mentions] of count.files) {
      const norm = 1 - b + (b * (segment.fileLengths[file] ?? 0)) / this.#collection.meanFileLength;
      bump(this.#fileScores, file, fileIdf * saturate(mentions, k1, norm));
    }
    const written = segment.postings(AUTHOR_MARK + term);
    if (written !== undefined) for (const id of written.ids) this.#byAuthor[id] = 1;
    this.#added.push({ term, count, idf });
  }

  #spread(id: number, count: number, start: number, end: number): void {
    const { before1, before2, after1, after2 } = this.#weights;
    const mentions = this.#mentions;
    bump(mentions, id, count);
    if (id + 1 < end) bump(mentions, id + 1, before1 * count);
    if (id + 2 < end) bump(mentions, id + 2, before2 * count);
    if (id - 1 >= start) bump(mentions, id - 1, after1 * count);
    if (id - 2 >= start) bump(mentions, id - 2, after2 * count);
  }

  /** Moves what was spread around a mention into the scores. */
  #collect(id: number, idf: number): void {
    const last = Math.min(id + 2, this.#mentions.length - 1);
    for (let at = Math.max(0, id - 2); at <= last; at++) {
      const count = this.#mentions[at] ?? 0;
      if (count === 0) continue;
      this.#mentions[at] = 0;
      bump(this.#scores, at, idf * saturate(count, this.#weights.kNear, 1));
    }
  }

  best(limit: number): Ranked[] {
    const { segment, dead, skip } = this.#view;
    const top: { passage: number; file: number; score: number }[] = [];
    for (let file = 0; file < segment.files; file++) {
      if ((this.#fileScores[file] ?? 0) <= 0 || dead?.has(file) === true) continue;
      const start = segment.starts[file] ?? 0;
      const end = segment.starts[file + 1] ?? 0;
      let kept = false;
      for (let passage = start; passage < end; passage++) {
        if ((this.#scores[passage] ?? 0) <= 0) continue;
        const score = this.#finish(passage, file, passage > start);
        if (score <= 0 || (top.length === limit && score <= (top[limit - 1]?.score ?? 0))) continue;
        if (!kept && skip?.(file) === true) break;
        kept = true;
        insert(top, { passage, file, score }, limit);
      }
    }
    return top.map((each) => ({ view: this.#view, ...each, why: this.#why(each.passage, each.file) }));
  }

  #finish(passage: number, file: number, hasPrevious: boolean): number {
    const { segment } = this.#view;
    const flags = segment.flags[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;
    const asked = hasPrevious ? (this.#asked[passage - 1] ?? 0) : 0;
    // What its neighbours say makes a passage better, not relevant; unless it is an answer to them.
    if (this.#holds[passage] === 0 && asked === 0) return 0;
    let score = this.#scores[passage] ?? 0;
    for (const [, part] of this.#extras(passage, file, hasPrevious)) score += part;
    score *= 1 + this.#weights.recency * freshness(this.#query.now, segment.days[file] ?? -1);
    return (flags & FLAG_QUESTION) === 0 ? score : score * (1 - this.#weights.question);
  }

  /** What else a passage has to its credit besides its terms. */
  #extras(passage: number, file: number, hasPrevious: boolean): [string, number][] {
    const { segment } = this.#view;
    const { asksWhen, asksNumber, spans } = this.#query;
    const weights = this.#weights;
    const flags = segment.flags[passage] ?? 0;
    const out: [string, number][] = [['(file)', weights.file * (this.#fileScores[file] ?? 0)]];
    const asked = hasPrevious ? (this.#asked[passage - 1] ?? 0) : 0;
    if (asked > 0) out.push(['(answer)', weights.answer * asked]);
    if (this.#byAuthor[passage] === 1) out.push(['(author)', weights.author]);
    if (asksWhen && (flags & FLAG_TIME) !== 0) out.push(['(when)', weights.when]);
    if (asksNumber && (flags & FLAG_NUMBER) !== 0) out.push(['(number)', weights.number]);
    const date = dateShare(spans, segment.days[file] ?? -1);
    if (date > 0) out.push(['(date)', weights.date * date]);
    return out;
  }

  #why(passage: number, file: number): { term: string; score: number }[] {
    const { starts } = this.#view.segment;
    const [start, end] = [starts[file] ?? 0, starts[file + 1] ?? 0];
    const out = this.#extras(passage, file, passage > start).map(([term, score]) => ({ term, score }));
    for (const { term, count, idf } of this.#added) {
      for (const { ids, units, share } of count.lists) {
        for (let at = lowerBound(ids, Math.max(start, passage - 2)); at < ids.length; at++) {
          const id = ids[at] ?? 0;
          if (id > passage + 2 || id >= end) break;
          this.#spread(id, (units[at] ?? 0) * share, start, end);
        }
      }
      const score = idf * saturate(this.#mentions[passage] ?? 0, this.#weights.kNear, 1);
      this.#mentions.fill(0, Math.max(0, passage - 4), passage + 5);
      if (score > 0) out.push({ term, score });
    }
    return out.sort((a, b) => b.score - a.score);
  }
}

/** BM25's term frequency part: grows with mentions, never past `k1 + 1`. */
function saturate(mentions: number, k1: number, norm: number): number {
  return (mentions * (k1 + 1)) / (mentions + k1 * norm);
}

/** 1 for a day the query speaks of, 0.5 for the week after it, when people write such things down. */
function dateShare(spans: readonly DaySpan[], day: number): number {
  let share = 0;
  if (day < 0) return share;
  for (const { from, to } of spans) {
    if (day >= from && day <= to) return 1;
    if (day > to && day <= to + 7) share = 0.5;
  }
  return share;
}

/** 1 today, half after 30 days. A file without a date is evergreen and stands in the middle. */
function freshness(now: number, day: number): number {
  return day < 0 ? 0.5 : 2 ** (-Math.max(0, now / DAY - day) / 30);
}

function lowerBound(ids: Uint32Array, value: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
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
