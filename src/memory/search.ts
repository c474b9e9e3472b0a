import { resolvePointers } from '../transcript/pasted-text.ts';
import { NOT_YET, scan } from './build.ts';
import { dateRivals, takesBack } from './corrections.ts';
import { MONTH_NAMES, parseDateSpans } from './dates.ts';
import { findSpellings, findSynonyms } from './expand.ts';
import { rank } from './rank.ts';
import { chooseDistinct, HitReader } from './read.ts';
import { Collection } from './segment.ts';
import { isAskingForNumber, isFitFor, listContentWords } from './small-words.ts';
import { BINARY, type LeftOut, UNREADABLE } from './sources.ts';
import { IndexStore, LiveIndex } from './store.ts';
import { extractWords, rateTerm, stem } from './terms.ts';
import type {
  MemoryAnswer,
  MemoryHit,
  MemoryOptions,
  MemoryQuery,
  QueryTerm,
  RankedPassage,
} from './types.ts';
import { saveScan } from './update.ts';

const DEFAULT_LIMIT = 5;
/** Lines looked at for one that takes another back. */
const REPLACING = 12;
const CHECK_EVERY = 10 * 60_000;
const BEHIND_EVERY = 10_000;
const RETRY_AFTER = 60_000;
/** Changed files that are read while somebody waits, if another process can make the index anew. */
const MOST_READ = 256;

/**
 * The lines of the memory that are relevant to a question or a chat, best first; none if nothing is relevant. Every
 * line is read from the current file. An unreadable file is counted, never an error.
 */
export async function searchMemory(query: MemoryQuery, options: MemoryOptions): Promise<MemoryAnswer> {
  const { limit = DEFAULT_LIMIT, embeddings = { provider: 'off' } } = options;
  const searchWords = (most: number): Promise<MemoryAnswer> =>
    searchWith((collection, reader) => {
      // More than requested, because some are repeats or have changed.
      const { ranked, isRelevant, asked } = rankPassages(query, collection, options.now, most * 3 + 10);
      // All are read: the newest of a repeated line may come last.
      const hits = isRelevant ? ranked.flatMap((each) => reader.read(each) ?? []) : [];
      const distinct = chooseDistinct(hits, most, options.alreadyShown).flatMap((hit) => {
        const newer = findNewer(hit, asked, collection, reader, options.now);
        return newer === undefined
          ? [hit]
          : [
              { ...newer, score: hit.score },
              { ...hit, newer },
            ];
      });
      const places = distinct.map(({ path, line }) => `${path}:${line}`);
      return {
        hits: dateRivals(
          distinct.filter((_, at) => places.indexOf(places[at] ?? '') === at).slice(0, most),
          reader.readDate,
        ),
        asked,
      };
    }, options);

  if (embeddings.provider === 'off') return searchWords(limit);

  const { searchByMeaning } = await import('./vectors.ts');

  return searchByMeaning({ ...options, embeddings }, limit, searchWords);
}

interface SearchResult {
  hits: MemoryHit[];
  asked: string;
}

export type Find<Result extends SearchResult> = (collection: Collection, reader: HitReader) => Result;

export async function searchWith<Result extends SearchResult>(
  find: Find<Result>,
  options: MemoryOptions,
): Promise<Result & MemoryAnswer> {
  const store = new IndexStore(options);
  const indexed = searchIndex(find, options, store);
  if (indexed !== undefined) return indexed;

  const scanned = await scan(options);
  const collection = new Collection([{ segment: scanned.segment, isFresh: true }]);
  const found = find(collection, new HitReader(options));

  // The first index of a large memory is made in another process, but not again while one may be running.
  if (store.isWritable && !scanned.leftOut.has(NOT_YET)) saveScan(scanned, options);
  else if (store.isWritable && store.sinceChecked() > RETRY_AFTER) {
    store.createFolder();
    store.markChecked();
    options.background?.();
  }

  return { ...found, source: 'scan', changed: 0, ...countCollection(collection, scanned.leftOut) };
}

/** The index's answer, or undefined if there is no index, or one that so much has changed since that all is read. */
function searchIndex<Result extends SearchResult>(
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
  let hasMoved = false;

  if (live.isSmall || (isDue && background === undefined)) live.compareAll();
  else hasMoved = live.compareHot(now);
  const most = background === undefined ? Number.POSITIVE_INFINITY : MOST_READ;
  const collection = new Collection(live.views(most));
  const reader = new HitReader(options);
  const found = find(collection, reader);
  // A file had changed that nobody compared: there may be others.
  const isBehind = live.isBehind || reader.isOutdated;

  if (background === undefined && (isBehind || (isDue && live.changed.size > 0))) return undefined;

  // Once, not at each search until the index is there.
  if (isDue || ((isBehind || hasMoved) && since > BEHIND_EVERY)) {
    store.markChecked();
    background?.();
  }

  const changed = live.changed.size;

  return { ...found, source: 'index', changed, ...countCollection(collection, new Map(index.leftOut)) };
}

/** The best passages for a query, what it asked, and whether the memory has an answer. */
export function rankPassages(
  query: MemoryQuery,
  collection: Collection,
  now = Date.now(),
  limit = DEFAULT_LIMIT,
): { ranked: RankedPassage[]; isRelevant: boolean; asked: string; terms: readonly QueryTerm[] } {
  const isSearch = query.text !== undefined;
  const { terms: all, focus } = formulateQuery(listTexts(query), (term) => collection.idf(term), isSearch);
  // Talk is no search: what it shares with a thousand lines finds none of them.
  const plain = isSearch ? all : all.filter(({ term }) => !collection.isCommon(term));
  const terms = plain.map((term) => ({ ...term, variants: findSpellings(term.term, collection) }));
  // A message that only says thanks asks for nothing.
  const focusText = isSearch || terms.some(({ weight }) => weight >= ASKED) ? focus : '';
  const spans = parseDateSpans(focus, now);
  const asking = { terms, spans, wantsNumber: isAskingForNumber(focus) };
  const hasDate = spans.length > 0;
  let ranked = rank(collection, asking, limit);

  // Other words are looked for where the question's own find little: they take some milliseconds.
  if (isSearch && !covers(ranked, terms, collection, hasDate, WELL_COVERED)) {
    const softer = terms.map(({ variants, ...term }) => ({
      ...term,
      variants: [...variants, ...findSynonyms(term.term, collection)],
    }));
    ranked = rank(collection, { ...asking, terms: softer }, limit);
  }

  const isRelevant = covers(
    ranked,
    terms,
    collection,
    hasDate,
    isSearch ? LEAST_FOUND : LEAST_COVERED,
    !isSearch,
  );

  return { ranked, isRelevant, asked: focusText, terms };
}

/** The line that takes a hit back: of several the one that answers best. */
export function findNewer(
  hit: MemoryHit,
  question: string,
  collection: Collection,
  reader: HitReader,
  now?: number,
): MemoryHit | undefined {
  if (!/\d/.test(hit.text)) return undefined;

  const asked = extractWords(question).map(stem);
  const rate = ({ text }: MemoryHit): number => {
    const terms = extractWords(text).map(stem);
    return asked.filter((term) => terms.includes(term)).length + (isFitFor(question, text) ? 1 : 0);
  };
  const { ranked } = rankPassages({ text: hit.text }, collection, now, REPLACING);
  return ranked
    .flatMap((each) => reader.read(each) ?? [])
    .filter((each) => takesBack(each.text, hit, each))
    .sort((one, other) => rate(other) - rate(one))[0];
}

function countCollection(
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

/**
 * How much of a query's information the best passage must contain, with the lines around it, for the memory to have an
 * answer: in talk, and in a search. Calibrated on questions to the memory they were written for, and to others.
 */
const LEAST_COVERED = 0.2;
const LEAST_FOUND = 0.06;
const WELL_COVERED = 0.6;
/** In a chat a passage must contain this many of its words, if it has as many: a single one matches by chance. */
const LEAST_WORDS = 2;
/** Minimum weight of a term that the query asks for, and of one that it mentions at all. */
const ASKED = 0.5;
const SAID = 0.15;
/** Words of dates; days and years are numbers. */
const CALENDAR = new Set(
  [...MONTH_NAMES, 'yesterday', 'today', 'week', 'month'].map((word) => stem(word.toLowerCase())),
);
const isOfDate = (term: string): boolean => CALENDAR.has(term) || /^\d+(?:st|nd|rd|th)?$/.test(term);

function covers(
  ranked: readonly RankedPassage[],
  terms: readonly QueryTerm[],
  collection: Collection,
  hasDate: boolean,
  share: number,
  isTalk = false,
): boolean {
  const weighty = terms.filter(({ term, weight }) => weight >= SAID && !(hasDate && isOfDate(term)));
  // Text before the question extends it, but need not match.
  const strong = weighty.filter(({ weight }) => weight >= ASKED);
  const information = strong.reduce((sum, { term, weight }) => sum + weight * collection.idf(term), 0);

  if (information === 0) return !isTalk;

  const words = isTalk ? Math.min(LEAST_WORDS, weighty.length) : 1;

  return ranked.some((each) => each.ofWords >= share * information && each.held >= words);
}

const DECAY = 0.1;
const DECAY_WITHIN = 0.4;
const LEAST_SHARE = 0.001;
/** Value of words that makes a message complete, and below which it says nothing. */
const COMPLETE = 1.5;
const STRAY = 0.5;
const MOST_TERMS = 32;
const LEAST_WEIGHT = 0.1;
/** Share of a word's value if no note contains it: it is misspelt as often as new, and finds nothing either way. */
const ABSENT = 0.5;
const READ = 8000;

/** A colon ends one, too: a question after it stands by itself. */
const SENTENCE_END = /(?<=[.!?…。！？:;]["')\]]{0,8})\s+|\n+/;

function listTexts({ text, messages = [] }: MemoryQuery): string[] {
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const texts = spoken.map(({ content }) => content);
  if (spoken.length > 0) texts[spoken.length - 1] = resolvePointers(spoken);
  return text === undefined ? texts : [...texts, text];
}

interface QueryTerms {
  terms: QueryTerm[];
  /** The newest sentence with content of its own, in which dates are detected. */
  focus: string;
}

/**
 * Weighted terms of a query. A message's terms weigh `DECAY` to the power of the content after it, so that a
 * complete question counts alone, and `yes please` leaves the previous question in force. The content of a message
 * depends on the rarity of its words in conversation, not in this memory: few notes contain `elaborate`.
 *
 * @param texts the texts, oldest first; a plain query is a single text
 * @param idf inverse document frequency of a term in the memory, in nats
 * @param isSearch whether the last text is an explicit query, so that all of its words count
 */
function formulateQuery(
  texts: readonly string[],
  idf: (term: string) => number,
  isSearch: boolean,
): QueryTerms {
  const absent = idf('');
  const weights = new Map<string, number>();
  let focus: string | undefined;
  let following = 0;

  for (let i = texts.length - 1; i >= 0 && DECAY ** following >= LEAST_SHARE; i--) {
    const isQuery = isSearch && i === texts.length - 1;
    let followingWithin = 0;

    for (const text of isQuery ? [texts[i] ?? ''] : splitSentences(texts[i] ?? '').reverse()) {
      const weight = DECAY ** following * DECAY_WITHIN ** followingWithin;
      if (weight < LEAST_SHARE) break;

      const worths = new Map<string, number>();
      const content = listContentWords(text);
      for (const term of (content.length === 0 && isQuery ? extractWords(text) : content).map(stem))
        worths.set(term, isQuery ? 1 : rateTerm(term) * (idf(term) < absent ? 1 : ABSENT));
      const complete = isQuery ? 1 : scoreCompleteness([...worths.values()].reduce((a, b) => a + b, 0));
      for (const [term, worth] of worths) {
        const share = Math.max(complete, LEAST_WEIGHT + (1 - LEAST_WEIGHT) * worth);
        weights.set(term, Math.max(weights.get(term) ?? 0, weight * share));
      }

      if (complete > 0.5) focus ??= text;
      followingWithin += complete;
    }

    following += Math.min(1, followingWithin);
  }

  // If nobody said much, the query is about the little that was said.
  const most = Math.max(...weights.values());
  if (most > LEAST_WEIGHT) for (const [term, weight] of weights) weights.set(term, weight / most);
  const heaviest = [...weights].sort(([a, one], [b, other]) => other * idf(b) - one * idf(a));
  const terms = heaviest.slice(0, MOST_TERMS).map(([term, weight]) => ({ term, weight }));

  return { terms, focus: focus ?? texts.at(-1) ?? '' };
}

function splitSentences(text: string): string[] {
  const read = text.length <= READ ? text : `${text.slice(0, READ / 2)}\n${text.slice(-READ / 2)}`;
  return read.split(SENTENCE_END).filter((sentence) => sentence.trim() !== '');
}

/** How complete a message with this total value is, 0 to 1: a smooth step. */
function scoreCompleteness(worth: number): number {
  const x = Math.min(1, Math.max(0, (worth - STRAY) / (COMPLETE - STRAY)));
  return x * x * (3 - 2 * x);
}
