import { stem } from '../text/stem.ts';
import type { Asked, Question } from './judge.ts';
import { CALENDAR } from './relevance.ts';
import { wordsOf } from './terms.ts';
import { worthOf } from './words.ts';

/**
 * What a word does in a sentence: the verb of an order (`restart it`), something in view (`this chapter`), or a name
 * (`a cake for Emma`).
 */
export type WordRole = 'order' | 'in-view' | 'name';

/** Least value of a significant word. */
export const TELLING = 0.32;
/**
 * Share of a sentence's information that a line must contain: of a short sentence, which has one subject, of a longer
 * one, and of a sentence with the name that is the line's subject.
 */
const LEAST_OF_SHORT = 0.42;
const SHORT = 10;
const LEAST_OF_LONG = 0.7;
const LEAST_NAMED = 0.25;
/** The same if one word is all that they share. */
const LEAST_ONLY = 0.85;
const LEAST_ONLY_ASKED = 0.7;
/** Least value of a word that is all a question for an amount or a time is about. */
const LEAST_ASKED = 0.2;
/** A pair of this value is a subject wherever it is in the line, any other among the first words only. */
const LEAST_PAIR = 0.8;
const FIRST_WORDS = 3;

const ORDER =
  /^\W*(?:(?:please|can you|could you|let'?s|ok|now)\W+)*([\p{L}\p{N}-]+)\s+(?:it|this|that|these|those|them|the|an?|my|our|all|every|some)\b/u;
const IN_VIEW = /\b(?:this|these|that|those)\s+([\p{L}\p{N}'’-]+)/gu;
const WHO = /^\W*who(?:['’]s|\s+(?:is|was|are))\s+(\p{L}+)\W*$/u;
const NAME = /(?<=[\p{L}\p{N},]\s+)\p{Lu}\p{Ll}+\b/gu;

/** The roles of a sentence's words, by their stems. */
export function rolesOf(sentence: string): Map<string, WordRole> {
  const roles = new Map<string, WordRole>();
  const give = (words: string | undefined, role: WordRole): void => {
    for (const word of wordsOf(words ?? '')) roles.set(stem(word), role);
  };
  // V8 takes milliseconds to compile classes of letters that ignore case.
  const lower = sentence.toLowerCase();
  for (const [name] of sentence.matchAll(NAME)) give(name, 'name');
  give(WHO.exec(lower)?.[1], 'name');
  for (const [, word] of lower.matchAll(IN_VIEW)) give(word, 'in-view');
  give(ORDER.exec(lower)?.[1], 'order');
  return roles;
}

/**
 * How far a sentence is about the subject of a line, 0 if it is not: it contains two significant words of the line, two
 * neighbouring words, or the word that the line begins with.
 *
 * @param share the part of the sentence's information that the line contains
 * @param line the terms of the line
 * @param hasFigure whether the line has an amount or a time
 */
export function subjectScore(
  { text: sentence, values, wantsFigure }: Question,
  share: number,
  line: readonly string[],
  hasFigure: boolean,
): number {
  const least = sentence.split(/\s+/).length <= SHORT ? LEAST_OF_SHORT : LEAST_OF_LONG;
  const held = new Set(line);
  const pairs = new Set(line.flatMap((term, i) => (i === 0 ? [] : pairOf(line[i - 1] ?? '', term))));
  const begins = new Set(line.slice(0, 1));
  const beginning = new Set(line.slice(0, FIRST_WORDS));
  let [telling, tellingFirst] = [0, 0];
  let subject = 0;
  for (const [term, { value, alike, role, isUsual }] of values) {
    const [first = '', second] = term.split(' ');
    if (second !== undefined) {
      if (!pairs.has(term)) continue;
      const sum = (values.get(first)?.value ?? 0) + (values.get(second)?.value ?? 0);
      // The verb of an order, as in `fix lint`, is no part of a subject.
      const isVerb = values.keys().next().value === first && worthOf(first) === 0;
      const isUsualPair = values.get(first)?.isUsual && values.get(second)?.isUsual;
      if (isUsualPair) continue;
      const isSubject = sum >= LEAST_PAIR || (beginning.has(first) && beginning.has(second));
      if (!isVerb && isSubject && share >= least) subject = Math.max(subject, sum);
      continue;
    }
    const score = CALENDAR.test(term) || isUsual ? 0 : value * shareHeld(term, alike, held);
    if (score >= TELLING) telling++;
    if (score >= TELLING && shareHeld(term, alike, beginning) > 0) tellingFirst++;
    if (role === 'order' || role === 'in-view' || score === 0) continue;
    const leads = shareHeld(term, alike, begins) > 0;
    // Rare in talk with agents, so that it hardly comes up by chance.
    const isRare = worthOf(term) === 1;
    const isAbout =
      (isRare && role === 'name' && share >= LEAST_NAMED && shareHeld(term, alike, beginning) > 0) ||
      (isRare && (leads || role === 'name') && share >= LEAST_ONLY) ||
      (wantsFigure && hasFigure && leads && value >= LEAST_ASKED && share >= LEAST_ONLY_ASKED);
    if (isAbout) subject = Math.max(subject, score);
  }
  if (telling >= 2 && tellingFirst > 0 && share >= least) subject += TELLING;
  return subject;
}

/** Two neighbouring words, in either order. */
function pairOf(a: string, b: string): string[] {
  return [`${a} ${b}`, `${b} ${a}`];
}

/** 1 if a line contains the term, less for a synonym. */
export function shareHeld(term: string, alike: Asked['alike'], held: ReadonlySet<string>): number {
  if (held.has(term)) return 1;
  return Math.max(0, ...[...alike].map(([other, share]) => (held.has(other) ? share : 0)));
}
