import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import { splitWords } from '../base/text/prose.ts';
import { makeWordSet } from '../base/text/strings.ts';
import { ownSentences, ownWords } from '../transcript/pasted-text.ts';
import type { Message } from '../transcript/types.ts';
import { findSpellings } from './expand.ts';
import type { Collection } from './segment.ts';
import { findAlike, findSmallWords, isFitFor, isHowLong, listContentWords } from './small-words.ts';
import { extractTerms, extractWords, rateTerm, stem } from './terms.ts';

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

/** More sentences, or longer ones, are an essay and not a question. */
const MOST_SENTENCES = 4;
const LONGEST = 400;
/** Any question of at most this many words asks. */
const SHORT = 8;

const WHICH = makeWordSet(QUESTIONS.which);
/** The same in other languages; only with a question mark, because some are other words in English. */
const WHICH_ELSEWHERE = makeWordSet(QUESTIONS.elsewhere);
/** `do we`, `is the`, `should I`: a question by its verb, if one of these follows or a question mark ends it. */
const VERBS = makeWordSet(QUESTIONS.verbs);
const VERBS_ELSEWHERE = makeWordSet(QUESTIONS.verbsElsewhere);
const SUBJECTS = makeWordSet(QUESTIONS.subjects);
/** Words that go on from what was said, unless a question follows: `and which port is it?`. */
const ONWARD = makeWordSet(QUESTIONS.onward);
const GREETINGS = makeWordSet(QUESTIONS.greetings);
/** `at which time`, `en qué zona`, `ab welchem`: a short word may stand before the one that asks. */
const LONGEST_PREPOSITION = 6;

/** `remind me`, `not sure`: asks without a question word. */
const SEEKS = new RegExp(`\\b(?:${QUESTIONS.seeks.replaceAll(', ', '|')})\\b`);
/** Asks for work or an opinion, not for a fact. */
const REQUEST = new RegExp(`^(?:${QUESTIONS.requests.replaceAll(', ', '|')})\\b`);
/** After an introduction: "I am at the shop, which battery does it take?". */
const CLAUSE = /[,;:–—-]\s+(?=\S[^,;:]*[?？]$)/;

function findAskingSentences(message: string): string[] {
  const questions = ownSentences(message).flatMap((sentence) =>
    sentence.length > LONGEST ? [] : (extractAsked(sentence) ?? []),
  );
  return questions.slice(0, MOST_SENTENCES);
}

/** A sentence that asks, without what introduces the question. */
function extractAsked(sentence: string): string | undefined {
  const question = parseQuestion(sentence);
  const clause = sentence.split(CLAUSE).at(-1) ?? sentence;
  if (question !== undefined || clause === sentence) return question;
  return WHICH.has(splitWords(clause)[0] ?? '') ? parseQuestion(clause) : undefined;
}

function parseQuestion(sentence: string): string | undefined {
  const words = splitWords(sentence);
  const isMarked = /[?？]["')\]]*$/.test(sentence);
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
    (isMarked && words.length <= SHORT);

  return asks ? sentence : undefined;
}

/** A memory of more passages than this has lines about everything. */
const SMALL = 200;
/** A line is told if the words it holds weigh this part of those it lacks, and this much more. */
const OF_LACKED = { small: 0.3, large: 0.7 };
const BEYOND = 0.2;
/** The weight of a word that is all a line holds of a question: a name, or in a small memory the only word. */
const SINGLE = { name: 0.6, word: 0.75 };
/** A word held in a smaller share than this is no second word. */
const LEAST_HELD = 0.3;
/** What a word must be worth in talk to say which thing is meant. */
const TELLING = 0.5;
/** Weight of a word without significance in talk. */
const LEAST_WORTH = 0.2;
/** How much a word counts that stands above a line, in a title, a label or a table's header. */
const ABOVE = 0.8;
/** The same for a word that is said by another of its group. */
const ALIKE = 0.8;

export interface WeightedWord {
  word: string;
  weight: number;
  isName?: boolean;
  /** Whether a line without it, or another word for it, is about another thing. */
  isNeeded?: boolean;
  /** Whether the memory has it: a line without the most telling of these words is about another thing. */
  isKnown: boolean;
  /** How far a text holds it, 0 to 1. */
  share(text: string, terms: ReadonlySet<string>): number;
}

/** The words of a question by their weight: rarity in the memory times rarity in talk. A name is one word. */
export function weighWords({ text, names }: Question, collection: Collection): WeightedWord[] {
  const most = Math.log(1 + Math.max(SMALL, collection.passages));
  const weighWord = (word: string, whole = word): number => {
    const rarity = 1 - Math.min(1, Math.log(1 + collection.holders(stem(word))) / most);
    return (LEAST_WORTH + (1 - LEAST_WORTH) * rateTerm(stem(whole))) * rarity;
  };
  const proper = findProperNames(text);
  const isEnglish = findSmallWords(text) === undefined;
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
    })),
    ...alike.map(({ words, isIn }) => {
      const word = splitWords(text).find(isIn) ?? words;
      const share = (line: string): number => (isIn(line) ? ALIKE : 0);
      return {
        word,
        weight: weighWord(word),
        isNeeded: rateTerm(stem(word)) > TELLING,
        isKnown: false,
        share,
      };
    }),
    ...[...new Map(content.map((word) => [stem(word), word]))].map(([term, word]) => {
      const variants = findSpellings(term, collection);
      const share = (_: string, terms: ReadonlySet<string>): number =>
        terms.has(term) ? 1 : Math.max(0, ...variants.map((each) => (terms.has(each.term) ? each.share : 0)));

      const isKnown = collection.holders(term) > 0;
      // Of `mail` in `the mail server`, no line about another server.
      const isQualifier = isEnglish && content.some((next) => text.toLowerCase().includes(`${word} ${next}`));
      const isNeeded = !isKnown && variants.length === 0 && isQualifier && rateTerm(term) >= TELLING;

      return { word, weight: weighWord(word), isName: proper.has(word), isNeeded, isKnown, share };
    }),
  ];
}

/** Words in capitals within an English sentence, in lower case: `Stripe`, `Paris`. */
function findProperNames(text: string): ReadonlySet<string> {
  if (findSmallWords(text) !== undefined) return new Set();
  return new Set(
    [...text.matchAll(/(?<=[\p{Ll}\d,;]\s)\p{Lu}\p{Ll}[\p{L}\d]+/gu)].map(([word]) => word.toLowerCase()),
  );
}

export interface Verdict {
  text: string;
  /** Whether it is of the kind that the question asks for. */
  isFit: boolean;
  isAnswer: boolean;
  held: readonly WeightedWord[];
  score: number;
}

/**
 * How far a line holds the words of a question, and whether that answers it.
 *
 * @param above the titles and labels that it stands under
 */
export function judge(
  text: string,
  above: readonly string[],
  question: string,
  words: readonly WeightedWord[],
  passages: number,
): Verdict {
  const terms = new Set(extractTerms(text));
  const context = above.join(' ');
  const contextTerms = new Set(extractTerms(context));
  const own = words.map((word) => word.share(text, terms));
  const shares = words.map((word, at) => Math.max(own[at] ?? 0, ABOVE * word.share(context, contextTerms)));
  const heldWords = words.filter((_, at) => (shares[at] ?? 0) >= LEAST_HELD);
  const heldWeight = words.reduce((sum, { weight }, at) => sum + weight * (shares[at] ?? 0), 0);
  const lackedWeight = words.reduce((sum, { weight }) => sum + weight, 0) - heldWeight;
  const isFit = isFitFor(question, text);
  const isHeld = (term: string): boolean =>
    words.some(({ share }) => share(term, new Set([term])) >= LEAST_HELD);
  // `Canary: 20 min`, or `20 min` under that title: nothing else stands before the length.
  const isLength = isFit && isHowLong(question) && extractTerms(text.split(/\d/, 1)[0] ?? '').every(isHeld);
  const isSmall = passages <= SMALL;
  // Titles above a line say what it is about, not what it tells.
  const isOwn = isLength || own.some((share) => share >= LEAST_HELD);
  const isNamed = heldWords.some(({ word, isName }) => isName === true || isCodeName(word));
  // One word of several is no relation, unless it is a name.
  const isEnough =
    isLength ||
    heldWords.length > 1 ||
    (isNamed && heldWeight >= SINGLE.name) ||
    (isSmall && words.length === 1 && heldWeight >= SINGLE.word);
  const limit = (isSmall || isNamed ? OF_LACKED.small : OF_LACKED.large) * lackedWeight + BEYOND;
  const score = heldWeight + (isLength ? BEYOND : 0);
  const heaviest = Math.max(...heldWords.map(({ weight }) => weight));
  const isOfAnother = words.some(
    ({ isName, isNeeded, isKnown, weight }, at) =>
      (shares[at] ?? 0) < LEAST_HELD &&
      (isName || (isNeeded && !isLength) || (isKnown && weight >= heaviest)),
  );
  const isAnswer = isFit && isOwn && isEnough && !isOfAnother && score >= limit;

  return { text, isFit, isAnswer, held: heldWords, score };
}

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
  token.startsWith('`') || CODE.test(token.replace(/[./-]+$/, ''));

/** The names in a text, as written, without repeats; a path by its last part. */
function extractNames(text: string): string[] {
  const tokens = text.slice(0, READ_CHARACTERS).replace(ADDRESS, ' ').match(TOKEN) ?? [];
  const names = tokens
    .filter(isCodeName)
    .map((token) => token.replace(/`|[().,;:/-]+`?$/g, '').replace(/^.*\/(?=.)/, ''));
  return [...new Set(names)].filter((name) => name.length > 3 && name !== 'REDACTED').slice(0, MOST_NAMES);
}

function isNamed(identifier: string, text: string): boolean {
  const [where, what] = [text.toLowerCase(), identifier.toLowerCase()];
  const isWord = (at: number): boolean => /[a-z0-9_]/.test(where.charAt(at));
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1))
    if (!isWord(at - 1) && !isWord(at + what.length)) return true;
  return false;
}
