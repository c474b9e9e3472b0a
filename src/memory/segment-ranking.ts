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
import { APART, addApart, type Near, nearOf, type Shares, sharesOf, spread } from './neighbours.ts';
import { FLAG_NUMBER, FLAG_QUESTION, FLAG_TIME, FLAG_TITLE, fileFrom, UNITS_BODY } from './segment.ts';
import { AUTHOR_MARK } from './terms.ts';
import type { QueryTerm, Ranked, RankQuery, Reason } from './types.ts';
import type { RankWeights } from './weights.ts';

/** In a segment of more passages than this, a term that more than this part of them holds is common. */
const LARGE = 8192;
const COMMON = 1 / 64;

/** Less than this is nothing to tell of. */
const LEAST_TOLD = 0.005;
/** Sums that are rounded on the way are no more than this times as much. */
const ROUNDED = 1.02;

/** The passages that hold a word. */
interface List {
  ids: Uint32Array;
  units: Uint8Array;
  perUnit: number;
  /** Their files; not filled for a common term. */
  files: Uint32Array;
}

/** Mentions of one query term in one segment, in `MENTION`ths. */
export interface TermCount {
  lists: List[];
  /** Files that mention it. */
  files: number[];
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
  #anyAsked = false;
  readonly #byAuthor: Uint8Array;
  /** The query names somebody who wrote a line. */
  #named = false;
  /** Possible results, and their files. */
  readonly #candidates: number[] = [];
  readonly #candidateFiles: number[] = [];
  readonly #listed: Uint8Array;
  readonly #fileScores: Int32Array;
  /** How often each file mentions the term in hand; all zero between terms. */
  readonly #inFile: Int32Array;
  /** Mentions of the term in hand, neighbours' shares included; all zero between terms. */
  readonly #mentions: Int32Array;
  readonly #near: Near;
  readonly #added: { word: string; count: TermCount; idf: number }[] = [];

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
    this.#byAuthor = new Uint8Array(passages);
    this.#listed = new Uint8Array(passages);
    this.#fileScores = new Int32Array(files);
    this.#inFile = new Int32Array(files);
    this.#near = nearOf(weights);
  }

  /** The mentions of a term, to be handed to `add` before the next is counted. */
  count({ term, also }: QueryTerm): TermCount {
    const { segment, dead } = this.#view;
    const { starts } = segment;
    const inFile = this.#inFile;
    const files: number[] = [];
    const lists: TermCount['lists'] = [];
    let holders = 0;
    for (const [word, share] of [[term, 1] as const, ...also]) {
      const found = segment.postings(word);
      if (found === undefined) continue;
      const { ids, units } = found;
      const perUnit = Math.round((share * MENTION) / UNITS_BODY);
      lists.push({ ids, units, perUnit, files: new Uint32Array(ids.length) });
      holders += found.ids.length;
    }
    const common = this.#added.length > 0 && segment.passages > LARGE && holders > segment.passages * COMMON;
    for (const { ids, units, perUnit, files: filesOf } of common ? [] : lists) {
      let file = 0;
      let end = starts[1] ?? 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i] ?? 0;
        if (id >= end) {
          file = fileFrom(starts, file, id);
          end = starts[file + 1] ?? LAST;
        }
        filesOf[i] = file;
        const before = inFile[file] ?? 0;
        if (before === 0 && dead?.has(file) !== true) files.push(file);
        inFile[file] = before + (units[i] ?? 0) * perUnit;
      }
    }
    return { lists, files, common };
  }

  /** Spreads each mention over its neighbours, then saturates per term: saying it again says less. */
  add({ term, word }: QueryTerm, count: TermCount, idf: number, fileIdf: number): void {
    const scale = Math.round(idf * IDF);
    const crowded = count.lists.map((list) => this.#addList(list, count, scale));
    for (const ids of crowded) this.#collect(ids, scale);
    const fileScale = SCORE * this.#weights.file * fileIdf;
    for (let i = 0; i < count.files.length; i++) this.#addToFile(count.files[i] ?? 0, fileScale);
    const { segment } = this.#view;
    const written = segment.hasAuthors ? segment.postings(AUTHOR_MARK + term) : undefined;
    if (written !== undefined) {
      this.#named = true;
      for (const id of written.ids) this.#byAuthor[id] = 1;
    }
    this.#added.push({ word, count, idf });
  }

  /** Gives the passages whose mentions were spread, to be collected when those of all words are. */
  #addList({ ids, units, perUnit, files }: List, { lists, common }: TermCount, scale: number): Uint32Array {
    const { starts, flags } = this.#view.segment;
    const [scores, near, listed] = [this.#scores, this.#near, this.#listed];
    const [candidates, candidateFiles] = [this.#candidates, this.#candidateFiles];
    const alone = lists.length === 1;
    const count = ids.length;
    const crowded = new Uint32Array(count);
    let seen = 0;
    let shares: Shares | undefined;
    let before = -LAST;
    let file = 0;
    for (let i = 0; i < count; i++) {
      const id = ids[i] ?? 0;
      if (common && scores[id] === 0) continue;
      file = common ? fileFrom(starts, file, id) : (files[i] ?? 0);
      const start = starts[file] ?? 0;
      const end = starts[file + 1] ?? LAST;
      const next = i + 1 < count ? (ids[i + 1] ?? 0) : LAST;
      const mentions = (units[i] ?? 0) * perUnit;
      if (alone && next - id >= APART && id - before >= APART) {
        if (shares?.count !== mentions) shares = sharesOf(mentions, near, this.#saturation, scale);
        addApart(scores, shares, id, start, end);
      } else {
        spread(this.#mentions, near, id, mentions, start, end);
        crowded[seen++] = id;
      }
      // Only what holds a term is a possible result, unless it answers a question.
      if (listed[id] === 0) {
        listed[id] = 1;
        candidates.push(id);
        candidateFiles.push(file);
      }
      if (((flags[id] ?? 0) & FLAG_QUESTION) !== 0) {
        if (id + 1 < end && listed[id + 1] === 0) {
          listed[id + 1] = 1;
          candidates.push(id + 1);
          candidateFiles.push(file);
        }
        this.#asked[id] = (this.#asked[id] ?? 0) + this.#saturation.times(scale, mentions);
        this.#anyAsked = true;
      }
      before = id;
    }
    return crowded.subarray(0, seen);
  }

  /** Moves what was spread around each mention into the scores. */
  #collect(ids: Uint32Array, scale: number): void {
    const [mentions, scores, saturation] = [this.#mentions, this.#scores, this.#saturation];
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      const last = Math.min(id + 2, mentions.length - 1);
      for (let at = Math.max(0, id - 2); at <= last; at++) {
        const count = mentions[at] ?? 0;
        if (count === 0) continue;
        mentions[at] = 0;
        scores[at] = (scores[at] ?? 0) + saturation.times(scale, count);
      }
    }
  }

  /** BM25 of the whole file, its share already taken. */
  #addToFile(file: number, scale: number): void {
    const mentions = this.#inFile[file] ?? 0;
    this.#inFile[file] = 0;
    const { k1, b } = this.#weights;
    const length = this.#view.segment.fileLengths[file] ?? 0;
    const norm = 1 - b + (b * length) / this.#collection.meanFileLength;
    const share = Math.round(scale * saturate(mentions / MENTION, k1, norm));
    this.#fileScores[file] = (this.#fileScores[file] ?? 0) + share;
  }

  best(limit: number): Ranked[] {
    const { dead, skip } = this.#view;
    const [scores, asked, files] = [this.#scores, this.#asked, this.#fileScores];
    const bonus = Math.ceil(this.#mostBonus() * SCORE);
    const answers = this.#anyAsked;
    const top: { passage: number; file: number; score: number }[] = [];
    /** What a passage must come to, in `SCORE`ths, to have a chance; most of a large memory does not. */
    let bar = 0;
    for (let i = 0; i < this.#candidates.length; i++) {
      const passage = this.#candidates[i] ?? 0;
      const file = this.#candidateFiles[i] ?? 0;
      const most = (scores[passage] ?? 0) + (files[file] ?? 0) + bonus;
      if (most + (answers ? (asked[passage - 1] ?? 0) : 0) < bar) continue;
      if (dead?.has(file) === true || skip?.(file) === true) continue;
      const score = this.#finish(passage, file);
      if (score <= 0) continue;
      insert(top, { passage, file, score }, limit);
      if (top.length === limit)
        bar = Math.floor(((top[limit - 1]?.score ?? 0) / (1 + this.#weights.recency)) * SCORE) - 1;
    }
    return top.map((each) => this.#ranked(each.passage, each.file, each.score));
  }

  /** Explained when somebody asks: most are not. */
  #ranked(passage: number, file: number, score: number): Ranked {
    const explain = (): Reason[] => this.#why(passage, file);
    let known: Reason[] | undefined;
    return {
      view: this.#view,
      passage,
      file,
      score,
      ofWords: this.#mostOfWords(passage, score) * ROUNDED,
      get why() {
        known ??= explain();
        return known;
      },
    };
  }

  /** Of a common word not every mention near by was counted; then the whole score, of which a question has lost a part. */
  #mostOfWords(passage: number, score: number): number {
    const common = this.#added.some(({ count }) => count.common);
    return common ? score / (1 - this.#weights.question) : (this.#scores[passage] ?? 0) / SCORE;
  }

  /** The most that a passage can get besides its terms, its file and a question before it. */
  #mostBonus(): number {
    const { author, when, number, date } = this.#weights;
    const { asksWhen, asksNumber, spans } = this.#query;
    return (
      (this.#named ? author : 0) +
      (asksWhen ? when : 0) +
      (asksNumber ? number : 0) +
      (spans.length === 0 ? 0 : date)
    );
  }

  #finish(passage: number, file: number): number {
    const { segment } = this.#view;
    const flags = segment.flags[passage] ?? 0;
    if ((flags & FLAG_TITLE) !== 0) return 0;
    let score = (this.#scores[passage] ?? 0) / SCORE + this.#extras(passage, file);
    score *= 1 + this.#weights.recency * freshness(this.#query.now, segment.days[file] ?? -1);
    return (flags & FLAG_QUESTION) === 0 ? score : score * (1 - this.#weights.question);
  }

  /** What else a passage has to its credit besides its terms; told part by part to `tell`. */
  #extras(passage: number, file: number, tell?: (term: string, score: number) => void): number {
    const { segment } = this.#view;
    const { asksWhen, asksNumber, spans } = this.#query;
    const weights = this.#weights;
    const flags = segment.flags[passage] ?? 0;
    const hasPrevious = passage > (segment.starts[file] ?? 0);
    const answer = hasPrevious ? (weights.answer * (this.#asked[passage - 1] ?? 0)) / SCORE : 0;
    const ofFile = (this.#fileScores[file] ?? 0) / SCORE;
    const author = this.#byAuthor[passage] === 1 ? weights.author : 0;
    const when = asksWhen && (flags & FLAG_TIME) !== 0 ? weights.when : 0;
    const number = asksNumber && (flags & FLAG_NUMBER) !== 0 ? weights.number : 0;
    const date = spans.length === 0 ? 0 : weights.date * dateShare(spans, segment.days[file] ?? -1);
    tell?.('(file)', ofFile);
    tell?.('(answer)', answer);
    tell?.('(author)', author);
    tell?.('(when)', when);
    tell?.('(number)', number);
    tell?.('(date)', date);
    return ofFile + answer + author + when + number + date;
  }

  #why(passage: number, file: number): Reason[] {
    const { starts, flags, days } = this.#view.segment;
    const { recency, question } = this.#weights;
    const [start, end] = [starts[file] ?? 0, starts[file + 1] ?? 0];
    const out: Reason[] = [];
    let sum = 0;
    const tell = (term: string, score: number, near?: number): void => {
      sum += score;
      if (Math.abs(score) >= LEAST_TOLD) out.push({ term, score, ...(near !== undefined && { near }) });
    };
    this.#extras(passage, file, tell);
    for (const { word, count, idf } of this.#added) {
      let own = 0;
      for (const { ids, units, perUnit } of count.lists) {
        for (let at = lowerBound(ids, Math.max(start, passage - 2)); at < ids.length; at++) {
          const id = ids[at] ?? 0;
          if (id > passage + 2 || id >= end) break;
          const mentions = (units[at] ?? 0) * perUnit;
          if (id === passage) own += mentions;
          spread(this.#mentions, this.#near, id, mentions, start, end);
        }
      }
      const worth = (mentions: number): number =>
        this.#saturation.times(Math.round(idf * IDF), mentions) / SCORE;
      const score = worth(this.#mentions[passage] ?? 0);
      tell(word, score, score - worth(own));
      this.#mentions.fill(0, Math.max(0, passage - 4), passage + 5);
    }
    tell('(recency)', sum * recency * freshness(this.#query.now, days[file] ?? -1));
    if (((flags[passage] ?? 0) & FLAG_QUESTION) !== 0) tell('(question)', -sum * question);
    return out.sort((a, b) => b.score - a.score);
  }
}
