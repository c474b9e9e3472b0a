import { MANNER, MANNER_INSIDE, RULES, RULES_INSIDE, TALK } from './vocabulary.ts';
import { wordsOf } from './words.ts';

/** A sentence of a message that may hold from now on, and how much it looks like it. */
export interface Rule {
  text: string;
  /** 0 for a sentence that rules nothing. */
  weight: number;
}

/** From this weight on a sentence probably rules something. */
export const IS_RULE = 2;

/** A sentence of more words says less with each of them. */
const PLAIN_WORDS = 9;
/** People state in passing what they want at the end of what they say. */
const LAST = 1.3;
/** A last sentence that neither asks nor talks of what is there states something, whatever its words. */
const STATES = 1.6;
const MOST_OF_A_KIND = 4;

/**
 * The sentence of a text that looks most like a rule, by its words.
 * @param text what the person typed
 * @param beside whether it stands beside more that was pasted
 */
export function ruleIn(text: string, beside = false): Rule {
  const sentences = text
    .split(/(?<=[.!?;。！？；])(?=\s|[^\s\p{ASCII}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
  let best: Rule = { text: '', weight: 0 };
  for (const [index, sentence] of sentences.entries()) {
    const isLast = index === sentences.length - 1;
    const weight = weightOf(sentence, isLast && (index > 0 || beside) ? STATES : 0) * (isLast ? LAST : 1);
    if (weight >= best.weight && weight > 0) best = { text: sentence, weight };
  }
  return best;
}

function weightOf(sentence: string, states: number): number {
  if (/[?？]["”')]*$/.test(sentence)) return 0;
  const words = wordsOf(sentence);
  const distinct = [...new Set(words)];
  const count = (set: ReadonlySet<string>, inside: readonly string[] = []): number =>
    Math.min(
      MOST_OF_A_KIND,
      distinct.filter((word) => set.has(word)).length +
        inside.filter((part) => sentence.includes(part)).length,
    );
  const rules = count(RULES, RULES_INSIDE);
  const manner = count(MANNER, MANNER_INSIDE);
  const talk = count(TALK);
  const stated = talk === 0 && words.length >= 3 ? states : 0;
  if (rules + manner + stated === 0) return 0;
  const length = Math.min(1, Math.sqrt(PLAIN_WORDS / words.length));
  return Math.max(0, 2 * rules + manner + stated - talk) * length;
}
