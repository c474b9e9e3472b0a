import type { Message } from '../transcript/message.ts';
import { stem } from './stem.ts';
import { synonymsOf } from './synonyms.ts';
import { wordsOf } from './terms.ts';
import type { QueryTerm } from './types.ts';
import { FILLERS } from './words.ts';

/** How much of a message's weight is left when a full message's worth of information follows it. */
const DECAY = 0.1;
/** Sum of inverse document frequencies (nats) that makes a message complete in itself. */
const FULL_MASS = 6;
/** More terms than this say no more about the subject, they only cost time. */
const MOST_TERMS = 32;
/** A filler's weight in proportion to another word of the same message; to the mass it adds nothing. */
const FILLER_WEIGHT = 0.3;

/** The text of the messages that may say what a search is about, oldest first. */
export function spokenOf(messages: readonly Message[]): string[] {
  return messages
    .filter((message) => message.role === 'user' || message.role === 'assistant')
    .map((message) => message.content);
}

export interface Formulated {
  terms: QueryTerm[];
  /** The newest text that says something by itself: where a date or a kind of question is looked for. */
  focus: string;
}

/**
 * Weighted terms of a query. A message's terms weigh `DECAY` to the power of the information that follows
 * it, so that a complete question stands alone and `yes please` leaves the question before it in force.
 *
 * @param texts what was said, oldest first; a plain query is a single text
 * @param idf inverse document frequency of a term in the memory, in nats
 */
export function formulate(texts: readonly string[], idf: (term: string) => number): Formulated {
  const weights = new Map<string, number>();
  const words = new Map<string, string>();
  let focus: string | undefined;
  let mass = 0;
  for (let i = texts.length - 1; i >= 0; i--) {
    const weight = DECAY ** mass;
    if (weight < 0.001) break;
    const text = texts[i] ?? '';
    let sum = 0;
    for (const word of new Set(wordsOf(text))) {
      const filler = FILLERS.has(word);
      const term = stem(word);
      if (!words.has(term)) words.set(term, word);
      if (!filler) sum += idf(term);
      weights.set(term, Math.max(weights.get(term) ?? 0, weight * (filler ? FILLER_WEIGHT : 1)));
    }
    const own = Math.min(1, sum / FULL_MASS);
    if (own > 0.5) focus ??= text;
    mass += own;
  }
  const terms = [...weights].map(([term, weight]) => {
    return { term, word: words.get(term) ?? term, weight, also: othersOf(term, weights) };
  });
  if (terms.length > MOST_TERMS) {
    terms.sort((a, b) => b.weight * idf(b.term) - a.weight * idf(a.term)).length = MOST_TERMS;
  }
  return { terms, focus: focus ?? texts.at(-1) ?? '' };
}

/** Synonyms that the query does not name itself. */
function othersOf(term: string, named: ReadonlyMap<string, number>): Map<string, number> {
  const others = new Map<string, number>();
  for (const [word, share] of synonymsOf(term)) if (!named.has(word)) others.set(word, share);
  return others;
}
