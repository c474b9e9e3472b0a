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
import { type Finder, searchMemory, searchWith, wanted, yearsOf } from './search.ts';
import { inCode, isReport, sentencesOf, standsAlone } from './statement.ts';
import { stem } from './stem.ts';
import { synonymsOf } from './synonyms.ts';
import { worthOf } from './talk.ts';
import { termsOf, wordsOf } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, Ranked, Reason } from './types.ts';

/** Files that are read where there is no index yet: some 100 ms. */
const FIRST_FILES = 1000;
/** Passages looked at for each query. */
const CANDIDATES = 30;
/** A sentence is asked for when this much of its weight is left by what follows it. */
const IN_FORCE = 0.3;
/** A line must hold this part of what a sentence is about, by its words alone, and two words of it that tell something. */
const LEAST_COVERED = 0.65;
/** With one telling word: or it is a turn of phrase. */
const LEAST_OF_WHOLE = 0.9;
/** Where a line also has a name that the person typed. */
const LEAST_BESIDE_NAME = 0.4;
const TELLING = 0.32;
/** What it must be worth in all, two or three telling words; less where it holds nearly all that was said last. */
const LEAST_SCORE = 1.3;
const LEAST_HELD_WHOLE = 0.8;
/** A name must be so rare in the memory, 0 to 1, to be looked for by itself. */
const RARE_NAME = 0.55;
const RARE_IN_TALK = 0.75;
/** A further line is given when it is as good as this part of the best. */
const NEAR_BEST = 0.5;
/** A memory is never judged as smaller than this: in ten lines every word is common. */
const LEAST_PASSAGES = 500;
/** What even the most common word is worth: `run the tests` may be written down in just these words. */
const LEAST_WORTH = 0.1;
/** What two words beside each other tell, as in `cpu tag`, in proportion to the rarer of them. */
const PAIR = 0.5;
/** Characters of a line that are looked for in the conversation. */
const KNOWN = 80;
/** Part of a line's words that one message of the agent holds when it has said as much. */
const SAID = 0.8;

export interface AnswerOptions extends MemoryOptions {
  /** True for a line that is not to be shown. */
  isUnwanted?: (place: Pick<MemoryHit, 'path' | 'line'>) => boolean;
}

/**
 * The lines of the memory to put before a model that has not asked: only those that by themselves hold what the person
 * is talking about, and say something by themselves. None is the usual answer.
 *
 * @param messages the conversation, oldest first; what it holds already is not said again
 * @param options `limit` is the most lines, 2 unless told
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
  // What means the same in other words cannot be judged by its words.
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
  /** Whether it is what the person said last. */
  isLast: boolean;
}

class AnswerFinder implements Finder {
  /** What the person and the agent said, and the whole conversation. */
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
    const collection = new Collection(views.map((view) => wanted(view, this.#options.exclude)));
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

  /** Names that the person typed, and of errors that they pasted, that few passages hold; how rare each is, 0 to 1. */
  #rareNames(collection: Collection): Map<string, number> {
    const last = this.#messages.findLast(({ role }) => role === 'user');
    const rare = new Map<string, number>();
    const content = last?.content ?? '';
    const typed = identifiersOf(ownWords(content));
    const logged = identifiersOf(content).filter(isErrorName);
    for (const name of new Set([...typed, ...logged])) {
      const terms = wordsOf(name).map(stem);
      const rarity = Math.max(0, ...terms.map((term) => rarityOf(term, collection)));
      // `GitHub` is written like a name of code, and is on everybody's lips.
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

  /** Whether the conversation holds the line, or the agent has said nearly all of its words at once. */
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

/** What was said that may still be asked for: of an agent only what it asked last, for what it reported is done. */
function askedIn({ role, content }: Message): string {
  return role === 'assistant' ? (questionIn(content) ?? '') : ownWords(content);
}

/** How few passages hold a term: 1 for none, 0 for all of them. */
function rarityOf(term: string, collection: Collection): number {
  const most = Math.log(1 + Math.max(LEAST_PASSAGES, collection.passages));
  return 1 - Math.min(1, Math.log(1 + collection.holders(term)) / most);
}

function questionsOf(sentences: readonly Said[], collection: Collection): Question[] {
  return sentences.flatMap(({ text, weight, isLast }) => {
    // What ends in a colon announces what stands below it.
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
    return total === 0 ? [] : [{ values, total, isLast }];
  });
}

/** How well a line answers one of the questions, or tells of one of the names: 0 where it does not. */
function judge(
  text: string,
  questions: readonly Question[],
  names: ReadonlyMap<string, number>,
): { score: number; why: Reason[] } {
  const terms = termsOf(text);
  const held = new Set(terms);
  for (const [i, term] of terms.entries()) if (i > 0) held.add(`${terms[i - 1]} ${term}`);
  const ofNames = [...names].flatMap(([term, score]) => (isNamed(term, text) ? [{ term, score }] : []));
  // Of what code calls things the agent can search the code; of tickets and errors only the memory tells.
  let best = { score: sumOf(ofNames.filter(({ term }) => isErrorName(term))), why: [] as Reason[] };
  for (const { values, total, isLast } of questions) {
    const why = [...values].flatMap(([term, { value, words, alike }]) => {
      const score = value * shareHeld(term, alike, held);
      return score === 0 ? [] : [{ term: words, score }];
    });
    const sum = sumOf(why);
    // A pair makes its words tell more; it leaves no less of the sentence out.
    const words = why.filter(({ term }) => !term.includes(' '));
    const share = sumOf(words) / total;
    const telling = words.filter(({ score }) => score >= TELLING).length;
    const isWhole =
      isLast &&
      telling === 1 &&
      share >= LEAST_OF_WHOLE &&
      why.length >= 3 &&
      sumOf(words) >= LEAST_HELD_WHOLE;
    const covers = isWhole || (telling >= 2 && share >= LEAST_COVERED);
    const named = telling > 0 && share >= LEAST_BESIDE_NAME ? sumOf(ofNames) : 0;
    const score = (covers ? sum * Math.sqrt(share) : 0) + (named === 0 ? 0 : named + sum / 2);
    if ((isWhole || score >= LEAST_SCORE) && score > best.score) best = { score, why };
  }
  return { score: best.score, why: [...ofNames, ...best.why].sort((a, b) => b.score - a.score) };
}

function sumOf(parts: readonly Reason[]): number {
  return parts.reduce((sum, { score }) => sum + score, 0);
}

/** 1 when a line holds the term, less when it holds one that means the same. */
function shareHeld(term: string, alike: Asked['alike'], held: ReadonlySet<string>): number {
  if (held.has(term)) return 1;
  return Math.max(0, ...[...alike].map(([other, share]) => (held.has(other) ? share : 0)));
}
