import { ownWords } from '../transcript/hearing.ts';
import type { Message } from '../transcript/types.ts';
import { spansOf } from './dates.ts';
import { askingSentences, formulate } from './query.ts';
import { rank } from './rank.ts';
import { Distinct, HitReader } from './read.ts';
import { type Found, searchMemory, searchWith, yearsOf } from './search.ts';
import { Collection } from './segment.ts';
import { termsOf } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, Ranked } from './types.ts';
import {
  identifiersOf,
  inCode,
  isErrorName,
  isSameWords,
  judge,
  type Question,
  shortOf,
  statementsOf,
  type Verdict,
  weighed,
} from './weigh.ts';

/** How many files are read while there is no index: about 100 ms. */
const FIRST_FILES = 1000;
/** Passages looked at for a question: the first may be code or a question itself. */
const CANDIDATES = 6;
/** A passage found by its meaning alone must have this score for it. */
const STANDS_OUT = 30;
/** How many characters of a line are searched in the conversation. */
const KNOWN = 80;
/** Share of a line's words in one message of the agent that makes the line old news. */
const SAID = 0.8;

export interface AnswerOptions extends MemoryOptions {
  isUnwanted?: (place: Pick<MemoryHit, 'path' | 'line'>) => boolean;
  /** Texts that the host has put before the model itself; called only if there is a line to say. */
  loaded?: () => readonly string[];
}

/** The line that came closest to being said, and why it was not, in words. */
export interface HeldBack {
  hit: MemoryHit;
  reason: string;
}

/**
 * The lines of the memory that answer what the last message asks; usually it asks nothing. The ranking finds the line;
 * whether it answers is decided by the question's words that it holds and lacks.
 *
 * @param messages the conversation, oldest first; its content is not repeated
 * @param options `limit` is the maximum number of lines, by default 2
 */
export async function answersFor(
  messages: readonly Message[],
  options: AnswerOptions,
): Promise<MemoryAnswer & { heldBack?: HeldBack }> {
  const { limit = 2, embeddings } = options;
  const questions = questionsIn(messages);
  if (questions.length === 0)
    return { hits: [], asked: '', source: 'index', files: 0, passages: 0, leftOut: [] };
  const isKnown = knownTo(messages, options);
  const { unanswered, heldBack, ...answer } = await searchWith(
    (views, reader) => answersIn(new Collection(views), reader, questions, isKnown, options),
    firstFiles(options),
  );
  const hits = [...answer.hits];
  if (embeddings !== undefined && embeddings.provider !== 'off') {
    for (const { text } of unanswered) {
      const found = (await searchMemory({ text }, { ...options, limit: 1 })).hits[0];
      const standsOut = found?.why.some(({ term, score }) => term === '(meaning)' && score >= STANDS_OUT);
      if (found && standsOut && !isKnown(found.text) && !options.isUnwanted?.(found)) hits.push(found);
    }
  }
  return { ...answer, hits: hits.slice(0, limit), heldBack: hits.length === 0 ? heldBack : undefined };
}

/** Somebody waits: without an index only the newest files are read, if another process can make one. */
function firstFiles(options: AnswerOptions): AnswerOptions {
  return options.background && options.index !== 'off' ? { ...options, mostFiles: FIRST_FILES } : options;
}

/**
 * The lines of the memory that belong to the talk, for a reader who opens the file on purpose: the best hits of a
 * search, without the bar of `answersFor`.
 */
export async function relatedTo(messages: readonly Message[], options: AnswerOptions): Promise<MemoryAnswer> {
  const { limit = 5 } = options;
  const answer = await searchMemory({ messages }, { ...firstFiles(options), limit: limit + CANDIDATES });
  const reader = new HitReader(options);
  const hits = answer.hits.flatMap((hit) => {
    if (isUnfit(hit, reader) || options.isUnwanted?.(hit) === true) return [];
    const text = statementsOf(hit.text)[0];
    return text === undefined ? [] : [{ ...hit, text }];
  });
  return { ...answer, hits: hits.slice(0, limit) };
}

/** Code and questions answer nothing. */
function isUnfit({ path, line, text }: Omit<MemoryHit, 'why'>, reader: HitReader): boolean {
  return /[?？]["')\]]*$/.test(text) || inCode(reader.linesOf(path), line);
}

/** What the last message asks, and the errors that it shows: a pasted log asks about them. */
function questionsIn(messages: readonly Message[]): Question[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [];
  const asked = askingSentences(last.content).map((text) => ({ text, names: identifiersOf(text) }));
  const own = new Set(identifiersOf(ownWords(last.content)));
  const pasted = identifiersOf(last.content).filter((name) => isErrorName(name) && !own.has(name));
  return [...asked, ...pasted.map((name) => ({ text: name, names: [name] }))];
}

interface Candidate extends Verdict {
  passage: Omit<MemoryHit, 'why'>;
  /** Day number of its file, -1 for none. */
  day: number;
}

interface Answers extends Found {
  unanswered: readonly Question[];
  heldBack?: HeldBack | undefined;
}

function answersIn(
  collection: Collection,
  reader: HitReader,
  questions: readonly Question[],
  isKnown: (text: string) => boolean,
  options: AnswerOptions,
): Answers {
  const distinct = new Distinct();
  const found = questions.map((question) => ({
    question,
    ...answerTo(question, collection, reader, isKnown, options),
  }));
  return {
    hits: found.flatMap(({ hit }) => (hit && distinct.add(hit.text) ? [hit] : [])),
    asked: questions[0]?.text ?? '',
    unanswered: found.filter(({ hit }) => hit === undefined).map(({ question }) => question),
    heldBack: found.find(({ heldBack }) => heldBack)?.heldBack,
  };
}

/** The first hit that holds enough of the question, or the next one if it is newer and holds the same words. */
function answerTo(
  question: Question,
  collection: Collection,
  reader: HitReader,
  isKnown: (text: string) => boolean,
  options: AnswerOptions,
): { hit?: MemoryHit; heldBack?: HeldBack } {
  const words = weighed(question, collection);
  const found = rankedFor(question.text, collection, options).flatMap((ranked): Candidate[] => {
    const passage = reader.read(ranked);
    if (passage === undefined || isUnfit(passage, reader) || options.isUnwanted?.(passage) === true)
      return [];
    const day = ranked.view.segment.head.days[ranked.file] ?? -1;
    const parts = statementsOf(passage.text).map((text) => judge(text, words, collection.passages));
    const best = parts.sort((one, other) => other.score - one.score)[0];
    return best === undefined ? [] : [{ passage, day, ...best }];
  });
  const [first, next] = found.filter(({ isAnswer }) => isAnswer);
  if (first === undefined) {
    const near = found.find(({ held }) => held.length > 0);
    return near === undefined ? {} : { heldBack: { hit: hitOf(near), reason: shortOf(near) } };
  }
  // What the model holds is not said, nor another line in its place.
  if (found.some(({ isAnswer, text }) => isAnswer && isKnown(text)))
    return { heldBack: { hit: hitOf(first), reason: 'the model has it already' } };
  const isNewer = next !== undefined && first.day >= 0 && next.day > first.day && isSameWords(next, first);
  return { hit: hitOf(isNewer ? next : first) };
}

function hitOf({ passage, text, score, held }: Candidate): MemoryHit {
  return { ...passage, text, score, why: held.map(({ word, weight }) => ({ term: word, score: weight })) };
}

function rankedFor(text: string, collection: Collection, { now = Date.now() }: AnswerOptions): Ranked[] {
  const { terms } = formulate([text], (term) => collection.idf(term), true);
  if (terms.length === 0) return [];
  const spans = spansOf(text, now, () => yearsOf(collection.views));
  return rank(collection, { terms, spans, now }, CANDIDATES);
}

/**
 * Whether the conversation, a shown line or a file that the host has loaded contains a text, or one message of the agent
 * nearly all of its words.
 */
function knownTo(messages: readonly Message[], options: AnswerOptions): (text: string) => boolean {
  let loaded: readonly string[] | undefined;
  return (text) => {
    const head = text.slice(0, KNOWN);
    if (messages.some(({ content }) => content.includes(head))) return true;
    if (!new Distinct(options.alreadyShown).add(text)) return true;
    loaded ??= (options.loaded?.() ?? []).map((each) => each.replace(/\s+/g, ' '));
    if (loaded.some((each) => each.includes(head))) return true;
    const terms = new Set(termsOf(text));
    return messages.some(({ role, content }) => {
      const said = new Set(role === 'assistant' ? termsOf(content) : []);
      return [...terms].filter((term) => said.has(term)).length >= SAID * terms.size;
    });
  };
}
