import { wordSet } from '../base/text/strings.ts';
import { ownSentences } from '../transcript/hearing.ts';
import type { Message } from '../transcript/types.ts';
import type { Collection } from './segment.ts';
import { stem, termsOf, wordsOf, worthOf } from './terms.ts';

/** The sentences of the last message that ask. */
export function questionsIn(messages: readonly Message[]): string[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [];
  const asked = ownSentences(last.content).flatMap((sentence) =>
    sentence.length > LONGEST ? [] : (askedIn(sentence) ?? []),
  );
  return asked.slice(0, MOST_SENTENCES);
}

/** More sentences, or longer ones, are an essay and not a question. */
const MOST_SENTENCES = 4;
const LONGEST = 400;
/** Any question of at most this many words asks. */
const SHORT = 8;

const WHICH = wordSet('what whats which who whos whose whom when whens where wheres why how hows');
/** The same in other languages; only with a question mark, because some are other words in English. */
const WHICH_ELSEWHERE = wordSet(`
was wer wo wann wie warum wieso welche welcher welches welchen welchem wem wen wessen woher wohin wieviel wieviele
qué quién quiénes dónde cuándo cómo cuál cuáles cuánto cuánta cuántos cuántas
que qui quoi où quand comment pourquoi quel quelle quels quelles combien
quem onde quando como qual quais quanto quanta quantos quantas
chi dove perché quale quali wat waar wanneer hoe waarom welk
`);
/** Words of those languages that name nothing. */
const SMALL_ELSEWHERE = wordSet(`
der die das den dem des ein eine einen einem einer von vom zu zum zur im in am an auf mit für und ist sind wir unser
unsere el la los las un una unos de del en al por para con y es son está están hay le les du au aux dans sur avec pour
et est sont notre nos o os a as um uma do da dos no na em com e é são il lo gli di della che nel per het een van op met
`);
/** `do we`, `is the`, `should I`: a question by its verb, if one of these follows or a question mark ends it. */
const VERBS = wordSet('do does did is are was were has have had should can could may');
const SUBJECTS = wordSet('i we you they he she it there the our my any a an this that these those');
/** Words that go on from what was said, unless a question follows: `and which port is it?`. */
const ONWARD = wordSet('and or but so if then because also');
const GREETINGS = wordSet('hi hey hello ok okay please well hm hmm quick question again now');

const SEEKS = /\b(?:remind me|not sure|forgot|looking for)\b/;
/** Asks for work or an opinion, not for a fact. */
const REQUEST =
  /^(?:(?:can|could|would|will) you|(?:can|could|shall) we|let'?s|(?:what if|what about|how about|why (?:don'?t|not)))\b/;
/** After an introduction: "I am at the shop, which battery does it take?". */
const CLAUSE = /[,;:–—-]\s+(?=\S[^,;:]*[?？]$)/;

/** A sentence that asks, without what introduces the question. */
function askedIn(sentence: string): string | undefined {
  const asked = questionOf(sentence);
  const clause = sentence.split(CLAUSE).at(-1) ?? sentence;
  if (asked !== undefined || clause === sentence) return asked;
  return WHICH.has(wordsIn(clause)[0] ?? '') ? questionOf(clause) : undefined;
}

function questionOf(sentence: string): string | undefined {
  const words = wordsIn(sentence);
  const isMarked = /[?？]["')\]]*$/.test(sentence);
  while (GREETINGS.has(words[0] ?? '')) words.shift();
  if (ONWARD.has(words[0] ?? '')) {
    if (!isMarked || !WHICH.has(words[1] ?? '')) return undefined;
    words.shift();
  }
  const [first = '', second = ''] = words;
  const text = words.join(' ');
  if (REQUEST.test(text)) return undefined;
  if (isMarked && WHICH_ELSEWHERE.has(first) && !VERBS.has(second))
    return words.filter((word) => !SMALL_ELSEWHERE.has(word) && !WHICH_ELSEWHERE.has(word)).join(' ');
  const isByVerb = first === 'shall' || VERBS.has(first);
  const asks =
    WHICH.has(first) ||
    (isByVerb && (isMarked || SUBJECTS.has(second))) ||
    SEEKS.test(text) ||
    (isMarked && words.length <= SHORT);
  return asks ? sentence : undefined;
}

/** Words in lower case, without marks around them. */
function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_./-]*/gu) ?? [];
}

/** A line is said if the words it holds weigh this part of those it lacks, and this much more. */
const OF_LACKED = 0.5;
const BEYOND = 0.2;
/** The weight of a word that is all a line holds of a question. */
const SINGLE = 0.7;
/** A memory of more passages than this has lines about everything: a line must hold two words and weigh more. */
const SMALL = 200;
const OF_LACKED_LARGE = 1;
const BEYOND_LARGE = 0.3;
/** Weight of a word without significance in talk. */
const LEAST_WORTH = 0.2;

/** A word of a question, and what it weighs. */
export interface Weighed {
  word: string;
  term: string;
  weight: number;
}

/** The words of a question by their weight: rarity in the memory times rarity in talk. */
export function weighed(question: string, collection: Collection): Weighed[] {
  const most = Math.log(1 + Math.max(SMALL, collection.passages));
  const words = new Map(wordsOf(question.replace(ADDRESS, ' ')).map((word) => [stem(word), word]));
  return [...words].map(([term, word]) => {
    const rarity = 1 - Math.min(1, Math.log(1 + collection.holders(term)) / most);
    return { word, term, weight: (LEAST_WORTH + (1 - LEAST_WORTH) * worthOf(term)) * rarity };
  });
}

export interface Verdict {
  text: string;
  isAnswer: boolean;
  held: readonly Weighed[];
  score: number;
}

/** How far a line holds the words of a question, and whether that answers it. */
export function judge(text: string, words: readonly Weighed[], passages: number): Verdict {
  const terms = new Set(termsOf(text));
  const held = words.filter(({ term }) => terms.has(term));
  const has = sumOf(held);
  const lacks = sumOf(words) - has;
  const isLarge = passages > SMALL;
  const needed = isLarge ? OF_LACKED_LARGE * lacks + BEYOND_LARGE : OF_LACKED * lacks + BEYOND;
  const isAnswer = has >= needed && (held.length > 1 || (!isLarge && has >= SINGLE));
  return { text, isAnswer, held, score: has };
}

const sumOf = (words: readonly Weighed[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

export function isSameWords({ held: a }: Verdict, { held: b }: Verdict): boolean {
  return a.length === b.length && a.every((word) => b.includes(word));
}

/** The parts of an address on the web are not words. */
const ADDRESS = /\bhttps?:\/\/\S+/g;
