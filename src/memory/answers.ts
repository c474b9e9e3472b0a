import type { Message } from '../transcript/types.ts';
import {
  isSameWords,
  judge,
  type Question,
  questionsIn,
  shortOf,
  type Verdict,
  weighed,
} from './questions.ts';
import { Distinct, type HitReader } from './read.ts';
import { rankedFor, searchMemory, searchWith } from './search.ts';
import type { Collection } from './segment.ts';
import { termsOf } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, MemoryQuery, Ranked } from './types.ts';

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
  /** Maximum number of lines that only belong to the talk, for a reader who opens the file on purpose; by default 0. */
  related?: number;
  isUnwanted?: (place: Pick<MemoryHit, 'path' | 'line'>) => boolean;
  /** Texts that the host has put before the model itself; called only if there is a line to say. */
  loaded?: () => readonly string[];
}

/** The line that came closest to being said, and why it was not, in words. */
export interface HeldBack {
  hit: MemoryHit;
  reason: string;
}

export interface Answers extends MemoryAnswer {
  /** Lines of the same ranking that answer nothing. */
  related: MemoryHit[];
  heldBack?: HeldBack | undefined;
}

/**
 * The lines of the memory that answer what the last message asks; usually it asks nothing. The ranking finds the line;
 * whether it answers is decided by the question's words that it holds and lacks.
 *
 * @param messages the conversation, oldest first; its content is not repeated
 * @param options `limit` is the maximum number of lines, by default 2
 */
export async function answersFor(messages: readonly Message[], options: AnswerOptions): Promise<Answers> {
  const { limit = 2, related: most = 0, alreadyShown = [], embeddings } = options;
  const questions = questionsIn(messages);
  if (questions.length === 0 && most === 0) return { ...NOTHING, related: [] };
  const isKnown = knownTo(messages, options);
  const find = (collection: Collection, reader: HitReader) => {
    const queries = questions.length > 0 ? questions.map(({ text }) => ({ text })) : [{ messages }];
    const found = queries.map((query) => candidatesFor(query, collection, reader, options));
    const answers = questions.map((question, at) => answerTo(question, found[at] ?? [], collection, isKnown));
    const distinct = new Distinct();
    const hits = answers.flatMap(({ hit }) => (hit && distinct.add(hit.text) ? [hit] : []));
    return {
      hits,
      asked: questions[0]?.text ?? '',
      rest: found.flat(),
      unanswered: questions.filter((_, at) => answers[at]?.hit === undefined),
      heldBack: answers.find(({ heldBack }) => heldBack)?.heldBack,
    };
  };
  // Somebody waits: without an index only the newest files are read, if another process can make one.
  const isHurried = options.background !== undefined && options.index !== 'off';
  const { rest, unanswered, heldBack, ...answer } = await searchWith(
    find,
    isHurried ? { ...options, mostFiles: FIRST_FILES } : options,
  );
  const hits = [...answer.hits];
  if (embeddings !== undefined && embeddings.provider !== 'off') {
    for (const { text } of unanswered) {
      const [found] = (await searchMemory({ text }, { ...options, limit: 1 })).hits;
      const standsOut = found?.why.some(({ term, score }) => term === '(meaning)' && score >= STANDS_OUT);
      if (found && standsOut && !isKnown(found.text) && !options.isUnwanted?.(found)) hits.push(found);
    }
  }
  hits.splice(limit);
  const distinct = new Distinct([...alreadyShown, ...hits.map(({ text }) => text)]);
  const related = rest
    .map(({ passage, statements: [text = ''], ranked }) => ({ ...passage, text, why: ranked.why }))
    .filter(({ text }) => distinct.add(text));
  return {
    ...answer,
    hits,
    related: related.slice(0, most),
    heldBack: hits.length === 0 ? heldBack : undefined,
  };
}

const NOTHING: MemoryAnswer = {
  hits: [],
  asked: '',
  source: 'index',
  changed: 0,
  files: 0,
  passages: 0,
  leftOut: [],
};

/** A passage that may be said, as a whole or one of its sentences. */
interface Candidate {
  ranked: Ranked;
  passage: Omit<MemoryHit, 'why'>;
  statements: string[];
}

/** The best passages for a query. Code and questions answer nothing. */
function candidatesFor(
  query: MemoryQuery,
  collection: Collection,
  reader: HitReader,
  { now, related = 0, isUnwanted }: AnswerOptions,
): Candidate[] {
  const { ranked } = rankedFor(query, collection, now, CANDIDATES + related);
  return ranked.flatMap((each) => {
    const passage = reader.read(each);
    if (passage === undefined || isUnwanted?.(passage) === true) return [];
    const { path, line, text } = passage;
    const statements = statementsOf(text);
    const isUnfit = /[?？]["')\]]*$/.test(text) || inCode(reader.linesOf(path), line);
    return isUnfit || statements.length === 0 ? [] : [{ ranked: each, passage, statements }];
  });
}

type Judged = Candidate & Verdict & { day: number };

/** The first hit that holds enough of the question, or the next one if it is newer and holds the same words. */
function answerTo(
  question: Question,
  candidates: readonly Candidate[],
  collection: Collection,
  isKnown: (text: string) => boolean,
): { hit?: MemoryHit; heldBack?: HeldBack } {
  const words = weighed(question, collection);
  const found = candidates.slice(0, CANDIDATES).map((candidate): Judged => {
    const { view, file } = candidate.ranked;
    const parts = candidate.statements.map((text) => judge(text, words, collection.passages));
    const best = parts.reduce((most, part) => (part.score > most.score ? part : most));
    return { ...candidate, ...best, day: view.segment.data.days[file] ?? -1 };
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

function hitOf({ passage, text, score, held }: Judged): MemoryHit {
  return { ...passage, text, score, why: held.map(({ word, weight }) => ({ term: word, score: weight })) };
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

/** Maximum length of one line for a model. */
const LONGEST_STATEMENT = 240;

/** What a passage says: all of it where that is short, else each of its sentences. */
function statementsOf(text: string): string[] {
  const parts =
    text.length <= LONGEST_STATEMENT
      ? [text]
      : text.split(/(?<=[.!?。！？]["')\]*]*)\s+(?=[\p{Lu}\p{Lo}`"'(*[])/u);
  return parts.filter((part) => part.length <= LONGEST_STATEMENT);
}

/** Whether a line, from 1, is in a block of code. */
function inCode(lines: readonly string[], line: number): boolean {
  if (/^(?: {4}|\t)(?![-*+\d\s])/.test(lines[line - 1] ?? '')) return true;
  let fences = 0;
  for (const each of lines.slice(0, line - 1)) if (/^\s{0,6}(?:```|~~~)/.test(each)) fences++;
  return fences % 2 === 1;
}
