import RULE from '../../models/answers.json' with { type: 'json' };
import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import { splitWords } from '../base/text/prose.ts';
import { makeAlternation, makeWordSet } from '../base/text/strings.ts';
import { ownSentences, ownWords } from '../transcript/pasted-text.ts';
import type { Message } from '../transcript/types.ts';
import { findSpellings, findSynonyms } from './expand.ts';
import type { Sibling } from './read.ts';
import type { Collection } from './segment.ts';
import {
  findAlike,
  findSmallWords,
  hasMomentBeside,
  isAskingElse,
  isAskingInside,
  isFitFor,
  isHowLong,
  isLackingPossessed,
  listContentWords,
  listSubjectWords,
  namesOther,
} from './small-words.ts';
import { extractTerms, extractWords, rateTerm, stem } from './terms.ts';
import type { Variant } from './types.ts';

export interface Question {
  text: string;
  names: readonly string[];
}

/** What the last message asks, and the errors that it shows: a pasted log asks about them. */
export function findQuestions(messages: readonly Message[]): Question[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [];

  const questions = findAskingSentences(last.content).map((text) => ({ text, names: extractNames(text) }));
  const own = new Set(extractNames(ownWords(last.content)));
  const pasted = extractNames(last.content).filter((name) => ERROR.test(name) && !own.has(name));

  return [...questions, ...pasted.map((name) => ({ text: name, names: [name] }))];
}

const MOST_SENTENCES = 4;
const LONGEST = 400;
const SHORT = 8;

const WHICH = makeWordSet(`${QUESTIONS.which} ${QUESTIONS.scripts}`);
/** The same in other languages; some are other words in English, and ask with a question mark alone. */
const WHICH_ELSEWHERE = makeWordSet(QUESTIONS.elsewhere);
const NOT_ALONE = makeWordSet(QUESTIONS.notAlone);
/** `do we`, `is the`, `should I`: a question by its verb, if one of these follows or a question mark ends it. */
const VERBS = makeWordSet(QUESTIONS.verbs);
const VERBS_ELSEWHERE = makeWordSet(QUESTIONS.verbsElsewhere);
const SUBJECTS = makeWordSet(QUESTIONS.subjects);
/** Verbs of questions in other languages that name nothing: `wird gefunden`, `se guarda`. */
const COMMON_ELSEWHERE = makeWordSet(QUESTIONS.commonElsewhere);
/** Words that go on from what was said, unless a question follows: `and which port is it?`. */
const ONWARD = makeWordSet(QUESTIONS.onward);
const GREETINGS = makeWordSet(QUESTIONS.greetings);
/** `at which time`, `en qué zona`, `ab welchem`: a short word may stand before the one that asks. */
const LONGEST_PREPOSITION = 6;

/** `remind me`, `not sure`: asks without a question word. */
const SEEKS = new RegExp(`\\b${makeAlternation(QUESTIONS.seeks)}\\b`);
const REQUEST = new RegExp(`^${makeAlternation(QUESTIONS.requests)}\\b`);
/** After an introduction: "I am at the shop, which battery does it take?". */
const CLAUSE = /[,;:–—-]\s+(?=\S[^,;:]{0,400}[?？]$)/;

function findAskingSentences(message: string): string[] {
  const sentences = ownSentences(message).flatMap((sentence) => sentence.split(/(?<=[。！？])(?=\S)/));
  const short = sentences.filter((sentence) => sentence.length <= LONGEST);
  return short.flatMap((sentence) => extractAsked(sentence) ?? []).slice(0, MOST_SENTENCES);
}

function extractAsked(sentence: string): string | undefined {
  const question = parseQuestion(sentence);
  const clause = sentence.split(CLAUSE).at(-1) ?? sentence;
  if (question !== undefined || clause === sentence) return question;
  return WHICH.has(splitWords(clause)[0] ?? '') ? parseQuestion(clause) : undefined;
}

function parseQuestion(sentence: string): string | undefined {
  const words = splitWords(sentence);
  const isMarked = /[?？؟]["')\]]*$|\p{Script=Greek};$/u.test(sentence);
  while (GREETINGS.has(words[0] ?? '')) words.shift();
  if (ONWARD.has(words[0] ?? '')) {
    if (!isMarked || !WHICH.has(words[1] ?? '')) return undefined;
    words.shift();
  }

  const [first = '', second = ''] = words;
  const text = words.join(' ');

  if (REQUEST.test(text)) return undefined;

  const isWhich = (word: string): boolean => WHICH.has(word) || WHICH_ELSEWHERE.has(word);
  const asks =
    WHICH.has(first) ||
    (isMarked && (isWhich(first) || (first.length <= LONGEST_PREPOSITION && isWhich(second)))) ||
    (VERBS.has(first) && (isMarked || SUBJECTS.has(second))) ||
    (isMarked && VERBS_ELSEWHERE.has(first)) ||
    SEEKS.test(text) ||
    isAskingInside(sentence) ||
    (words.length <= SHORT && (isMarked || asksAlone(sentence, words)));

  return asks ? sentence : undefined;
}

/** `gdzie jest kopia`, `yedek nerede`: without a question mark, by words that are none in English. */
const asksAlone = (sentence: string, words: readonly string[]): boolean =>
  !/[,;:.!]/.test(sentence) &&
  [words[0], words.at(-1)].some((word = '') => WHICH_ELSEWHERE.has(word) && !NOT_ALONE.has(word));

/** A memory of more passages than this has lines about everything. */
const SMALL = 200;
const LEAST_HELD = 0.3;
const TELLING = 0.5;
const LEAST_WORTH = 0.2;
/** How much a word counts that stands above a line, in a title, a label or a table's header. */
const ABOVE = 0.8;
const ALIKE = 0.8;
/** More similar words, or a greater weight of words that the memory lacks, say no more. */
const MOST_SIMILAR = 4;
const MOST_ABSENT = 2;

interface WeightedWord {
  word: string;
  weight: number;
  isName?: boolean;
  /** Whether a line without it, or another word for it, is about another thing. */
  isNeeded?: boolean;
  isKnown: boolean;
  /** The word that it is before, if the memory lacks it: a line about that word alone is about another thing. */
  head?: string | undefined;
  share(text: string, terms: ReadonlySet<string>): number;
  synonyms: readonly Variant[];
}

/** The words of a question by their weight: rarity in the memory times rarity in talk. A name is one word. */
export function weighWords({ text, names }: Question, collection: Collection): WeightedWord[] {
  const most = Math.log(1 + Math.max(SMALL, collection.passages));
  const isEnglish = findSmallWords(text) === undefined;
  const proper = isEnglish ? findProperNames(text) : new Set();
  const weighWord = (word: string, whole = word): number => {
    const rarity = 1 - Math.min(1, Math.log(1 + collection.holders(stem(word))) / most);
    // Most talk hopes, but `Hope` is a person.
    const significance = proper.has(whole) ? 1 : rateTerm(stem(whole));
    const worth = !isEnglish && COMMON_ELSEWHERE.has(word) ? 0 : significance;
    return (LEAST_WORTH + (1 - LEAST_WORTH) * worth) * rarity;
  };
  const heads = isEnglish ? findHeads(text) : undefined;
  const alike = findAlike(text);
  const rest = text.replace(ADDRESS, ' ').replace(TOKEN, (token) => (isCodeName(token) ? ' ' : token));
  const grouped = new Set(alike.flatMap(({ words }) => extractWords(words)));
  const content = listContentWords(rest).filter((word) => !grouped.has(word));

  return [
    ...names.map((name) => ({
      word: name,
      isName: true,
      isKnown: true,
      // `GitHub` looks like a name from code, but is a common word. A name is as rare as its rarest part.
      weight: Math.max(0, ...extractWords(name).map((word) => weighWord(word, name.toLowerCase()))),
      share: (line: string) => (isNamed(name, line) ? 1 : 0),
      synonyms: [],
    })),
    ...alike.map(({ words, isIn }) => {
      const word = splitWords(text).find(isIn) ?? words;
      const share = (line: string): number => (isIn(line) ? ALIKE : 0);
      const isNeeded = rateTerm(stem(word)) > TELLING;

      return { word, weight: weighWord(word), isNeeded, isKnown: false, share, synonyms: [] };
    }),
    ...[...new Map(content.map((word) => [stem(word), word]))].map(([term, word]) => {
      const variants = findSpellings(term, collection);
      const share = (_: string, terms: ReadonlySet<string>): number =>
        terms.has(term) ? 1 : Math.max(0, ...variants.map((each) => (terms.has(each.term) ? each.share : 0)));

      const isKnown = collection.holders(term) > 0;

      return {
        word,
        weight: weighWord(word),
        isName: proper.has(word),
        isKnown,
        head: isKnown || variants.length > 0 ? undefined : heads?.get(word),
        share,
        synonyms: findSynonyms(term, collection),
      };
    }),
  ];
}

const isYesOrNo = (question: string): boolean => VERBS.has(splitWords(question)[0] ?? '');

/** Words in capitals within an English sentence, in lower case: `Stripe`, `Paris`; `does it need TLS?` is about TLS. */
function findProperNames(text: string): ReadonlySet<string> {
  const any = /(?<=[\p{L}\d,;]\s)\p{Lu}[\p{L}\d]+/gu;
  const names = isYesOrNo(text) ? any : /(?<=[\p{Ll}\d,;]\s)\p{Lu}\p{Ll}[\p{L}\d]+/gu;
  return new Set(text.match(names)?.map((word) => word.toLowerCase()));
}

/** What telling words of an English sentence are said of: of `mail` in `the mail server` it is `server`. */
function findHeads(text: string): ReadonlyMap<string, string> {
  const content = new Set(listContentWords(text));
  const pairs = text.toLowerCase().matchAll(/(?<![\p{L}\d])(\p{L}+)(?=\s+(\p{L}+))/gu);
  return new Map(
    [...pairs].flatMap(([, first = '', second = '']) =>
      content.has(first) && content.has(second) && rateTerm(stem(first)) >= TELLING ? [[first, second]] : [],
    ),
  );
}

/** What speaks for a line as an answer; `models/answers.json` has a weight for each. */
export type Evidence = Record<keyof typeof RULE.weights, number>;

export interface Verdict {
  text: string;
  held: readonly WeightedWord[];
  score: number;
  evidence: Evidence;
  /** Log-odds that it answers, less those that are required: it is told above 0. */
  odds: number;
}

/**
 * How likely a line answers a question, by the rule that `scripts/train/answers.ts` fits: a logistic regression on
 * questions to real memories and on work prompts. Undefined for a line about another thing.
 *
 * @param above the titles and labels that the line stands under
 * @param lead how far its rank score is ahead of the next passage's, -1 to 1
 */
export function judge(
  text: string,
  above: readonly string[],
  question: string,
  words: readonly WeightedWord[],
  { lead, passages, siblings }: { lead: number; passages: number; siblings: () => readonly Sibling[] },
): Verdict | undefined {
  const terms = new Set(extractTerms(text));
  const context = above.join(' ');
  const contextTerms = new Set(extractTerms(context));
  const own = words.map((word) => word.share(text, terms));
  const shares = words.map((word, at) => Math.max(own[at] ?? 0, ABOVE * word.share(context, contextTerms)));
  const isHeld = (_: WeightedWord, at: number): boolean => (shares[at] ?? 0) >= LEAST_HELD;
  const isSimilar = ({ synonyms }: WeightedWord): boolean =>
    synonyms.some(({ term, share }) => terms.has(term) && ALIKE * share >= LEAST_HELD);
  const held = words.filter(isHeld);
  const lacked = words.filter((word, at) => !isHeld(word, at));
  const score = sumWeights(words, shares);

  // `Canary: 20 min`, or `20 min` under that title: nothing else stands before the length.
  const isFit = isFitFor(question, text);
  const isAsked = (word: string): boolean =>
    words.some(({ share }) => share(word, new Set([stem(word)])) >= LEAST_HELD);
  const isLength = isFit && isHowLong(question) && extractTerms(text.split(/\d/, 1)[0] ?? '').every(isAsked);
  const subject = isFit ? listSubjectWords(question, text) : undefined;
  const telling = lacked.filter(({ word }) => rateTerm(stem(word)) >= TELLING);
  const isOfSubject =
    subject !== undefined && subject.length > 0 && subject.every(isAsked) && telling.length === 0;
  // `does Kong scale?` asks about scaling, and a line that lacks it is about Kong alone.
  const isOfOther =
    isYesOrNo(question) &&
    held.length === 1 &&
    !isCodeName(held[0]?.word ?? '') &&
    lacked.some((word) => word === words.at(-1) && !isSimilar(word));
  const isSmall = passages <= SMALL;
  const evidence: Evidence = {
    two: isLength || isOfSubject || held.length > 1 ? 1 : 0,
    similar: Math.min(MOST_SIMILAR, words.filter((word, at) => isHeld(word, at) || isSimilar(word)).length),
    name: held.some(({ isName }) => isName) ? 1 : 0,
    lead,
    passages: Math.log(1 + passages),
    small: isSmall ? 1 : 0,
    whole: isSmall && (isOfSubject || held.length > 1) && lacked.every(({ isKnown }) => !isKnown) ? 1 : 0,
    absent: Math.min(MOST_ABSENT, sumWeights(lacked.filter(({ isKnown }) => !isKnown))),
    heaviest: Math.max(0, ...words.map(({ weight }, at) => weight * (shares[at] ?? 0))),
    own: isLength ? 1 : Math.max(0, ...own),
  };
  // Titles above a line say what it is about, not what it tells.
  const isOwn = evidence.own > 0 || words.some(isSimilar);
  const isOfAnother = lacked.some(
    ({ isName, isNeeded, head }) =>
      isName || (isNeeded && !isLength) || held.some(({ word }) => word === head),
  );
  const unknown = lacked.filter((word) => !word.isKnown && !isSimilar(word));
  const isElse = isAskingElse(words, unknown, held.length) || isLackingPossessed(question, words, lacked);
  if (
    !isFit ||
    !hasMomentBeside(question, text, (part) => extractWords(part).some(isAsked)) ||
    !isOwn ||
    isOfAnother ||
    isOfOther ||
    isElse ||
    namesOther(question, text, context)
  )
    return undefined;

  const odds = Object.entries(RULE.weights).reduce(
    (sum, [name, weight]) => sum + weight * evidence[name as keyof typeof evidence],
    RULE.bias,
  );

  const names = (list: readonly WeightedWord[], name: string): boolean =>
    list.some(({ share }) => share(name, new Set(extractTerms(name))) > 0);
  // `Staging: port 5433` says nothing of production, if a line beside it is about that.
  const isOfSibling =
    odds > 0 &&
    siblings().some(
      ({ name, others }) => !names(held, name) && others.some((other) => names(telling, other)),
    );

  return isOfSibling ? undefined : { text, held, score, evidence, odds };
}

const sumWeights = (words: readonly WeightedWord[], shares?: readonly number[]): number =>
  words.reduce((sum, { weight }, at) => sum + weight * (shares?.[at] ?? 1), 0);

/** An address on the web matches as a whole or not at all, as names do: their parts are not words. */
const ADDRESS = /\bhttps?:\/\/\S+/g;
const TOKEN = /`[^`\s]{3,80}`|[\w@~+./-]{4,300}/g;
/** `getUser`, `get_user`, `login.ts`, `~/.kube/lab`, `--local-dev`, `ENT-216`, `TS2345`, `ECONNREFUSED`. */
const CODE = /[a-z\d][A-Z]|[A-Za-z]_|\w{2}\.[a-z]\w{0,7}$|^[~.]{0,2}\/.|^--[a-z]|^[A-Z]+-?\d|^[A-Z]{6,}$/;
const ERROR = /(?:Error|Exception|Failure|Fault|Warning)$|^E[A-Z]{4,}$|^[A-Z]{1,9}-?\d{3,6}$/;
/** Limits per message, because a log contains countless names. */
const MOST_NAMES = 12;
const READ_CHARACTERS = 20_000;

/** Whether a word refers to one specific thing, as names from code do; what stands between backticks does. */
const isCodeName = (token: string): boolean =>
  token.startsWith('`') || CODE.test(token.replace(/(?<![./-])[./-]+$/, ''));

function extractNames(text: string): string[] {
  const tokens = text.slice(0, READ_CHARACTERS).replace(ADDRESS, ' ').match(TOKEN) ?? [];
  const names = tokens
    .filter(isCodeName)
    .map((token) => token.replace(/`|(?<![().,;:/-])[().,;:/-]+`?$/g, '').replace(/^.*\/(?=.)/, ''));
  return [...new Set(names)].filter((name) => name.length > 3 && name !== 'REDACTED').slice(0, MOST_NAMES);
}

function isNamed(identifier: string, text: string): boolean {
  const [where, what] = [text.toLowerCase(), identifier.toLowerCase()];
  const isWord = (at: number): boolean => /[a-z0-9_]/.test(where.charAt(at));
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1))
    if (!isWord(at - 1) && !isWord(at + what.length)) return true;
  return false;
}
