import type { Message } from '../transcript/types.ts';
import { dateRivals, isLaterNote, replacesLine, takesBack } from './corrections.ts';
import { isDump } from './notes.ts';
import { isLabel } from './passages.ts';
import { findQuestions, judge, type Question, type Verdict, weighWords } from './questions.ts';
import { Distinct, type HitReader, type Sibling } from './read.ts';
import { findNewer, rankPassages, searchMemory, searchWith } from './search.ts';
import type { Collection } from './segment.ts';
import { isAskingWhen } from './small-words.ts';
import { extractTerms, rateTerm } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, MemoryQuery, RankedPassage } from './types.ts';

const FIRST_FILES = 1000;
/** Passages looked at for a question: the first may be code or a question itself. */
const CANDIDATES = 6;
const LONE_LEAD = 0.5;
const STANDS_OUT = 30;
const KNOWN = 80;
/** A line belongs to the talk if it shares so many telling words with it; one is no relation. */
const LEAST_SHARED = 2;
/** What is to be done, or found out, is no fact, but may say when. */
const OPEN_TASK = /^(?:\[ ?\]|todo\b)/i;
/** What a word must be worth in talk to tell something, and how much of the query it must be. */
const TELLING = 0.5;
const RECENT = 0.15;
const SAID = 0.8;

export interface AnswerOptions extends MemoryOptions {
  /** Maximum number of lines that only belong to the talk, for a reader who opens the file on purpose; by default 0. */
  related?: number;
  /** Notes of the pad: a line that one of them takes back is not told. */
  notes?: readonly string[];
  isUnwanted?: (place: Pick<MemoryHit, 'path' | 'line'>) => boolean;
  /** Texts that the host has put before the model itself; called only if there is a line to say. */
  loaded?: () => readonly string[];
}

export interface Answers extends MemoryAnswer {
  related: MemoryHit[];
}

/**
 * The lines of the memory that answer what the last message asks; usually it asks nothing. The ranking finds the line;
 * whether it answers is decided by the question's words that it holds and lacks.
 *
 * @param messages the conversation, oldest first; its content is not repeated
 * @param options `limit` is the maximum number of lines, by default 1
 */
export async function findAnswers(messages: readonly Message[], options: AnswerOptions): Promise<Answers> {
  const { limit = 1, related: most = 0, alreadyShown = [], notes = [], embeddings } = options;
  const questions = findQuestions(messages);
  if (questions.length === 0 && most === 0)
    return {
      hits: [],
      related: [],
      asked: '',
      source: 'index',
      changed: 0,
      files: 0,
      passages: 0,
      leftOut: [],
    };

  const isKnown = makeKnownCheck(messages, options);
  const find = (collection: Collection, reader: HitReader) => {
    const judged = questions.map((question) => judgePassages(question, collection, reader, options));
    const answers = judged.map((candidates, at) =>
      answerAmong(candidates, questions[at]?.text ?? '', isKnown),
    );
    const withRivals = (hit: MemoryHit, all: readonly JudgedPassage[] = []): MemoryHit => {
      const others = all.map(({ passage }) => passage).filter(({ path }) => path !== hit.path);
      return dateRivals([hit, ...others], reader.readDate)[0] ?? hit;
    };
    const distinct = new Distinct();
    // A note of the pad is the newest, and shown already.
    const withNewer = (hit: MemoryHit, question = ''): MemoryHit[] => {
      if (notes.some((note) => takesBack(note, hit))) return [];
      const newer = findNewer(hit, question, collection, reader, options.now);
      return newer === undefined ? [hit] : [{ ...hit, newer }];
    };
    const hits = answers.flatMap((hit, at) =>
      hit && distinct.add(hit.text) ? withNewer(withRivals(hit, judged[at]), questions[at]?.text) : [],
    );

    return {
      hits,
      asked: questions[0]?.text ?? '',
      rest:
        most === 0
          ? []
          : dateRivals(
              findCandidates({ messages }, collection, reader, options)
                .filter(isRelated)
                .flatMap(({ passage, text }) => withNewer({ ...passage, text })),
              reader.readDate,
            ),
      unanswered: questions.filter((_, at) => answers[at] === undefined),
    };
  };

  // Somebody waits: without an index only the newest files are read, if another process can make one.
  const mostFiles = options.background === undefined ? undefined : FIRST_FILES;
  const { rest, unanswered, ...answer } = await searchWith(find, { ...options, mostFiles });
  const hits = [...answer.hits];

  if (embeddings !== undefined && embeddings.provider !== 'off') {
    for (const { text } of unanswered) {
      if (hits.length >= limit) break;
      const [found] = (await searchMemory({ text }, { ...options, limit: 1 })).hits;
      const { meaning = 0 } = found ?? {};
      if (found && meaning >= STANDS_OUT && !isKnown(found.text) && !options.isUnwanted?.(found))
        hits.push(found);
    }
  }

  hits.splice(limit);
  const distinct = new Distinct([...alreadyShown, ...hits.map(({ text, newer }) => newer?.text ?? text)]);
  const related = rest.filter(({ text, newer }) => distinct.add(newer?.text ?? text));

  return { ...answer, hits, related: related.slice(0, most) };
}

const isRelated = ({ isRelevant, shared }: Candidate): boolean => isRelevant && shared >= LEAST_SHARED;

interface Candidate {
  ranked: RankedPassage;
  isRelevant: boolean;
  shared: number;
  passage: MemoryHit;
  text: string;
  statements: readonly string[];
}

function findCandidates(
  query: MemoryQuery,
  collection: Collection,
  reader: HitReader,
  { now, related = 0, isUnwanted }: AnswerOptions,
): Candidate[] {
  const { ranked, isRelevant, terms } = rankPassages(query, collection, now, CANDIDATES + related);
  const telling = terms.filter(({ term, weight }) => weight >= RECENT && rateTerm(term) >= TELLING);
  return ranked.flatMap((each) => {
    const passage = reader.read(each);
    if (passage === undefined || isUnwanted?.(passage) === true) return [];

    const { path, line } = passage;
    const lines = reader.linesOf(path);
    const whole = isLabel(passage.text) ? withNext(passage, lines) : passage.text;
    const isOpen = query.text !== undefined && OPEN_TASK.test(passage.text) && !isAskingWhen(query.text);
    const isUnfit = isOpen || /[?？]["')\]]*$|^~~.*~~\W*$/.test(whole) || isInCode(lines, line);
    // A record of a conversation holds what was said, and no facts.
    const statements = isUnfit || isDump(lines) ? [] : splitStatements(whole);
    const [text] = statements;

    if (text === undefined) return [];

    const own = new Set(extractTerms(text));
    const shared = telling.filter(({ term }) => own.has(term)).length;

    return [{ ranked: each, isRelevant, shared, passage, text, statements }];
  });
}

/** A line that only names what follows, with the line that follows; nothing if there is none. */
function withNext({ text, endLine }: MemoryHit, lines: readonly string[]): string {
  const next = lines.slice(endLine, endLine + 2).find((line) => line.trim() !== '') ?? '';
  const isNamed = /^\s*(?:[-*+]|\d+[.)])\s|^[^#|<`\s]/.test(next) && !isLabel(next);
  return isNamed ? `${text} ${next.trim().replace(/^(?:[-*+]|\d+[.)])\s+/, '')}` : '';
}

/** A row below a table's header: `Port=8443, Owner=Ann`. Nothing for another passage. */
function labelCells({ text, headings }: MemoryHit): string {
  const [cells, heads] = [text, headings.at(-1) ?? ''].map((row) =>
    row.trim().split(/(?<!\s)\s*(?<!\\)\|\s*/),
  );
  if (cells?.[0] !== '' || heads?.[0] !== '') return '';
  return cells.flatMap((cell, at) => (cell === '' ? [] : `${heads[at] ?? ''}=${cell}`)).join(', ');
}

export type JudgedPassage = Candidate & Verdict;

/** The passages that hold words of a question, each by the sentence that holds most. */
export function judgePassages(
  question: Question,
  collection: Collection,
  reader: HitReader,
  options: AnswerOptions,
): JudgedPassage[] {
  const words = weighWords(question, collection);
  const query = { text: question.text };
  const candidates = findCandidates(query, collection, reader, options).slice(0, CANDIDATES);
  const scores = candidates.map(({ ranked }) => ranked.score);
  return candidates.flatMap((candidate, at): JudgedPassage[] => {
    const next = Math.max(...scores.filter((_, other) => other !== at));
    const lead = scores.length === 1 ? LONE_LEAD : Math.min(1, (scores[at] ?? 0) / next - 1);
    const siblings = (): readonly Sibling[] => reader.listSiblings(candidate.passage);
    const evidence = { lead, passages: collection.passages, siblings };
    const judgeStatement = (text: string): Verdict | undefined =>
      judge(text, candidate.passage.headings, question.text, words, evidence);
    const parts = candidate.statements.flatMap((text) => judgeStatement(text) ?? []);
    const [first = judgeStatement(labelCells(candidate.passage))] = parts.sort(
      (one, other) => other.score - one.score,
    );

    return first === undefined ? [] : [{ ...candidate, ...first }];
  });
}

/** The line that answers most likely, or one that says of the same thing what holds now. */
function answerAmong(
  candidates: readonly JudgedPassage[],
  question: string,
  isKnown: (text: string) => boolean,
): MemoryHit | undefined {
  const answers = candidates.filter(({ odds }) => odds > 0).sort((one, other) => other.odds - one.odds);
  const [first, next] = answers;
  // What the model holds is not said, nor another line in its place.
  if (first === undefined || answers.some(({ text }) => isKnown(text))) return undefined;

  const isNewer =
    next !== undefined &&
    isLaterNote(next.passage, first.passage) &&
    next.score >= first.score &&
    String(listHeld(next)) === String(listHeld(first));
  const { passage, text, score, ...rest } = candidates.reduce(
    (best, each) => (replacesLine(each, best, question) ? each : best),
    isNewer ? next : first,
  );

  return isKnown(text) ? undefined : { ...passage, text, score, words: listHeld(rest) };
}

const listHeld = ({ held }: Pick<Verdict, 'held'>): string[] => held.map(({ word }) => word);

/**
 * Whether the conversation, a shown line or a file that the host has loaded contains a text, or one message of the agent
 * nearly all of its words.
 */
function makeKnownCheck(messages: readonly Message[], options: AnswerOptions): (text: string) => boolean {
  let loaded: readonly string[] | undefined;
  return (text) => {
    const head = text.slice(0, KNOWN);
    if (messages.some(({ content }) => content.includes(head))) return true;
    if (!new Distinct(options.alreadyShown).add(text)) return true;

    loaded ??= (options.loaded?.() ?? []).map((each) => each.replace(/\s+/g, ' '));
    if (loaded.some((each) => each.includes(head))) return true;

    const terms = new Set(extractTerms(text));

    return messages.some(({ role, content }) => {
      const replyTerms = new Set(role === 'assistant' ? extractTerms(content) : []);
      return [...terms].filter((term) => replyTerms.has(term)).length >= SAID * terms.size;
    });
  };
}

const LONGEST_STATEMENT = 240;

/** What a passage says: all of it where that is short, else each of its sentences. */
function splitStatements(text: string): string[] {
  const parts =
    text === '' || text.length <= LONGEST_STATEMENT
      ? [text]
      : text.split(/(?<=[.!?。！？]["')\]*]{0,8})\s+(?=[\p{Lu}\p{Lo}`"'(*[])/u);
  return parts.filter((part) => part !== '' && part.length <= LONGEST_STATEMENT);
}

function isInCode(lines: readonly string[], line: number): boolean {
  if (/^(?: {4}|\t)(?![-*+\d\s])/.test(lines[line - 1] ?? '')) return true;
  let open = '';
  for (const each of lines.slice(0, line - 1)) {
    const fence = /^\s{0,6}(`{3,}|~{3,})/.exec(each)?.[1] ?? '';
    // A block may show other fences, also shorter ones of its own kind.
    if (fence.startsWith(open)) open = open === '' ? fence : '';
  }

  return open !== '';
}
