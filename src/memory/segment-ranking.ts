import {
  dateShare,
  freshness,
  IDF,
  insert,
  LAST,
  lowerBound,
  MENTION,
  Saturation,
  SCORE,
  saturate,
} from './arithmetic.ts';
import type { Collection, View } from './collection.ts';
import type { QueryTerm, Ranked, RankQuery } from './rank.ts';
import { FLAG_NUMBER, FLAG_QUESTION, FLAG_TIME, FLAG_TITLE, UNITS_BODY } from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';
import type { RankWeights } from './weights.ts';

/** In a segment of more passages than this, a term that more than this part of them holds is common. */
const LARGE = 8192;
const COMMON = 1 / 16;

/** Mentions of one query term in one segment, in `MENTION`ths. */
export interface TermCount {
  lists: { ids: Uint32Array; units: Uint8Array; perUnit: number }[];
  /** Files that mention it, and how often each file does. */
  files: number[];
  inFile: Int32Array;
  /** So many passages hold it that only those with a rarer term are looked at. */
  common: boolean;
}

/**
 * Ranks one segment. The inner loops run over every passage that holds a term, in a process that has just
 * started: they keep to whole numbers, since the interpreter puts every fraction on the heap.
 */
export class SegmentRanking {
  readonly #view: View;
  readonly #collection: Collection;
  readonly #query: RankQuery;
  readonly #weights: RankWeights;
  readonly #saturation: Saturation;
  /** In `SCORE`ths, as is `#asked`: what a question scores by its own words alone. */
  readonly #scores: Int32Array;
  readonly #asked: Int32Array;
  readonly #byAuthor: Uint8Array;
  /** Passages that hold a term of the query themselves. */
  readonly #holds: Uint8Array;
  /** Files that hold one. */
  readonly #files: Uint8Array;
  /** Mentions of the term in hand, neighbours' shares included; all zero between terms. */
  readonly #mentions: Int32Array;
  readonly #near: { before1: number; before2: number; after1: number; after2: number };
  readonly #added: { term: string; count: TermCount; idf: number; fileIdf: number }[] = [];

  constructor(view: View, collection: Collection, query: RankQuery, weights: RankWeights) {
    const { passages, files } = view.segment;
    this.#view = view;
    this.#collection = collection;
    this.#query = query;
    this.#weights = weights;
    this.#saturation = new Saturation(weights.kNear);
    this.#scores = new Int32Array(passages);
    this.#asked = new Int32Array(passages);
    this.#mentions = new Int32Array(passages);
    this.#holds = new Uint8Array(passages);
    this.#byAuthor = new Uint8Array(passages);
    this.#files = new Uint8Array(files);
    this.#near = {
      before1: Math.round(weights.before1 * 256),
      before2: Math.round(weights.before2 * 256),
      after1: Math.round(weights.after1 * 256),
      after2: Math.round(weights.after2 * 256),
    };
  }

  count({ term, also }: QueryTerm): TermCount {
    const { segment } = this.#view;
    const { starts } = segment;
    const inFile = new Int32Array(segment.files);
    const files: number[] = [];
    const lists: TermCount['lists'] = [];
    let holders = 0;
    for (const [word, share] of [[term, 1] as const, ...also]) {
      const found = segment.postings(word);
      if (found === undefined) continue;
      lists.push({ ...found, perUnit: Math.round((share * MENTION) / UNITS_BODY) });
      holders += found.ids.length;
    }
    const common = this.#added.length > 0 && segment.passages > LARGE && holders > segment.passages * COMMON;
    for (const { ids, units, perUnit } of common ? [] : lists) {
      let file = 0;
      let end = starts[1] ?? 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        while (id >= end) end = starts[++file + 1] ?? LAST;
        const before = inFile[file] ?? 0;
        if (before === 0) files.push(file);
        inFile[file] = before + (units[i] ?? 0) * perUnit;
      }
    }
    return { lists, files, inFile, common };
  }

  /** Spreads each mention over its neighbours, then saturates per term: saying it again says less. */
  add({ term }: QueryTerm, count: TermCount, idf: number, fileIdf: number): void {
    const { starts, flags } = this.#view.segment;
    const scale = Math.round(idf * IDF);
    const [scores, asked, holds] = [this.#scores, this.#asked, this.#holds];
    for (const { ids, units, perUnit } of count.lists) {
      let file = 0;
      let start = 0;
      let end = starts[1] ?? 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        if (count.common && scores[id] === 0) continue;
        while (id >= end) {
          file++;
          start = end;
          end = starts[file + 1] ?? LAST;
        }
        const mentions = (units[i] ?? 0) * perUnit;
        this.#spread(id, mentions, start, end);
        holds[id] = 1;
        if (((flags[id] ?? 0) & FLAG_QUESTION) !== 0) {
          asked[id] = (asked[id] ?? 0) + this.#saturation.times(scale, mentions);
        }
      }
    }
    for (const { ids } of count.lists) this.#collect(ids, scale);
    for (const file of count.files) this.#files[file] = 1;
    const written = this.#view.segment.postings(AUTHOR_MARK + term);
    if (written !== undefined) for (const id of written.ids) this.#byAuthor[id] = 1;
    this.#added.push({ term, count, idf, fileIdf });
  }

  #spread(id: number, count: number, start: number, end: number): void {
    const { before1, before2, after1, after2 } = this.#near;
    const mentions = this.#mentions;
    mentions[id] = (mentions[id] ?? 0) + count;
    if (id + 1 < end) mentions[id + 1] = (mentions[id + 1] ?? 0) + ((before1 * count) >> 8);
    if (id + 2 < end) mentions[id + 2] = (mentions[id + 2] ?? 0) + ((before2 * count) >> 8);
    if (id - 1 >= start) mentions[id - 1] = (mentions[id - 1] ?? 0) + ((after1 * count) >> 8);
    if (id - 2 >= start) mentions[id - 2] = (mentions[id - 2] ?? 0) + ((after2 * count) >> 8);
  }

  /** Moves what was spread around each mention into the scores. */
  #collect(ids: Uint32Array, scale: number): void {
    const mentions = this.#mentions;
    const scores = this.#scores;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      const last = Math.min(id + 2, mentions.length - 1);
      for (let at = Math.max(0, id - 2); at <= last; at++) {
        const count = mentions[at] ?? 0;
        if (count === 0) continue;
        mentions[at] = 0;
        scores[at] = (scores[at] ?? 0) + this.#saturation.times(scale, count);
      }
    }
  }

  best(limit: number): Ranked[] {
    const { dead, skip, segment } = this.#view;
    const { starts } = segment;
    const top: { passage: number; file: number; score: number }[] = [];
    const { answer } = this.#weights;
    const bonus = Math.ceil(this.#mostBonus() * SCORE);
    const factor = 1 + this.#weights.recency;
    /** A passage must come by this, in `SCORE`ths, to have a chance. */
    let bar = 0;
    const [scores, asked] = [this.#scores, this.#asked];
    for (let file = this.#files.indexOf(1); file >= 0; file = this.#files.indexOf(1, file + 1)) {
      if (dead?.has(file) === true) continue;
      const start = starts[file] ?? 0;
      const end = starts[file + 1] ?? 0;
      let ofFile = -1;
      for (let passage = start; passage < end; passage++) {
        const own = (scores[passage] ?? 0) + bonus;
        // Most passages of a large memory end here.
        if (own + (asked[passage - 1] ?? 0) <= bar || own === bonus) continue;
        if (ofFile < 0) {
          if (skip?.(file) === true) break;
          ofFile = this.#fileScore(file);
        }
        const question = passage > start ? (asked[passage - 1] ?? 0) / SCORE : 0;
        const score = this.#finish(passage, file, ofFile, question * answer);
        if (score <= 0) continue;
        insert(top, { passage, file, score }, limit);
        if (top.length === limit) bar = Math.floor(((top[limit - 1]?.score ?? 0) / factor) * SCORE);
      }
    }
    return top.map((each) => ({ view: this.#view, ...each, why: this.#why(each.passage, each.file) }));
  }

  /** The most that a passage can get besides its own terms and those of a question before it. */
  #mostBonus(): number {
    const { author, when, number, date, file, k1 } = this.#weights;
    let most = author + when + number + (this.#query.spans.length === 0 ? 0 : date);
    for (const { fileIdf } of this.#added) most += file * fileIdf * (k1 + 1);
    return most;
  }

  /** BM25 of the whole file, in full units. */
  #fileScore(file: number): number {
    const { k1, b } = this.#weights;
    const length = this.#view.segment.fileLengths[file] ?? 0;
    const norm = 1 - b + (b * length) / this.#collection.meanFileLength;
    let score = 0;
    for (const { count, fileIdf } of this.#added) {
      const mentions = (count.inFile[file] ?? 0) / MENTION;
      if (mentions > 0) score += fileIdf * saturate(mentions, k1, norm);
    }
    return score;
  }

  #finish(passage: number, file: number, ofFile: number, answer: number): number {
    const { segment } = this.#view;
    const flags = segment.flags[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;
    // What its neighbours say makes a passage better, not relevant; unless it is an answer to them.
    if (this.#holds[passage] === 0 && answer === 0) return 0;
    let score = (this.#scores[passage] ?? 0) / SCORE + this.#extras(passage, file, ofFile, answer);
    score *= 1 + this.#weights.recency * freshness(this.#query.now, segment.days[file] ?? -1);
    return (flags & FLAG_QUESTION) === 0 ? score : score * (1 - this.#weights.question);
  }

  /** What else a passage has to its credit besides its terms; told part by part to `tell`. */
  #extras(
    passage: number,
    file: number,
    ofFile: number,
    answer: number,
    tell?: (term: string, score: number) => void,
  ): number {
    const { segment } = this.#view;
    const { asksWhen, asksNumber, spans } = this.#query;
    const weights = this.#weights;
    const flags = segment.flags[passage] ?? 0;
    const author = this.#byAuthor[passage] === 1 ? weights.author : 0;
    const when = asksWhen && (flags & FLAG_TIME) !== 0 ? weights.when : 0;
    const number = asksNumber && (flags & FLAG_NUMBER) !== 0 ? weights.number : 0;
    const date = spans.length === 0 ? 0 : weights.date * dateShare(spans, segment.days[file] ?? -1);
    tell?.('(file)', weights.file * ofFile);
    tell?.('(answer)', answer);
    tell?.('(author)', author);
    tell?.('(when)', when);
    tell?.('(number)', number);
    tell?.('(date)', date);
    return weights.file * ofFile + answer + author + when + number + date;
  }

  #why(passage: number, file: number): { term: string; score: number }[] {
    const { starts } = this.#view.segment;
    const [start, end] = [starts[file] ?? 0, starts[file + 1] ?? 0];
    const out: { term: string; score: number }[] = [];
    const asked = passage > start ? (this.#asked[passage - 1] ?? 0) / SCORE : 0;
    const tell = (term: string, score: number): void => {
      if (score > 0) out.push({ term, score });
    };
    this.#extras(passage, file, this.#fileScore(file), asked * this.#weights.answer, tell);
    for (const { term, count, idf } of this.#added) {
      for (const { ids, units, perUnit } of count.lists) {
        for (let at = lowerBound(ids, Math.max(start, passage - 2)); at < ids.length; at++) {
          const id = ids[at] ?? 0;
          if (id > passage + 2 || id >= end) break;
          this.#spread(id, (units[at] ?? 0) * perUnit, start, end);
        }
      }
      tell(term, this.#saturation.times(Math.round(idf * IDF), this.#mentions[passage] ?? 0) / SCORE);
      this.#mentions.fill(0, Math.max(0, passage - 4), passage + 5);
    }
    return out.sort((a, b) => b.score - a.score);
  }
}
