import { stem } from '../base/text/stem.ts';
import type { Collection } from './collection.ts';
import { isNamed, withoutReferences } from './identifiers.ts';
import { termsOf, wordsOf } from './terms.ts';
import { worthOf } from './words.ts';

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
/** A sentence that asks, and the names in it. */
export interface Question {
  text: string;
  names: readonly string[];
}

/** A word or name of a question, and what it weighs. */
export interface Weighed {
  word: string;
  weight: number;
  isHeldBy(text: string, terms: ReadonlySet<string>): boolean;
}

/** The words of a question by their weight: rarity in the memory times rarity in talk. A name is one word. */
export function weighed({ text, names }: Question, collection: Collection): Weighed[] {
  const most = Math.log(1 + Math.max(SMALL, collection.passages));
  const weightOf = (term: string, worth: number): number => {
    const rarity = 1 - Math.min(1, Math.log(1 + collection.holders(term)) / most);
    return (LEAST_WORTH + (1 - LEAST_WORTH) * worth) * rarity;
  };
  const rest = names.reduce((left, name) => left.replaceAll(name, ' '), withoutReferences(text));
  const terms = new Map(wordsOf(rest).map((word) => [stem(word), word]));
  return [
    ...names.map((name) => ({
      word: name,
      // `GitHub` looks like a name from code, but is a common word. A name is as rare as its rarest part.
      weight: Math.max(
        0,
        ...wordsOf(name).map((word) => weightOf(stem(word), worthOf(stem(name.toLowerCase())))),
      ),
      isHeldBy: (line: string) => isNamed(name, line),
    })),
    ...[...terms].map(([term, word]) => ({
      word,
      weight: weightOf(term, worthOf(term)),
      isHeldBy: (_: string, held: ReadonlySet<string>) => held.has(term),
    })),
  ];
}

/** How far a line holds a question. */
export interface Verdict {
  text: string;
  isAnswer: boolean;
  held: readonly Weighed[];
  lacked: readonly Weighed[];
  score: number;
}

/** How far a line holds the words of a question, and whether that answers it. */
export function judge(text: string, words: readonly Weighed[], passages: number): Verdict {
  const terms = new Set(termsOf(text));
  const held = words.filter((word) => word.isHeldBy(text, terms));
  const lacked = words.filter((word) => !held.includes(word));
  const [has, lacks] = [sumOf(held), sumOf(lacked)];
  const isLarge = passages > SMALL;
  const isEnough = isLarge
    ? has >= OF_LACKED_LARGE * lacks + BEYOND_LARGE
    : has >= OF_LACKED * lacks + BEYOND;
  const isAnswer = isEnough && (held.length > 1 ? true : !isLarge && has >= SINGLE);
  return { text, isAnswer, held, lacked, score: has };
}

const sumOf = (words: readonly Weighed[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

/** Whether two lines hold the same words of the question. */
export function isSameWords({ held: a }: Verdict, { held: b }: Verdict): boolean {
  return a.length === b.length && a.every((word) => b.includes(word));
}

/** Why a line does not answer. */
export function shortOf({ held, lacked }: Verdict): string {
  const listed = (words: readonly Weighed[]): string =>
    words.length === 0 ? 'nothing' : words.map(({ word }) => `"${word}"`).join(', ');
  return `holds ${listed(held)} of the question, lacks ${listed(lacked)}`;
}
