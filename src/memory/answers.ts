import { ownWords } from '../hearing/own-words.ts';
import { resolved } from '../hearing/pointing.ts';
import { questionIn } from '../hearing/question.ts';
import type { Message } from '../transcript/message.ts';
import { Collection, type View } from './collection.ts';
import { wantsOf } from './cues.ts';
import { spansOf } from './dates.ts';
import { Distinct } from './distinct.ts';
import { HitReader } from './hits.ts';
import { identifiersOf, isErrorName, isNamed, withoutReferences } from './identifiers.ts';
import { formulate, type Said } from './query.ts';
import { rank } from './rank.ts';
import { type Finder, searchMemory, searchWith, yearsOf } from './search.ts';
import { inCode, isReport, sentencesOf, standsAlone } from './statement.ts';
import { stem } from './stem.ts';
import { synonymsOf } from './synonyms.ts';
import { worthOf } from './talk.ts';
import { termsOf, wordsOf } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, Ranked, Reason } from './types.ts';

/** How many files are read while there is no index: about 100 ms. */
const FIRST_FILES = 1000;
/** Number of passages checked per query. */
const CANDIDATES = 30;
/** A sentence counts as a question if later text leaves this much of its weight. */
const IN_FORCE = 0.3;
/** A line must contain this share of a sentence's information, counted by single words, and two significant ones. */
const LEAST_COVERED = 0.65;
/** Requirement with only one significant word, to exclude phrases. */
const LEAST_OF_WHOLE = 0.9;
/** Requirement for a line that also contains a name typed by the person. */
const LEAST_BESIDE_NAME = 0.4;
const TELLING = 0.32;
/**
 * The required total, worth two or three significant words; less if the line contains nearly all of the last
 * message.
 */
const LEAST_SCORE = 1.3;
const LEAST_HELD_WHOLE = 0.8;
/** A name must be this rare in the memory, 0 to 1, to be searched on its own. */
const RARE_NAME = 0.55;
const RARE_IN_TALK = 0.75;
/** A further line must reach this share of the best score. */
const NEAR_BEST = 0.5;
/** Smaller memories are treated as this large, because in ten lines every word is common. */
const LEAST_PASSAGES = 500;
/** Minimum value of a word: `run the tests` may be in the memory in just these words. */
const LEAST_WORTH = 0.1;
/** Value of two neighbouring words such as `cpu tag`, relative to the rarer one. */
const PAIR = 0.5;
/** How many characters of a line are searched in the conversation. */
const KNOWN = 80;
/** Share of a line's words in one message of the agent that makes the line old news. */
const SAID = 0.8;

export interface AnswerOptions extends MemoryOptions {
  /** True for a line that must not be shown. */
  isUnwanted?: (place: Pick<MemoryHit, 'path' | 'line'>) => boolean;
}

/**
 * The lines of the memory to show to a model that has not asked for them: only lines that on their own contain what
 * the person is talking about, and make sense on their own. Usually there are none.
 *
 * @param messages the conversation, oldest first; its content is not repeated
 * @param options `limit` is the maximum number of lines, by default 2
 */
export async function answersFor(
  messages: readonly Message[],
  options: AnswerOptions,
): Promise<MemoryAnswer> {
  const { limit = 2, embeddings } = options;
  if (embeddings === undefined || embeddings.provider === 'off')
    return searchWith(() => new AnswerFinder(messages, limit, options), {
      ...options,
      ...(options.background && options.index !== 'off' ? { mostFiles: FIRST_FILES } : {}),
    });
  // A match by meaning cannot be judged by its words.
  const answer = await searchMemory({ messages }, { ...options, limit: CANDIDATES });
  const hits = answer.hits.filter(
    (hit) =>
      sentencesOf(hit.text)[0] === hit.text && standsAlone(hit.text) && options.isUnwanted?.(hit) !== true,
  );
  return { ...answer, hits: hits.slice(0, limit) };
}

/** What is asked for by one term, or by two beside each other. */
interface Asked {
  /** How much it tells. */
  value: number;
  /** As it was written. */
  words: string;
  /** Terms that mean the same, with how nearly. */
  alike: ReadonlyMap<string, number>;
}

const NONE: Asked['alike'] = new Map();

/** What one sentence asks for, by its terms and its pairs of neighbouring terms. */
interface Question {
  values: ReadonlyMap<string, Asked>;
  total: number;
  /** How much later text leaves of it, 0 to 1: what is asked now comes before what was asked a while ago. */
  weight: number;
  /** Whether it is the person's last message. */
  isLast: boolean;
}

class AnswerFinder implements Finder {
  /** The messages of person and agent, and the whole conversation. */
  readonly #messages: readonly Message[];
  readonly #all: readonly Message[];
  readonly #limit: number;
  readonly #options: AnswerOptions;
  #reader: HitReader;
  asked = '';

  constructor(messages: readonly Message[], limit: number, options: AnswerOptions) {
    this.#messages = messages.filter(({ role }) => role === 'user' || role === 'assistant');
    this.#all = messages;
    this.#limit = limit;
    this.#options = options;
    this.#reader = new HitReader(options);
  }

  get outdated(): ReadonlySet<string> {
    return this.#reader.outdated;
  }

  hits(views: readonly View[], isFresh: (segment: unknown) => boolean): MemoryHit[] {
    this.#reader = new HitReader(this.#options);
    const collection = new Collection(views);
    const idf = (term: string): number => collection.idf(term);
    const texts = this.#messages.map(askedIn);
    if (texts.length > 0) texts[texts.length - 1] = ownWords(resolved(this.#messages));
    const { terms, focus, sentences } = formulate(texts, idf, false);
    this.asked = focus;
    const now = this.#options.now ?? Date.now();
    const spans = spansOf(focus, now, () => yearsOf(views));
    const found = [rank(collection, { terms, spans, now, ...wantsOf(focus) }, CANDIDATES)];
    const names = this.#rareNames(collection);
    if (names.size > 0) {
      const { terms: ofNames } = formulate([[...names.keys()].join(' ')], idf, true);
      const plain = { terms: ofNames, spans: [], now, asksWhen: false, asksNumber: false };
      found.push(rank(collection, plain, CANDIDATES));
    }
    const questions = questionsOf(sentences, collection);
    return this.#best(found.flat(), questions, names, isFresh);
  }

  /**
   * Names that the person typed, and names of pasted errors, that few passages contain; with their rarity, 0 to 1.
   */
  #rareNames(collection: Collection): Map<string, number> {
    const last = this.#messages.findLast(({ role }) => role === 'user');
    const rare = new Map<string, number>();
    const content = last?.content ?? '';
    const typed = identifiersOf(ownWords(content));
    const logged = identifiersOf(content).filter(isErrorName);
    for (const name of new Set([...typed, ...logged])) {
      const terms = wordsOf(name).map(stem);
      const rarity = Math.max(0, ...terms.map((term) => rarityOf(term, collection)));
      // `GitHub` looks like a name from code, but is a common word.
      const isTalk = !/[_.]/.test(name) && worthOf(stem(name.toLowerCase())) < RARE_IN_TALK;
      if (!isTalk && rarity >= RARE_NAME) rare.set(name, rarity);
    }
    return rare;
  }

  #best(
    ranked: readonly Ranked[],
    questions: readonly Question[],
    names: ReadonlyMap<string, number>,
    isFresh: (segment: unknown) => boolean,
  ): MemoryHit[] {
    const judged = new Map<string, MemoryHit>();
    for (const each of ranked) {
      const hit = this.#reader.read(each, isFresh);
      if (hit === undefined || this.#options.isUnwanted?.(hit) === true) continue;
      // Judged first: of most lines that are looked at no more has to be known.
      const answers = sentencesOf(hit.text)
        .map((text) => ({ ...hit, text, ...judge(text, questions, names) }))
        .filter(({ text, score }) => score > 0 && standsAlone(text) && !this.#isKnown(text));
      if (answers.length === 0 || isReport(hit.headings)) continue;
      if (inCode(this.#reader.linesOf(hit.path), hit.line)) continue;
      for (const answer of answers) judged.set(`${hit.path}:${hit.line}:${answer.text}`, answer);
    }
    const best = [...judged.values()].sort((a, b) => b.score - a.score);
    const distinct = new Distinct(this.#options.alreadyShown);
    const least = (best[0]?.score ?? 0) * NEAR_BEST;
    return best.filter(({ score, text }) => score >= least && distinct.add(text)).slice(0, this.#limit);
  }

  /** Whether the conversation contains the line, or one message of the agent nearly all of its words. */
  #isKnown(text: string): boolean {
    const head = text.slice(0, KNOWN);
    if (this.#all.some(({ content }) => content.includes(head))) return true;
    const terms = new Set(termsOf(text));
    return this.#messages.some(({ role, content }) => {
      const said = new Set(role === 'assistant' ? termsOf(content) : []);
      return [...terms].filter((term) => said.has(term)).length >= SAID * terms.size;
    });
  }
}

/**
 * The messages that may still ask for something: of an agent only its last question, because its reports are done.
 */
function askedIn({ role, content }: Message): string {
  return role === 'assistant' ? (questionIn(content) ?? '') : ownWords(content);
}

/** Rarity of a term: 1 if no passage contains it, 0 if all do. */
function rarityOf(term: string, collection: Collection): number {
  const most = Math.log(1 + Math.max(LEAST_PASSAGES, collection.passages));
  return 1 - Math.min(1, Math.log(1 + collection.holders(term)) / most);
}

function questionsOf(sentences: readonly Said[], collection: Collection): Question[] {
  return sentences.flatMap(({ text, weight, isLast }) => {
    // A sentence that ends in a colon only introduces what follows.
    if (weight < IN_FORCE || /[:：]\s*$/.test(text)) return [];
    const values = new Map<string, Asked>();
    let before: { term: string; word: string; worth: number; rarity: number } | undefined;
    for (const word of wordsOf(withoutReferences(text))) {
      const term = stem(word);
      const [worth, rarity] = [worthOf(term), rarityOf(term, collection)];
      values.set(term, {
        value: (LEAST_WORTH + (1 - LEAST_WORTH) * worth) * rarity,
        words: word,
        alike: synonymsOf(term),
      });
      if (before !== undefined && before.term !== term) {
        const value = PAIR * Math.max(worth, before.worth) * Math.max(rarity, before.rarity);
        values.set(`${before.term} ${term}`, { value, words: `${before.word} ${word}`, alike: NONE });
      }
      before = { term, word, worth, rarity };
    }
    const total = [...values].reduce((sum, [term, { value }]) => sum + (term.includes(' ') ? 0 : value), 0);
    return total === 0 ? [] : [{ values, total, weight, isLast }];
  });
}

/** How well a line answers one of the questions, or explains one of the names: 0 if it does not. */
function judge(
  text: string,
  questions: readonly Question[],
  names: ReadonlyMap<string, number>,
): { score: number; why: Reason[] } {
  const terms = termsOf(text);
  const held = new Set(terms);
  for (const [i, term] of terms.entries()) if (i > 0) held.add(`${terms[i - 1]} ${term}`);
  const ofNames = [...names].flatMap(([term, score]) => (isNamed(term, text) ? [{ term, score }] : []));
  // For names in code the agent can search the code; only the memory knows about tickets and errors.
  let best = { score: sumOf(ofNames.filter(({ term }) => isErrorName(term))), why: [] as Reason[] };
  for (const { values, total, weight, isLast } of questions) {
    const why = [...values].flatMap(([term, { value, words, alike }]) => {
      const score = value * shareHeld(term, alike, held);
      return score === 0 ? [] : [{ term: words, score }];
    });
    const sum = sumOf(why);
    // A pair adds to the score, but covers no more of the sentence.
    const words = why.filter(({ term }) => !term.includes(' '));
    const share = sumOf(words) / total;
    const telling = words.filter(({ score }) => score >= TELLING).length;
    const isWhole =
      isLast &&
      telling === 1 &&
      share >= LEAST_OF_WHOLE &&
      why.length >= 3 &&
      sumOf(words) >= LEAST_HELD_WHOLE;
    const covers = isWhole || (telling >= 2 && share >= LEAST_COVERED && sum >= LEAST_SCORE);
    const named = telling > 0 && share >= LEAST_BESIDE_NAME ? sumOf(ofNames) : 0;
    const score = (covers ? sum * Math.sqrt(share) * weight : 0) + (named === 0 ? 0 : named + sum / 2);
    if ((covers || score >= LEAST_SCORE) && score > best.score) best = { score, why };
  }
  return { score: best.score, why: [...ofNames, ...best.why].sort((a, b) => b.score - a.score) };
}

function sumOf(parts: readonly Reason[]): number {
  return parts.reduce((sum, { score }) => sum + score, 0);
}

/** 1 if a line contains the term, less for a synonym. */
function shareHeld(term: string, alike: Asked['alike'], held: ReadonlySet<string>): number {
  if (held.has(term)) return 1;
  return Math.max(0, ...[...alike].map(([other, share]) => (held.has(other) ? share : 0)));
}
