import { stem } from '../text/stem.ts';
import type { Collection } from './collection.ts';
import { wantsOf } from './cues.ts';
import { isErrorName, isNamed, withoutReferences } from './identifiers.ts';
import type { SaidSentence } from './query.ts';
import { rolesOf, shareHeld, subjectScore, TELLING, type WordRole } from './subject.ts';
import { termsOf, wordsOf } from './terms.ts';
import type { Reason } from './types.ts';
import { worthOf } from './words.ts';

/** A sentence counts as a question if later text leaves this much of its weight. */
const IN_FORCE = 0.3;
/** A line must contain this share of a sentence's information, counted by single words, and two significant ones. */
const LEAST_COVERED = 0.65;
/** Requirement with only one significant word, to exclude phrases. */
const LEAST_OF_WHOLE = 0.9;
/** Requirement for a line that also contains a name typed by the person. */
const LEAST_BESIDE_NAME = 0.4;
/**
 * The required total, worth two or three significant words; less if the line contains nearly all of the last
 * message.
 */
const LEAST_SCORE = 1.3;
const LEAST_HELD_WHOLE = 0.8;
/** The same for a question that begins with a question word. */
const LEAST_ASKED = 0.35;
const QUESTION =
  /^\W*(?:(?:and|so|ok|but|again|hey|now)\W+)*(?:which|what|when|where|who|whom|whose|how (?:much|many|long|often))\b.*\?\W*$/i;
/** Share of the whole message's information, for the same. */
const LEAST_OF_MESSAGE = 0.2;
/** Share of a sentence's information that a name must be for a line kept by hand to be about it. */
const LEAST_NAME = 0.35;
/** Smaller memories are treated as this large, because in ten lines every word is common. */
const LEAST_PASSAGES = 500;
/** Minimum value of a word: `run the tests` may be in the memory in just these words. */
const LEAST_WORTH = 0.1;
/** Value of two neighbouring words such as `cpu tag`, relative to the rarer one. */
const PAIR = 0.5;

/** What is asked for by one term, or by two beside each other. */
export interface Asked {
  /** How much it tells. */
  value: number;
  /** As it was written. */
  words: string;
  /** Terms that mean the same, with how nearly. */
  alike: ReadonlyMap<string, number>;
  /** What the word does in the sentence, if that matters. */
  role?: WordRole;
  /** Whether the memory is full of it. */
  isUsual?: true;
}

const NONE: Asked['alike'] = new Map();

/** What one sentence asks for, by its terms and its pairs of neighbouring terms. */
export interface Question {
  text: string;
  values: ReadonlyMap<string, Asked>;
  total: number;
  /** How much later text leaves of it, 0 to 1: what is asked now comes before what was asked a while ago. */
  weight: number;
  /** Whether it is the person's last message. */
  isLast: boolean;
  /** Whether it asks for an amount or a time. */
  wantsFigure: boolean;
}

/** So many passages, and this part of all, make a word an everyday one of the memory: it is nobody's subject. */
const USUAL = 2;
const USUAL_PART = 40;

/** Rarity of a term: 1 if no passage contains it, 0 if all do. */
export function rarityOf(term: string, collection: Collection): number {
  const most = Math.log(1 + Math.max(LEAST_PASSAGES, collection.passages));
  return 1 - Math.min(1, Math.log(1 + collection.holders(term)) / most);
}

export function questionsOf(sentences: readonly SaidSentence[], collection: Collection): Question[] {
  return sentences.flatMap(({ text, weight, isLast }) => {
    // A sentence that ends in a colon only introduces what follows.
    if (weight < IN_FORCE || /[:：]\s*$/.test(text)) return [];
    const values = new Map<string, Asked>();
    const roles = rolesOf(text);
    let before: { term: string; word: string; worth: number; rarity: number } | undefined;
    for (const word of wordsOf(withoutReferences(text))) {
      const term = stem(word);
      const [worth, rarity, role] = [worthOf(term), rarityOf(term, collection), roles.get(term)];
      const value = (LEAST_WORTH + (1 - LEAST_WORTH) * worth) * rarity;
      const isUsual = collection.holders(term) > USUAL + collection.passages / USUAL_PART;
      const about = { ...(role && { role }), ...(isUsual && { isUsual: true as const }) };
      values.set(term, { value, words: word, alike: NONE, ...about });
      if (before !== undefined && before.term !== term) {
        const value = PAIR * Math.max(worth, before.worth) * Math.max(rarity, before.rarity);
        values.set(`${before.term} ${term}`, { value, words: `${before.word} ${word}`, alike: NONE });
      }
      before = { term, word, worth, rarity };
    }
    const total = [...values].reduce((sum, [term, { value }]) => sum + (term.includes(' ') ? 0 : value), 0);
    const { asksWhen, asksNumber } = wantsOf(text);
    return total === 0 ? [] : [{ text, values, total, weight, isLast, wantsFigure: asksWhen || asksNumber }];
  });
}

/** How well a line answers one of the questions, or explains one of the names. */
export interface Verdict {
  /** 0 if it does not. */
  score: number;
  why: Reason[];
  /** The closest question, for a line that is held back. */
  near: { score: number; share: number; words: readonly string[] };
}

/** @param isKept whether the line is from a memory that somebody keeps by hand */
export function judge(
  text: string,
  questions: readonly Question[],
  names: ReadonlyMap<string, number>,
  isKept: boolean,
): Verdict {
  const terms = termsOf(text);
  const held = new Set(terms);
  for (const [i, term] of terms.entries()) if (i > 0) held.add(`${terms[i - 1]} ${term}`);
  const ofNames = [...names].flatMap(([term, score]) => (isNamed(term, text) ? [{ term, score }] : []));
  // For names in code the agent can search the code; only the memory knows about tickets and errors.
  let best = { score: sumOf(ofNames.filter(({ term }) => isErrorName(term))), why: [] as Reason[] };
  let near: Verdict['near'] = { score: 0, share: 0, words: [] };
  const message = totalOfLast(questions);
  for (const question of questions) {
    const { values, total, weight, isLast } = question;
    const why = [...values].flatMap(([term, { value, words, alike }]) => {
      const score = value * shareHeld(term, alike, held);
      return score === 0 ? [] : [{ term: words, score }];
    });
    const sum = sumOf(why);
    // A pair adds to the score, but covers no more of the sentence.
    const words = why.filter(({ term }) => !term.includes(' '));
    const share = sumOf(words) / total;
    const whole = sum * Math.sqrt(share);
    if (whole > near.score)
      near = {
        score: whole,
        share,
        words: words.filter((each) => each.score >= TELLING).map(({ term }) => term),
      };
    const telling = words.filter(({ score }) => score >= TELLING).length;
    const isWhole =
      isLast &&
      telling === 1 &&
      share >= LEAST_OF_WHOLE &&
      why.length >= 3 &&
      sumOf(words) >= LEAST_HELD_WHOLE;
    // A question by a question word, whose words are side by side in the line.
    const isAnswer =
      isLast &&
      QUESTION.test(question.text) &&
      share >= LEAST_OF_WHOLE &&
      words.length >= 2 &&
      why.length > words.length &&
      sumOf(words) >= LEAST_ASKED;
    const covers = isAnswer || isWhole || (telling >= 2 && share >= LEAST_COVERED && sum >= LEAST_SCORE);
    const named = telling > 0 && share >= LEAST_BESIDE_NAME ? sumOf(ofNames) : 0;
    const isOfMessage = !isLast || sumOf([...words, ...ofNames]) >= LEAST_OF_MESSAGE * message;
    const about =
      isKept && isOfMessage
        ? subjectScore(question, share, terms, /\d/.test(text)) + sumOf(namesAskedIn(question, ofNames))
        : 0;
    const score = (covers || about > 0 ? (about + whole) * weight : 0) + (named === 0 ? 0 : named + sum / 2);
    if ((covers || about > 0 || score >= LEAST_SCORE) && score > best.score) best = { score, why };
  }
  const why = [...ofNames, ...best.why].sort((a, b) => b.score - a.score);
  return { score: best.score, why, near };
}

/** The names that a sentence is about, not only mentions. */
function namesAskedIn({ text, values, total }: Question, names: readonly Reason[]): Reason[] {
  // A year beside a name is no subject of its own.
  const years = sumOf(
    [...values].flatMap(([term, { value }]) => (/^\d+$/.test(term) ? [{ term, score: value }] : [])),
  );
  return names.filter(
    ({ term, score }) => isNamed(term, text) && score >= LEAST_NAME * (score + total - years),
  );
}

/** Why a line that shares words with the prompt is held back. */
export function reasonOfSilence({ near: { share, words } }: Verdict): string {
  const percent = Math.round(100 * share);
  const shared = words.length === 0 ? 'no significant word' : words.map((word) => `"${word}"`).join(', ');
  return `shares ${shared} with the prompt, ${percent} % of its information: too little, or not the line's subject`;
}

function sumOf(parts: readonly Reason[]): number {
  return parts.reduce((sum, { score }) => sum + score, 0);
}

/** What all sentences of the last message ask for. */
function totalOfLast(questions: readonly Question[]): number {
  const all = new Map(questions.flatMap(({ isLast, values }) => (isLast ? [...values] : [])));
  return [...all].reduce((sum, [term, { value }]) => sum + (term.includes(' ') ? 0 : value), 0);
}
