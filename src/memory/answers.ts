import { ownWords } from '../hearing/own-words.ts';
import { resolved } from '../hearing/pointing.ts';
import { questionIn } from '../hearing/question.ts';
import { stem } from '../text/stem.ts';
import type { Message } from '../transcript/types.ts';
import { Collection, type SegmentView } from './collection.ts';
import { wantsOf } from './cues.ts';
import { spansOf } from './dates.ts';
import { Distinct, HitReader } from './hits.ts';
import { identifiersOf, isErrorName } from './identifiers.ts';
import { judge, type Question, questionsOf, rarityOf, reasonOfSilence, type Verdict } from './judge.ts';
import { formulate } from './query.ts';
import { rank } from './rank.ts';
import { type Finder, searchMemory, searchWith, yearsOf } from './search.ts';
import { inCode, isReport, standsAlone, statementsOf } from './statement.ts';
import { termsOf, wordsOf } from './terms.ts';
import type { MemoryAnswer, MemoryHit, MemoryOptions, Ranked } from './types.ts';
import { worthOf } from './words.ts';

/** How many files are read while there is no index: about 100 ms. */
const FIRST_FILES = 1000;
/** Number of passages checked per query. */
const CANDIDATES = 30;
/** A name must be this rare in the memory, 0 to 1, to be searched on its own. */
const RARE_NAME = 0.55;
const RARE_IN_TALK = 0.75;
/** Files that somebody keeps by hand, as long as they are short: each line is a fact worth remembering. */
const KEPT = /^(?:MEMORY|USER)\.md$/;
const MOST_KEPT = 200;
/** A further line must reach this share of the best score. */
const NEAR_BEST = 0.5;
/** A line that is farther than this from what was asked is not worth explaining. */
const LEAST_NEAR = 0.1;
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
): Promise<MemoryAnswer & { heldBack?: HeldBack }> {
  const { limit = 2, embeddings } = options;
  if (embeddings === undefined || embeddings.provider === 'off') {
    let finder = new AnswerFinder(messages, limit, options);
    // Without a usable index the search starts again.
    const start = (): Finder => {
      finder = new AnswerFinder(messages, limit, options);
      return finder;
    };
    const mostFiles = options.background && options.index !== 'off' ? { mostFiles: FIRST_FILES } : {};
    const answer = await searchWith(start, { ...options, ...mostFiles });
    const { heldBack } = finder;
    return heldBack === undefined ? answer : { ...answer, heldBack };
  }
  // A match by meaning cannot be judged by its words.
  const answer = await searchMemory({ messages }, { ...options, limit: CANDIDATES });
  const hits = answer.hits.filter(
    (hit) =>
      statementsOf(hit.text)[0] === hit.text && standsAlone(hit.text) && options.isUnwanted?.(hit) !== true,
  );
  return { ...answer, hits: hits.slice(0, limit) };
}

/** The line that came closest to being said, and why it was not, in words. */
export interface HeldBack {
  hit: MemoryHit;
  reason: string;
}

interface Judged {
  hit: MemoryHit;
  verdict: Verdict;
}

class AnswerFinder implements Finder {
  /** The messages of person and agent, and the whole conversation. */
  readonly #messages: readonly Message[];
  readonly #all: readonly Message[];
  readonly #limit: number;
  readonly #options: AnswerOptions;
  #reader: HitReader;
  asked = '';
  heldBack: HeldBack | undefined;

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

  hits(views: readonly SegmentView[], isFresh: (segment: unknown) => boolean): MemoryHit[] {
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
    const judged = new Map<string, Judged>();
    const rejected: Judged[] = [];
    for (const each of ranked) {
      const passage = this.#reader.read(each, isFresh);
      if (passage === undefined) continue;
      for (const text of statementsOf(passage.text)) {
        const verdict = judge(text, questions, names, isKept(each));
        const { score, why } = verdict;
        const answer = { hit: { ...passage, text, score, why }, verdict };
        // Judged first: of most lines that are looked at no more has to be known.
        if (score > 0 && this.#objection(answer.hit) === undefined)
          judged.set(`${passage.path}:${passage.line}:${text}`, answer);
        else rejected.push(answer);
      }
    }
    const best = [...judged.values()].sort((a, b) => b.hit.score - a.hit.score);
    const distinct = new Distinct(this.#options.alreadyShown);
    const least = (best[0]?.hit.score ?? 0) * NEAR_BEST;
    const fit = best.filter(({ hit }) => hit.score >= least && distinct.add(hit.text));
    const said = new Set(fit.slice(0, this.#limit));
    this.heldBack = this.#heldBack([...best.filter((each) => !said.has(each)), ...rejected], fit);
    return [...said].map(({ hit }) => hit);
  }

  /** The line that came closest to being said, and why it was not. */
  #heldBack(unsaid: readonly Judged[], fit: readonly Judged[]): HeldBack | undefined {
    const closest = (a: Judged, b: Judged): Judged => (b.verdict.near.score > a.verdict.near.score ? b : a);
    const [first, ...others] = unsaid;
    if (first === undefined) return undefined;
    const nearest = others.reduce(closest, first);
    if (nearest.verdict.near.score < LEAST_NEAR) return undefined;
    const { hit, verdict } = nearest;
    if (verdict.score === 0) return { hit, reason: reasonOfSilence(verdict) };
    const isLess = fit.includes(nearest) ? 'another line fits the prompt better' : undefined;
    const reason = this.#objection(hit) ?? isLess ?? 'the notes, the plan or a better line say the same';
    return { hit, reason };
  }

  /** What speaks against a line that answers the prompt. */
  #objection(hit: MemoryHit): string | undefined {
    if (this.#options.isUnwanted?.(hit) === true) return 'a task that is done, replaced or told as an alert';
    if (!standsAlone(hit.text)) return 'does not make sense by itself';
    if (this.#isKnown(hit.text)) return 'the conversation contains it already';
    if (isReport(hit.headings)) return 'under a heading that reports completed work';
    if (inCode(this.#reader.linesOf(hit.path), hit.line)) return 'part of code, a table or a heading';
    return undefined;
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

/** Whether a line is from a file that somebody keeps by hand. */
function isKept({ view: { segment }, file }: Ranked): boolean {
  const passages = (segment.starts[file + 1] ?? 0) - (segment.starts[file] ?? 0);
  return passages <= MOST_KEPT && KEPT.test(segment.file(file).path);
}
