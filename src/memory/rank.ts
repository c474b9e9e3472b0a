import type { DaySpan } from './dates.ts';
import {
  type Collection,
  computeIdf,
  FLAG_DATED,
  FLAG_NUMBER,
  FLAG_QUESTION,
  FLAG_TITLE,
  type Postings,
  type SegmentView,
} from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';
import type { RankedPassage, RankQuery } from './types.ts';

/** Parameters of the ranking formula, tuned on LoCoMo and on questions to real memories. */
const WEIGHTS = {
  /** BM25 saturation and length normalisation (Robertson and Zaragoza 2009) of whole files. */
  k1: 2.5,
  b: 0.5,
  /** Saturation of a term over a passage and its neighbours; no length is normalised there. */
  kNear: 1.7,
  /** A mention in a title, a label or a table's header, beside one in the passage's own words. */
  context: 0.5,
  file: 0.8,
  date: 5,
  answer: 0.4,
  author: 2,
  /** Relative bonus of what somebody keeps in order, before dated notes. */
  undated: 0.4,
  number: 0.5,
};
/** Share of a mention two passages before it, one before, there, one after, two after. */
const SHARES = [0.13, 0.25, 1, 0.3, 0.35];

/** The best passages, best first; at most `limit`. Ties go to the earlier passage. */
export function rank(collection: Collection, query: RankQuery, limit: number): RankedPassage[] {
  const rankings = collection.views.map((view) => new SegmentRanking(view, collection.meanFileLength));
  // Rarest first: they select the passages in which common ones are counted.
  const terms = query.terms.map((term) => ({ ...term, idf: collection.idf(term.term) }));
  let isAny = false;

  for (const { term, weight, idf, variants = [] } of terms.sort((a, b) => b.idf - a.idf)) {
    const isCommon = isAny && collection.isCommon(term);
    isAny ||= collection.holders(term) > 0;
    const counts = rankings.map((ranking) => (isCommon ? new Map() : ranking.mentionsByFile(term)));
    const files = counts.reduce((sum, { size }) => sum + size, 0);
    // Squared, because a file as a whole easily matches text before the question.
    const fileIdf = weight ** 2 * computeIdf(collection.files, files);

    for (const [i, ranking] of rankings.entries()) {
      ranking.add(term, weight * idf, isCommon);
      for (const variant of variants) {
        if (isAny && collection.isCommon(variant.term)) continue;
        ranking.add(
          variant.term,
          weight * variant.share * Math.min(idf, collection.idf(variant.term)),
          isCommon,
        );
      }

      ranking.endTerm();
      for (const [file, mentions] of counts[i] ?? []) ranking.addToFile(file, mentions, fileIdf);
    }
  }

  const found = rankings.flatMap((ranking) => ranking.best(query, limit));

  return found.sort(compareScores).slice(0, limit);
}

/** Ties are in the order of their files, regardless of the segment. */
function compareScores(a: RankedPassage, b: RankedPassage): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.view === b.view) return a.passage - b.passage;
  return a.view.segment.path(a.file) < b.view.segment.path(b.file) ? -1 : 1;
}

function countMentions({ units }: Postings, at: number): number {
  const unit = units[at] ?? 0;
  return (unit >> 4) + WEIGHTS.context * (unit & 15);
}

class SegmentRanking {
  readonly #view: SegmentView;
  readonly #meanFileLength: number;
  readonly #scores: Float64Array;
  readonly #held: Uint8Array;
  readonly #asked = new Map<number, number>();
  readonly #byAuthor = new Set<number>();
  readonly #candidates = new Set<number>();
  readonly #fileScores = new Map<number, number>();
  /** Mentions of the current term, including neighbours' shares; all zero between terms. */
  readonly #mentions: Float64Array;
  /** The best of the current word and its variants, and where there is any. */
  readonly #gains: Float64Array;
  #gaining: number[] = [];

  constructor(view: SegmentView, meanFileLength: number) {
    this.#view = view;
    this.#meanFileLength = meanFileLength;
    this.#scores = new Float64Array(view.segment.passages);
    this.#held = new Uint8Array(view.segment.passages);
    this.#mentions = new Float64Array(view.segment.passages);
    this.#gains = new Float64Array(view.segment.passages);
  }

  mentionsByFile(term: string): Map<number, number> {
    const { segment, dead } = this.#view;
    const postings = segment.postings(term);
    const files = new Map<number, number>();

    for (let i = 0; i < postings.ids.length; i++) {
      const file = segment.data.fileOf[postings.ids[i] ?? 0] ?? 0;
      if (!dead?.has(file)) files.set(file, (files.get(file) ?? 0) + countMentions(postings, i));
    }

    return files;
  }

  /**
   * Spreads each mention over its neighbours, then saturates per term: repetition adds less.
   *
   * @param isCommon whether only passages with a rarer term are considered
   */
  add(term: string, idf: number, isCommon: boolean): void {
    const { segment } = this.#view;
    const { flags, fileOf, starts } = segment.data;
    const [scores, all, gains] = [this.#scores, this.#mentions, this.#gains];
    for (const id of segment.postings(AUTHOR_MARK + term).ids) this.#byAuthor.add(id);
    const postings = segment.postings(term);
    const { ids } = postings;

    // A loop over a common word's thousands of passages, so it makes no objects.
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      if (isCommon && scores[id] === 0) continue;

      const mentions = countMentions(postings, i);
      const file = fileOf[id] ?? 0;
      const last = Math.min(id + 2, (starts[file + 1] ?? 0) - 1);

      for (let at = Math.max(id - 2, starts[file] ?? 0); at <= last; at++)
        all[at] = (all[at] ?? 0) + (SHARES[at - id + 2] ?? 0) * mentions;
      // Only passages that contain a term are possible results, unless they answer a question.
      this.#candidates.add(id);
      if (((flags[id] ?? 0) & FLAG_QUESTION) === 0) continue;

      if (id < last) this.#candidates.add(id + 1);
      this.#asked.set(id, (this.#asked.get(id) ?? 0) + scoreTerm(mentions, idf));
    }

    for (const id of ids)
      for (let at = Math.max(0, id - 2); at <= id + 2; at++) {
        const mentions = all[at] ?? 0;
        if (mentions === 0) continue;
        all[at] = 0;
        const gain = scoreTerm(mentions, idf);
        if (gain <= (gains[at] ?? 0)) continue;
        if (gains[at] === 0) this.#gaining.push(at);
        gains[at] = gain;
      }
  }

  endTerm(): void {
    for (const at of this.#gaining) {
      this.#scores[at] = (this.#scores[at] ?? 0) + (this.#gains[at] ?? 0);
      this.#held[at] = (this.#held[at] ?? 0) + 1;
      this.#gains[at] = 0;
    }

    this.#gaining = [];
  }

  /** BM25 of the whole file, already multiplied by its share. */
  addToFile(file: number, mentions: number, idf: number): void {
    const { k1, b, file: share } = WEIGHTS;
    const length = this.#view.segment.data.fileLengths[file] ?? 0;
    const score = share * idf * saturateFrequency(mentions, k1, 1 - b + (b * length) / this.#meanFileLength);
    this.#fileScores.set(file, (this.#fileScores.get(file) ?? 0) + score);
  }

  best(query: RankQuery, limit: number): RankedPassage[] {
    let best: RankedPassage[] = [];
    let least = 0;

    for (const passage of this.#candidates) {
      const file = this.#view.segment.data.fileOf[passage] ?? 0;
      const score = this.#view.dead?.has(file) ? 0 : this.#scorePassage(passage, file, query);
      if (score <= 0 || score < least) continue;

      const [ofWords = 0, held = 0] = [this.#scores[passage], this.#held[passage]];
      best.push({ view: this.#view, passage, file, score, ofWords, held });
      if (best.length < 2 * limit) continue;

      best = best.sort(compareScores).slice(0, limit);
      least = best.at(-1)?.score ?? 0;
    }

    return best;
  }

  #scorePassage(passage: number, file: number, { spans, wantsNumber }: RankQuery): number {
    const { flags: all, days, starts } = this.#view.segment.data;
    const flags = all[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;

    const day = days[file] ?? -1;
    const question = passage > (starts[file] ?? 0) ? (this.#asked.get(passage - 1) ?? 0) : 0;
    const sum =
      (this.#scores[passage] ?? 0) +
      (this.#fileScores.get(file) ?? 0) +
      WEIGHTS.answer * question +
      (this.#byAuthor.has(passage) ? WEIGHTS.author : 0) +
      (isInSpan(spans, day) ? WEIGHTS.date : 0);

    const standing = day < 0 && (flags & FLAG_DATED) === 0 ? WEIGHTS.undated : 0;
    const amount = wantsNumber && (flags & FLAG_NUMBER) !== 0 ? WEIGHTS.number : 0;

    return sum * (1 + standing) * (1 + amount);
  }
}

const scoreTerm = (mentions: number, idf: number): number =>
  idf * saturateFrequency(mentions, WEIGHTS.kNear, 1);

/** BM25's term frequency part: grows with mentions, never past `k1 + 1`. */
const saturateFrequency = (mentions: number, k1: number, norm: number): number =>
  (mentions * (k1 + 1)) / (mentions + k1 * norm);

const isInSpan = (spans: readonly DaySpan[], day: number): boolean =>
  day >= 0 && spans.some(({ from, to }) => day >= from && day <= to);
