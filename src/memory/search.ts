import { NOT_YET, scan } from './build.ts';
import { DAY, spansOf } from './dates.ts';
import { LiveIndex } from './live.ts';
import { formulate, textsOf } from './query.ts';
import { rank } from './rank.ts';
import { HitReader } from './read.ts';
import { Collection, type SegmentView } from './segment.ts';
import { BINARY, type LeftOut, UNREADABLE } from './sources.ts';
import { IndexStore } from './store.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, MemoryQuery, QueryTerm, Ranked } from './types.ts';
import { saveScan } from './update.ts';

const DEFAULT_LIMIT = 5;
/** Interval in milliseconds between full comparisons of a large memory. */
const CHECK_EVERY = 10 * 60_000;
/** The same if files are known to be missing. */
const BEHIND_EVERY = 10_000;
/** Milliseconds before the first index is attempted again. */
const RETRY_AFTER = 60_000;
/** How often a file that changes during the search is read again before its lines are left out. */
const ROUNDS = 4;

/**
 * The lines of the memory that are relevant to a question or a chat, best first; none if nothing is relevant. Every
 * line is read from the current file. An unreadable file is counted, never an error.
 */
export async function searchMemory(query: MemoryQuery, options: MemoryOptions): Promise<MemoryAnswer> {
  const { limit = DEFAULT_LIMIT, embeddings = { provider: 'off' } } = options;
  const byWords = (most: number): Promise<MemoryAnswer> =>
    searchWith((collection, reader) => {
      // More than requested, because some are repeats or have changed.
      const { ranked, isRelevant, asked } = rankedFor(query, collection, options.now, most * 3 + 10);
      return { hits: isRelevant ? reader.take(ranked, most) : [], asked };
    }, options);
  if (embeddings.provider === 'off') return byWords(limit);
  const { searchByMeaning } = await import('./vectors.ts');
  return searchByMeaning({ ...options, embeddings }, limit, byWords);
}

export interface Found {
  hits: MemoryHit[];
  asked: string;
}

/** Finds passages and reads them from their files. */
export type Find<Result extends Found> = (collection: Collection, reader: HitReader) => Result;

/** Searches the updated index, or all files if there is none. */
export async function searchWith<Result extends Found>(
  find: Find<Result>,
  options: MemoryOptions,
): Promise<Result & MemoryAnswer> {
  const store = new IndexStore(options);
  if (options.index !== 'off') {
    const found = searchIndex(find, options, store);
    if (found !== undefined) return found;
  }
  const scanned = await scan(options);
  const collection = new Collection([{ segment: scanned.segment, isFresh: true }]);
  const found = find(collection, new HitReader(options));
  // The first index of a large memory is made in another process, but not again while one may be running.
  if (scanned.leftOut.has(NOT_YET)) {
    if (store.sinceChecked() > RETRY_AFTER) {
      store.createFolder();
      store.markChecked();
      options.background?.();
    }
  } else if (options.index !== 'off') saveScan(scanned, options);
  return { ...found, source: 'scan', changed: 0, ...countsOf(collection, scanned.leftOut) };
}

/** The index's answer, or undefined if there is no index, or one that so much has changed since that all is read. */
function searchIndex<Result extends Found>(
  find: Find<Result>,
  options: MemoryOptions,
  store: IndexStore,
): (Result & MemoryAnswer) | undefined {
  const { background, now = Date.now() } = options;
  const index = store.read();
  if (index === undefined) return undefined;
  const live = new LiveIndex(index, options);
  const since = store.sinceChecked();
  const isDue = !live.isSmall && since > CHECK_EVERY;
  if (isDue && background === undefined) live.compareAll();
  else live.compareHot(now, background !== undefined);
  let reader = new HitReader(options);
  let collection = new Collection(live.views());
  let found = find(collection, reader);
  for (let round = 1; reader.outdated.size > 0 && round < ROUNDS; round++) {
    for (const path of reader.outdated) live.reread(path);
    reader = new HitReader(options);
    collection = new Collection(live.views());
    found = find(collection, reader);
  }
  if (background === undefined && (live.isBehind || (isDue && live.changed.size > 0))) return undefined;
  // Once, not at each search until the index is there.
  if (isDue || (live.isBehind && since > BEHIND_EVERY)) {
    store.markChecked();
    background?.();
  }
  const changed = live.changed.size;
  return { ...found, source: 'index', changed, ...countsOf(collection, new Map(index.leftOut)) };
}

/** The best passages for a query, what it asked, and whether the memory has an answer. */
export function rankedFor(
  query: MemoryQuery,
  collection: Collection,
  now = Date.now(),
  limit = DEFAULT_LIMIT,
): { ranked: Ranked[]; isRelevant: boolean; asked: string } {
  const isSearch = query.text !== undefined;
  const { terms: all, focus } = formulate(textsOf(query), (term) => collection.idf(term), isSearch);
  // Talk is no search: what it shares with a thousand lines finds none of them.
  const terms = isSearch ? all : all.filter(({ term }) => !collection.isCommon(term));
  // A message that only says thanks asks for nothing.
  const asked = isSearch || terms.some(({ weight }) => weight >= ASKED) ? focus : '';
  const spans = spansOf(focus, now, () => yearsOf(collection.views));
  const ranked = rank(collection, { terms, spans, now }, limit);
  const isRelevant = hasAnswer(ranked, terms, collection, spans.length > 0, isSearch);
  return { ranked, isRelevant, asked };
}

function countsOf(
  { files, passages }: Collection,
  leftOut: LeftOut,
): Pick<MemoryAnswer, 'files' | 'passages' | 'leftOut'> {
  const unread = (leftOut.get(BINARY) ?? 0) + (leftOut.get(UNREADABLE) ?? 0);
  return {
    files: Math.max(0, files - unread),
    passages,
    leftOut: [...leftOut].map(([reason, count]) => ({ reason, count })),
  };
}

/** Calendar years covered by dated files, at most the latest ten. */
function yearsOf(views: readonly SegmentView[]): number[] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { segment } of views) {
    for (const day of segment.data.days) {
      if (day < 0) continue;
      if (day < first) first = day;
      if (day > last) last = day;
    }
  }
  if (first > last) return [];
  const from = new Date(first * DAY).getUTCFullYear();
  const to = new Date(last * DAY).getUTCFullYear();
  return Array.from({ length: Math.min(10, to - from + 1) }, (_, i) => to - i);
}

/**
 * How much of a query's information the best passage must contain, with the lines around it, for the memory to have an
 * answer. Calibrated on questions to the memory they were written for, and to memories of other people.
 */
const LEAST_COVERED = 0.2;
/** In a chat a passage must contain this many of its words, if it has as many: a single one matches by chance. */
const LEAST_WORDS = 2;
/** Minimum weight of a term that the query asks for, and of one that it mentions at all. */
const ASKED = 0.5;
const SAID = 0.15;
/** Stems of dates and parts of them. */
const CALENDAR =
  /^(?:\d+(?:st|nd|rd|th)?|januari|februari|march|april|may|june|juli|august|septemb|octob|novemb|decemb|yesterday|today|week|month)$/;

function hasAnswer(
  ranked: readonly Ranked[],
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  isSearch: boolean,
): boolean {
  const said = terms.filter(({ term, weight }) => weight >= SAID && !(hasDate && CALENDAR.test(term)));
  // Text before the question extends it, but need not match.
  const information = said.reduce(
    (sum, { term, weight }) => sum + (weight >= ASKED ? weight * collection.idf(term) : 0),
    0,
  );
  if (information === 0) return isSearch;
  const words = isSearch ? 1 : Math.min(LEAST_WORDS, said.length);
  return ranked.some((each) => each.ofWords >= LEAST_COVERED * information && each.why.length >= words);
}
