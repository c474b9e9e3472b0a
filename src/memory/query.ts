import { stem } from '../base/text/stem.ts';
import { resolved } from '../transcript/hearing.ts';
import { wordsOf, worthOf } from './terms.ts';
import type { MemoryQuery, QueryTerm } from './types.ts';

/** Remaining weight of a message when a complete message follows it. */
const DECAY = 0.1;
/** The same for a sentence followed by a complete one in its message. */
const DECAY_WITHIN = 0.4;
/** Lower weights are ignored. */
const LEAST_SHARE = 0.001;
/** Value of words that makes a message complete, and below which it says nothing. */
const COMPLETE = 1.5;
const STRAY = 0.5;
/** More terms than this add no information, only cost. */
const MOST_TERMS = 32;
/** Relative weight of a word without value in its message. */
const LEAST_WEIGHT = 0.1;
/** Share of a word's value if no note contains it: it is misspelt as often as new, and finds nothing either way. */
const ABSENT = 0.5;
/** How much of a message is read, in UTF-16 units, half of it from its end. */
const READ = 8000;

const SENTENCE_END = /(?<=[.!?…。！？:;]["')\]]*)\s+|\n+/;

/** The texts of a query, oldest first: in a chat the messages of user and assistant, then the search text. */
export function textsOf({ text, messages = [] }: MemoryQuery): string[] {
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const texts = said.map(({ content }) => content);
  if (said.length > 0) texts[said.length - 1] = resolved(said);
  return text === undefined ? texts : [...texts, text];
}

export interface Formulated {
  terms: QueryTerm[];
  /** The newest sentence with content of its own, in which dates are detected. */
  focus: string;
}

/**
 * Weighted terms of a query. A message's terms weigh `DECAY` to the power of the content after it, so that a
 * complete question counts alone, and `yes please` leaves the previous question in force. The content of a message
 * depends on the rarity of its words in conversation, not in this memory: few notes contain `elaborate`.
 *
 * @param texts the texts, oldest first; a plain query is a single text
 * @param idf inverse document frequency of a term in the memory, in nats
 * @param isSearch whether the last text is an explicit query, so that all of its words count
 */
export function formulate(
  texts: readonly string[],
  idf: (term: string) => number,
  isSearch: boolean,
): Formulated {
  const absent = idf('');
  const weights = new Map<string, number>();
  const words = new Map<string, string>();
  let focus: string | undefined;
  let following = 0;
  for (let i = texts.length - 1; i >= 0 && DECAY ** following >= LEAST_SHARE; i--) {
    const isQuery = isSearch && i === texts.length - 1;
    let followingWithin = 0;
    for (const text of isQuery ? [texts[i] ?? ''] : sentencesOf(texts[i] ?? '').reverse()) {
      const weight = DECAY ** following * DECAY_WITHIN ** followingWithin;
      if (weight < LEAST_SHARE) break;
      const worths = new Map<string, number>();
      for (const word of wordsOf(text)) {
        const term = stem(word);
        if (!words.has(term)) words.set(term, word);
        worths.set(term, worthOf(term) * (idf(term) < absent ? 1 : ABSENT));
      }
      const complete = isQuery ? 1 : completeness([...worths.values()].reduce((a, b) => a + b, 0));
      for (const [term, worth] of worths) {
        const share = Math.max(complete, LEAST_WEIGHT + (1 - LEAST_WEIGHT) * worth);
        weights.set(term, Math.max(weights.get(term) ?? 0, weight * share));
      }
      if (complete > 0.5) focus ??= text;
      followingWithin += complete;
    }
    following += Math.min(1, followingWithin);
  }
  // If nobody said much, the query is about the little that was said.
  const most = Math.max(...weights.values());
  if (most > LEAST_WEIGHT) for (const [term, weight] of weights) weights.set(term, weight / most);
  const told = [...weights].sort(([a, one], [b, other]) => other * idf(b) - one * idf(a));
  const terms = told
    .slice(0, MOST_TERMS)
    .map(([term, weight]) => ({ term, word: words.get(term) ?? term, weight }));
  return { terms, focus: focus ?? texts.at(-1) ?? '' };
}

/** The sentences and lines of a text; of a long one only those at its start and end. */
function sentencesOf(text: string): string[] {
  const read = text.length <= READ ? text : `${text.slice(0, READ / 2)}\n${text.slice(-READ / 2)}`;
  return read.split(SENTENCE_END).filter((sentence) => sentence.trim() !== '');
}

/** How complete a message with this total value is, 0 to 1: a smooth step. */
function completeness(worth: number): number {
  const x = Math.min(1, Math.max(0, (worth - STRAY) / (COMPLETE - STRAY)));
  return x * x * (3 - 2 * x);
}
